"""The parts of the page, each a heading and HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from driftlearn.bench.report import _curves, _tables
from driftlearn.bench.report._classes import Counts, confusions, legend, recall_map
from driftlearn.bench.report._compare import Comparison
from driftlearn.bench.report._concepts import concepts
from driftlearn.bench.report._critical_difference_svg import critical_difference_svg
from driftlearn.bench.report._lifelines import lifelines
from driftlearn.bench.report._markup import choice, panels, switches
from driftlearn.bench.report._plot import BEST, MOST_LINES, Stage, over_rows
from driftlearn.bench.report._regions import Regions, regions_html
from driftlearn.bench.report._words import drift_note
from driftlearn.evaluate._repeat import AnyResult

# What a page shows at most, so that a reader's browser opens it at once and it can be mailed: above
# MOST_CURVES lines it has tables alone, above MOST_DETAILED lines or MOST_STREAMS accuracy alone.
MOST_CURVES = 400
MOST_DETAILED = 60
MOST_STREAMS = 10
MOST_COUNTS = 60_000  # numbers of all confusion matrices together
MOST_LIFE_BYTES = 1_500_000  # of all pictures of members, at worst


class Section(NamedTuple):
    """A part of the page."""

    heading: str
    html: str


class Page:
    """What the parts of a page share: its learners, and how much it may hold.

    Parameters
    ----------
    learners : sequence of str
        All learners, in the order of their colours.
    n_streams : int
        How many results the page shows.
    """

    def __init__(self, learners: Sequence[str], n_streams: int):
        self.learners = list(learners)
        self.n_curves = len(self.learners) * n_streams
        self.points = _curves.points(self.n_curves)
        self.detailed = self.n_curves <= MOST_DETAILED and n_streams <= MOST_STREAMS
        self.drawn = self.n_curves <= MOST_CURVES
        self.n_names = 0

    def name(self) -> str:
        """Return a new name for an element."""
        self.n_names += 1
        return f"choice-{self.n_names}"


def stage_of(result: AnyResult) -> Stage:
    """Return what all charts of a stream share."""
    last = max(int(result.rows(name)[-1]) for name in result.names)
    return Stage(last, result.drifts, concepts(result))


def sections(result: AnyResult, page: Page, stream: str) -> list[Section]:
    """Return the parts about one stream below its accuracy; those with nothing are left out."""
    if not page.detailed:
        return []
    stage = stage_of(result)
    parts = [members(result, page, stage), classes(result, page, stage, stream)]
    parts += [sizes(result, page, stage), times(result, page, stage)]
    return [part for part in parts if part.html]


def accuracy(result: AnyResult, page: Page) -> Section:
    """Return accuracy over the stream, with the switches of all charts."""
    found = _curves.curves(result, _curves.score("accuracy"), page.points, smooth=True)
    if not found.middle or not page.drawn:
        return Section("Accuracy over time", "")
    bands = page.detailed and len(_curves.repetitions(result)) > 1
    band = "Bands: one standard deviation over the seeds. " if bands else ""
    shown = None
    if len(found.middle) > MOST_LINES:
        shown = [name for name in _best_first(result) if name in found.middle][:BEST]
        band += f"The best {BEST} are in colour; the buttons show the others. "
    stage = stage_of(result)
    kinds = "Below: the concept in force. " if len(stage.concepts.names) > 1 else ""
    note = f"{found.note}{band}{drift_note(result.drifts)}{kinds}"
    picture = over_rows(
        found, stage, page.learners, title="Accuracy", height=300, band=bands, shown=shown,
        note=note,
    )  # fmt: skip
    buttons = switches(list(found.middle), page.learners, shown, bands)
    return Section("Accuracy over time", picture + buttons)


def _best_first(result: AnyResult) -> list[str]:
    """Return the learners by accuracy; those that have none come last."""
    scores = {name: result.summary(name)["accuracy"] for name in result.names}
    return sorted(scores, key=lambda name: -np.nan_to_num(scores[name], nan=-1.0))


def members(result: AnyResult, page: Page, stage: Stage) -> Section:
    """Return the lives of members, learner by learner."""
    there = {name for name, history in result.histories.items() if len(history.ids)}
    names = [name for name in _best_first(result) if name in there]
    most = MOST_LIFE_BYTES // max(page.n_curves, 1)
    parts = [lifelines(result, name, stage, most) for name in names]
    return Section("Members and their weights", _chosen(page, names, parts))


def classes(result: AnyResult, page: Page, stage: Stage, stream: str) -> Section:
    """Return the recall of every class over the stream and confusions, learner by learner."""
    parts, names = [], _best_first(result)
    for name in names:
        counts = Counts(result, name, MOST_COUNTS // page.n_curves)
        table = confusions(counts, name, stream, page.name())
        parts.append(recall_map(counts, name, stage) + table)
    return Section("Classes: recall and confusions", legend() + _chosen(page, names, parts))


def planes(found: Mapping[str, Regions], page: Page) -> Section:
    """Return the regions of the learners in the plane, stream by stream."""
    html = "".join(
        (f"<h3>{escape(name)}</h3>" if name else "") + regions_html(one, page.name())
        for name, one in found.items()
    )
    return Section("Decision regions over time", html)


def _chosen(page: Page, names: Sequence[str], parts: Sequence[str]) -> str:
    """Return a part a learner, of which one is shown."""
    if not parts:
        return ""
    ident = page.name()
    return choice(ident, "Learner", names) + panels(ident, parts)


def sizes(result: AnyResult, page: Page, stage: Stage) -> Section:
    """Return the number of members over the stream."""
    found = _curves.curves(result, _curves.score("members"), _few(page))
    if not found.middle:
        return Section("Ensemble size", "")
    chart = over_rows(found, stage, page.learners, title="Members", note=found.note)
    return Section("Ensemble size", chart)


def times(result: AnyResult, page: Page, stage: Stage) -> Section:
    """Return what learning and predicting a row took, and the memory where it was measured."""
    kinds = {
        "Learning, µs a row": (_curves.learning_time, True),
        "Predicting, µs a row": (_curves.testing_time, True),
        "Memory, MB": (_curves.megabytes, False),
    }
    html = ""
    for title, (of, smooth) in kinds.items():
        found = _curves.curves(result, of, _few(page), smooth=smooth)
        if found.middle:
            html += over_rows(found, stage, page.learners, title=title, log=smooth, note=found.note)
    return Section("Time and memory", f'<div class="grid">{html}</div>' if html else "")


def _few(page: Page) -> int:
    return max(_curves.LEAST_POINTS, page.points * 3 // 10)


def significance(comparison: Comparison, stream: str | None = None) -> Section:
    """Return wins, ties and losses, and the critical-difference diagram."""
    where = "" if stream is None else f" on the stream {stream}"
    table = _tables.count_table(comparison, where)
    if not table:
        return Section("Significance", "")
    over = {"streams": "stream", "seeds": "seed", "stream": "repetition"}[comparison.kind]
    note = (
        f"<p>One rank-sum test at 5 % for each {over}, here {len(comparison.blocks)}, on the "
        "accuracies of the chunks, which the test takes as independent.</p>"
    )
    diagram = ""
    if comparison.ranking is not None:
        blocks = f"{len(comparison.blocks)} {comparison.kind}"
        diagram = (
            f'<figure><div class="scroll" tabindex="0" role="region" '
            f'aria-label="Diagram of mean ranks{escape(where)}">'
            f"{critical_difference_svg(comparison.ranks, comparison.ranking.gap)}</div>"
            f"<figcaption>Mean ranks over {blocks}, the best at the left; a bar joins learners "
            "that Nemenyi's test at 5 % cannot tell apart.</figcaption></figure>"
        )
    return Section("Significance", note + table + diagram)


def summary(result: AnyResult) -> Section:
    """Return the table of learners and metrics, and what its columns mean."""
    note = f"<p>{escape(_tables.summary_note(result))}</p>"
    return Section("Summary", note + _tables.summary_table(result, result.stream))
