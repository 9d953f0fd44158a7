"""The sections of a page about one result: HTML by heading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from driftlearn.bench.report import _curves, _tables
from driftlearn.bench.report._classes import Counts, confusions, recall_map, scale
from driftlearn.bench.report._compare import Comparison
from driftlearn.bench.report._concepts import concepts
from driftlearn.bench.report._lifelines import lifelines
from driftlearn.bench.report._markup import selected, switches
from driftlearn.bench.report._rank_diagram import critical_difference_svg
from driftlearn.bench.report._regions import Regions, regions_html
from driftlearn.bench.report._svg import BEST, MOST_LINES, Axis, line_chart, safe
from driftlearn.bench.report._words import drift_note
from driftlearn.evaluate._repeat import AnyResult

# Limits that keep a page small enough to open at once and to be mailed: above MOST_CURVES curves
# it has tables only, above MOST_DETAILED curves or MOST_STREAMS streams tables and accuracy.
MOST_CURVES = 400
MOST_DETAILED = 60
MOST_STREAMS = 10
MOST_COUNTS = 60_000  # numbers in all confusion matrices together
MOST_LIFE_BYTES = 1_500_000  # of all lifelines together


class Page:
    """What the sections of a page share: its learners, and how much it may show.

    Parameters
    ----------
    learners : sequence of str
        All learners; they determine the colors.
    n_streams : int
        The number of results on the page.
    """

    def __init__(self, learners: Sequence[str], n_streams: int = 1):
        self.learners = list(learners)
        self.n_curves = len(self.learners) * n_streams
        self.points = _curves.points(self.n_curves)
        self.few_points = max(_curves.LEAST_POINTS, self.points * 3 // 10)
        self.detailed = self.n_curves <= MOST_DETAILED and n_streams <= MOST_STREAMS
        self.drawn = self.n_curves <= MOST_CURVES
        self.n_names = 0

    def name(self) -> str:
        """Return a new id for an element."""
        self.n_names += 1
        return f"choice-{self.n_names}"


def axis_of(result: AnyResult) -> Axis:
    """Return the horizontal axis of all charts of a result."""
    last = max(int(result.rows(name)[-1]) for name in result.names)
    return Axis(last, result.drifts, concepts(result))


def sections(
    result: AnyResult, page: Page, comparison: Comparison, stream: str | None = None
) -> dict[str, str]:
    """Return the sections about a result below its accuracy; those without content are empty.

    Of several results on a page, `stream` is the name of this one.
    """
    name = result.stream if stream is None else stream
    note = f"<p>{safe(_tables.summary_note(result))}</p>" if stream is None else ""
    parts = {"Summary": note + _tables.summary_table(result, name)}
    if page.detailed:
        axis = axis_of(result)
        parts |= {
            "Members and their weights": members(result, page, axis),
            "Classes: recall and confusions": _classes(result, page, axis, name),
            "Ensemble size": _size(result, page, axis),
            "Time and memory": _costs(result, page, axis),
        }
    where = "" if stream is None else f" on the stream {stream}"
    return {**parts, "Significance": significance(comparison, where)}


def accuracy(result: AnyResult, page: Page) -> str:
    """Return accuracy over the stream, with the switches of all charts."""
    found = _curves.curves(result, _curves.score("accuracy"), page.points, smooth=True)
    if not found.middle or not page.drawn:
        return ""
    bands = page.detailed and len(_curves.repetitions(result)) > 1
    note = found.note + "Bands: one standard deviation over the seeds. " * bands
    shown = None
    if len(found.middle) > MOST_LINES:
        shown = [name for name in _best_first(result) if name in found.middle][:BEST]
        note += f"The best {BEST} are in color; the buttons show the others. "
    axis = axis_of(result)
    note += drift_note(result.drifts)
    note += "Below: the concept in force. " * (len(axis.concepts.names) > 1)
    chart = line_chart(
        found, axis, page.learners, title="Accuracy", height=300, band=bands, shown=shown, note=note
    )
    return chart + switches(list(found.middle), page.learners, shown, bands)


def _best_first(result: AnyResult) -> list[str]:
    """Return the learners by accuracy; those without one come last."""
    scores = {name: result.summary(name)["accuracy"] for name in result.names}
    return sorted(scores, key=lambda name: -np.nan_to_num(scores[name], nan=-1.0))


def members(result: AnyResult, page: Page, axis: Axis) -> str:
    """Return the lifelines of members, learner by learner."""
    there = {name for name, history in result.histories.items() if len(history.ids)}
    most = MOST_LIFE_BYTES // max(page.n_curves, 1)
    parts = {name: lifelines(result, name, axis, most) for name in _best_first(result)
             if name in there}  # fmt: skip
    return selected(page.name(), "Learner", parts) if parts else ""


def _classes(result: AnyResult, page: Page, axis: Axis, stream: str) -> str:
    """Return the recall of every class over the stream and confusions, learner by learner."""
    parts = {}
    for name in _best_first(result):
        counts = Counts(result, name, MOST_COUNTS // page.n_curves)
        table = confusions(counts, name, stream, page.name())
        parts[name] = recall_map(counts, name, axis) + table
    return scale() + selected(page.name(), "Learner", parts)


def _size(result: AnyResult, page: Page, axis: Axis) -> str:
    """Return the number of members over the stream."""
    found = _curves.curves(result, _curves.score("members"), page.few_points)
    if not found.middle:
        return ""
    return line_chart(found, axis, page.learners, title="Members", note=found.note)


def _costs(result: AnyResult, page: Page, axis: Axis) -> str:
    """Return training and prediction times of a row, and the memory where it was measured."""
    kinds = {
        "Training, µs per row": (_curves.training_time, True),
        "Prediction, µs per row": (_curves.prediction_time, True),
        "Memory, MB": (_curves.megabytes, False),
    }
    html = ""
    for title, (of, smooth) in kinds.items():
        found = _curves.curves(result, of, page.few_points, smooth=smooth)
        if found.middle:
            html += line_chart(found, axis, page.learners, title=title, log=smooth, note=found.note)
    return f'<div class="grid">{html}</div>' if html else ""


def planes(found: Mapping[str, Regions], page: Page) -> str:
    """Return the decision regions of the learners, stream by stream."""
    return "".join(
        (f"<h3>{safe(name)}</h3>" if name else "") + regions_html(one, page.name())
        for name, one in found.items()
    )


def significance(comparison: Comparison, where: str = "") -> str:
    """Return wins, ties and losses, and the critical-difference diagram."""
    table = _tables.count_table(comparison, where)
    if not table:
        return ""
    over = {"streams": "stream", "seeds": "seed", "stream": "repetition"}[comparison.kind]
    note = (
        f"<p>One rank-sum test at 5 % per {over}, here {len(comparison.blocks)}, on the "
        "accuracies of the chunks, which the test treats as independent.</p>"
    )
    if comparison.ranking is None:
        return note + table
    return (
        f'{note}{table}<figure><div class="scroll" tabindex="0" role="region" '
        f'aria-label="Diagram of mean ranks{safe(where)}">'
        f"{critical_difference_svg(comparison.ranks, comparison.ranking.gap)}</div>"
        f"<figcaption>Mean ranks over {len(comparison.blocks)} {comparison.kind}, the best at the "
        "left; a bar joins learners that do not differ by the Nemenyi test at 5 %.</figcaption>"
        "</figure>"
    )
