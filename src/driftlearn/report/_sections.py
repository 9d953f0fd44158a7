"""The parts of the page, each a heading and HTML."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from driftlearn._types import Floats
from driftlearn.evaluate import Result
from driftlearn.evaluate._repeat import AnyResult
from driftlearn.report import _curves, _tables
from driftlearn.report._charts import of_classes, over_time
from driftlearn.report._compare import Comparison
from driftlearn.report._critical_difference_svg import critical_difference_svg
from driftlearn.report._figures import frequent_classes
from driftlearn.report._markup import choice, confusion, panels, switches
from driftlearn.report._weight_map import MOST_CELLS, weight_map
from driftlearn.report._words import drift_note

# What a page shows at most, so that a reader's browser opens it at once and it can be mailed: above
# MOST_CURVES lines it has tables alone, above MOST_DETAILED lines or MOST_STREAMS accuracy alone.
MOST_CURVES = 400
MOST_DETAILED = 60
MOST_STREAMS = 10
MOST_CLASSES = 12  # lines of a recall chart that can be told apart
MOST_RECALLS = 240  # such lines of all learners, which the page holds together
MOST_CONFUSED = 20  # rows of a confusion matrix that fit a screen
MOST_COUNTS = 6_000  # cells of all matrices together


class Section(NamedTuple):
    """A part of the page."""

    heading: str
    html: str


class Page:
    """What the parts of a page share: its learners, how much it may hold, its charts.

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
        self.charts: list[str] = []
        self.n_choices = 0

    def chart(self, model: Any, label: str, note: str = "") -> str:
        """Take a chart in, and return the place where the page will draw it."""
        from bokeh.core.types import ID
        from bokeh.embed import json_item

        ident = self.next
        text = json.dumps(json_item(model, ID(ident)), separators=(",", ":"))
        self.charts.append(text.replace("<", "\\u003c"))
        caption = f"<figcaption>{escape(note)}</figcaption>" if note else ""
        return (
            f'<figure><div class="plot" id="{ident}" role="img" aria-label="{escape(label)}" '
            f'style="min-height: {model.height}px"></div>{caption}</figure>'
        )

    @property
    def next(self) -> str:
        """The name of the place of the next chart."""
        return f"chart-{len(self.charts)}"

    def choice(self) -> str:
        """Return a new name for a select."""
        self.n_choices += 1
        return f"choice-{self.n_choices}"


def sections(result: AnyResult, page: Page) -> list[Section]:
    """Return the parts about one stream; those with nothing to show are left out."""
    parts = [accuracy(result, page)] if page.drawn else []
    if page.detailed:
        parts += [
            recall(result, page),
            confusions(result, page),
            weights(result, page),
            sizes(result, page),
            times(result, page),
        ]
    return [part for part in parts if part.html]


def accuracy(result: AnyResult, page: Page) -> Section:
    """Return accuracy over the stream, with the switches of all charts."""
    found = _curves.curves(result, _curves.score("accuracy"), page.points, smooth=True)
    if not found.middle:
        return Section("Accuracy over time", "")
    bands = bool(found.off) and page.detailed
    band = "Bands: one standard deviation over the seeds. " if bands else ""
    chart = over_time(
        found, result.drifts, page.learners,
        label="accuracy", height=max(340, 60 + 20 * len(found.middle)),
        band=bands, legend=True,
    )  # fmt: skip
    note = f"{found.note}{band}{drift_note(result.drifts)}Drag over a part to enlarge it."
    place = page.chart(chart, f"Accuracy of {len(found.middle)} learners over the stream", note)
    return Section("Accuracy over time", switches(list(found.middle), page.learners, bands) + place)


def recall(result: AnyResult, page: Page) -> Section:
    """Return the recall of the most frequent classes over the stream, learner by learner."""
    chosen = frequent_classes(result, min(MOST_CLASSES, max(4, MOST_RECALLS // page.n_curves)))
    most = max(_curves.LEAST_POINTS, page.points // 5)
    found = {k: _curves.curves(result, _recall(result, k), most, smooth=True) for k in chosen}
    names = [name for name in result.names if any(name in one.middle for one in found.values())]
    if not names:
        return Section("Recall of every class", "")
    rows, gap = found[chosen[0]].rows, np.full(len(found[chosen[0]].rows), np.nan)
    lines = [
        {f"class {result.classes[k]}": one.middle.get(name, gap) for k, one in found.items()}
        for name in names
    ]
    some = "" if len(chosen) == len(result.classes) else "The most frequent classes are shown. "
    note = (
        f"{found[chosen[0]].note}{some}A gap in a line: the class did not occur. "
        f"{drift_note(result.drifts)}"
    )
    select = choice(page.choice(), "Learner", names, recall=page.next)
    place = page.chart(of_classes(lines, rows, result.drifts), "Recall of every class", note)
    return Section("Recall of every class", select + place)


def _recall(result: AnyResult, k: int) -> Callable[[Result, str], Floats]:
    """Return a function that gives the recall of the k-th class of all runs in one of them."""

    def of(run: Result, name: str) -> Floats:
        place = np.flatnonzero(run.classes == result.classes[k])
        recalls = run.recalls(name)
        return recalls[:, place[0]] if len(place) else np.full(len(recalls), np.nan)

    return of


def confusions(result: AnyResult, page: Page) -> Section:
    """Return the confusion matrix over all chunks, learner by learner."""
    most = int(np.clip((MOST_COUNTS / page.n_curves) ** 0.5, 3, MOST_CONFUSED))
    shown = frequent_classes(result, most)
    labels = [str(result.classes[k]) for k in shown]
    rest = np.setdiff1d(np.arange(len(result.classes)), shown)
    parts = []
    for name in result.names:
        matrix = result.confusion(name)
        if len(rest):
            groups = [*([k] for k in shown), rest.tolist()]
            matrix = np.array([[matrix[np.ix_(a, b)].sum() for b in groups] for a in groups])
        head = [*labels, "others"] if len(rest) else labels
        parts.append(confusion(matrix, head, f"Confusion matrix of {name} on {result.stream}"))
    ident = page.choice()
    select = choice(ident, "Learner", result.names, panels=ident)
    note = "<p>Test rows of all chunks: true class by row, predicted class by column.</p>"
    return Section("Confusion matrix", note + select + panels(ident, parts))


def weights(result: AnyResult, page: Page) -> Section:
    """Return the map of member weights, learner by learner."""
    names = [name for name in result.names if name in result.histories]
    if not names:
        return Section("Member weights", "")
    note = (
        "<p>The stronger the colour, the more a member counts beside the heaviest of that step. "
        "Where an old concept returns, the rows of old members come back.</p>"
    )
    select = choice(page.choice(), "Learner", names, weights=page.next)
    chart = weight_map(result, names, MOST_CELLS // page.n_curves)
    place = page.chart(chart, "Weights of the members of an ensemble over its steps")
    return Section("Member weights", note + select + place)


def sizes(result: AnyResult, page: Page) -> Section:
    """Return the number of members over the stream."""
    found = _curves.curves(result, _curves.score("members"), _few(page))
    if not found.middle:
        return Section("Ensemble size", "")
    chart = over_time(found, result.drifts, page.learners, label="members")
    return Section("Ensemble size", page.chart(chart, "Members over the stream", found.note))


def times(result: AnyResult, page: Page) -> Section:
    """Return what learning and predicting a row took, and the memory where it was measured."""
    kinds = {
        "learning, µs a row": (_curves.learning_time, True),
        "predicting, µs a row": (_curves.testing_time, True),
        "memory, MB": (_curves.megabytes, False),
    }
    html = ""
    for label, (of, smooth) in kinds.items():
        found = _curves.curves(result, of, _few(page), smooth=smooth)
        if found.middle:
            chart = over_time(found, result.drifts, page.learners, label=label, log=smooth)
            html += page.chart(chart, f"{label}, over the stream", found.note)
    return Section("Time and memory", f'<div class="grid">{html}</div>' if html else "")


def _few(page: Page) -> int:
    return max(_curves.LEAST_POINTS, page.points * 3 // 10)


def significance(comparison: Comparison) -> Section:
    """Return wins, ties and losses, and the critical-difference diagram."""
    table = _tables.count_table(comparison)
    if not table:
        return Section("Significance", "")
    over = {"streams": "stream", "seeds": "seed", "stream": "run"}[comparison.kind]
    note = (
        f"<p>One rank-sum test at 5 % for each {over}, on the accuracies of the chunks, which the "
        "test takes as independent.</p>"
    )
    diagram = ""
    if comparison.ranking is not None:
        blocks = f"{len(comparison.blocks)} {comparison.kind}"
        diagram = (
            f'<figure><div class="scroll" tabindex="0" role="region" aria-label="Diagram">'
            f"{critical_difference_svg(comparison.ranks, comparison.ranking.gap)}</div>"
            f"<figcaption>Mean ranks over {blocks}, the best at the left; a bar joins learners "
            "that Nemenyi's test at 5 % cannot tell apart.</figcaption></figure>"
        )
    return Section("Significance", note + table + diagram)


def summary(result: AnyResult) -> Section:
    """Return the table of learners and metrics, and what its columns mean."""
    note = f"<p>{escape(_tables.summary_note(result))}</p>"
    return Section("Summary", note + _tables.summary_table(result))
