"""HTML page of a result: a single file without network access."""

from collections.abc import Mapping, Sequence
from datetime import date as Date
from pathlib import Path

import numpy as np

from driftlearn.bench.report import _classes, _comparison, _curves, _html, _svg, _tables
from driftlearn.bench.report._comparison import Comparison, compare
from driftlearn.bench.report._html import fill, safe
from driftlearn.bench.report._lifelines import lifelines
from driftlearn.bench.report._rank_diagram import critical_difference_svg
from driftlearn.bench.report._regions import Regions, regions_html
from driftlearn.bench.report._style import concepts
from driftlearn.bench.report._svg import Axis
from driftlearn.evaluate._repeat import AnyResult, Results

# Limits that keep a page small enough to open quickly and to mail. Above MOST_CURVES curves, the
# page has only tables; above MOST_DETAILED curves or MOST_STREAMS streams, tables and accuracies.
MOST_CURVES = 400
MOST_DETAILED = 60
MOST_STREAMS = 10
MOST_COUNTS = 60_000  # maximum number of entries in all confusion matrices together
MOST_LIFE_BYTES = 1_500_000  # maximum size of all lifelines together
MOST_ROWS = 40  # maximum number of streams in the accuracy chart
BEST = 5  # number of colored learners if there are more than `MOST_LINES`


def page(
    result: AnyResult | Results,
    path: str | Path,
    *,
    title: str | None = None,
    command: str | None = None,
    date: str | Date | None = None,
    machine: Mapping[str, str] | None = None,
    regions: Regions | Mapping[str, Regions] | None = None,
) -> Path:
    """Write a result as one self-contained HTML page that opens offline.

    The page begins with a summary in words of the best learner and the significance of its lead. It
    contains accuracy over the stream, a table of metrics, lifelines of members, class recalls,
    confusion matrices, ensemble sizes, times and memory, significance tests, parameters, settings
    and versions.

    Parameters
    ----------
    result : Result, RepeatedResult, or mapping of str to either
        The result. For a mapping, for example from stream to result, the page first compares all
        results and then shows each of them.
    path : str or Path
        Path of the HTML file.
    title : str, optional
        The heading; by default stream and protocol.
    command : str, optional
        The command that reproduces the page.
    date : str or datetime.date, optional
        The date on the page; by default today.
    machine : mapping of str to str, optional
        A description of the machine, for example ``{"processor": "..."}``.
    regions : Regions, or mapping of str to Regions, optional
        Decision regions of the learners on a stream with two features, as returned by
        `driftlearn.bench.report.regions`; a mapping by stream for several streams.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from driftlearn import SEAClassifier
    >>> from driftlearn.evaluate import prequential
    >>> from driftlearn.streams import SEA
    >>> result = prequential({"sea": SEAClassifier()}, SEA(n_rows=1000), chunk_size=250)
    >>> path = page(result, tempfile.mkdtemp() + "/sea.html", command="make sea.html")
    >>> path.stat().st_size < 3_000_000
    True
    """
    if isinstance(result, Mapping):
        result = {str(name): one for name, one in result.items()}
        if not result:
            raise ValueError("'result' must contain at least one result. Got an empty mapping.")
    comparison = compare(result)
    learners = _curves.learners_of(result)
    if isinstance(result, Mapping):
        sheet = Page(learners, len(result))
        chart, parts = _dots(result, sheet), _of_streams(result, comparison, sheet)
        streams = _comparison.counted(len(result), "stream")
        heading = f"{_comparison.counted(len(learners), 'learner')} on {streams}"
    else:
        sheet = Page(learners)
        chart, parts = accuracy(result, sheet), sections(result, sheet, comparison)
        heading = f"Stream {result.stream}, {result.settings.get('protocol', '')}".rstrip(", ")
    planes = {"": regions} if isinstance(regions, Regions) else dict(regions or {})
    html = _html.document(
        heading if title is None else title,
        _comparison.summary(result, comparison),
        {
            "Summary": parts.pop("Summary"),
            "Decision regions over time": "".join(
                (f"<h3>{safe(name)}</h3>" if name else "") + regions_html(one, sheet.name())
                for name, one in planes.items()
            ),
            **parts,
            "Learners": _tables.parameter_table(result),
            "Settings": _tables.settings_table(result),
            "Versions": _tables.version_table(result),
            "Made by": _html.made_by(command, machine, "Machine"),
        },
        about=_comparison.subtitle(result),
        date=Date.today() if date is None else date,
        more=chart,
    )
    return _html.write_document(path, html)


class Page:
    """State shared by the sections of a page: learners, and limits on the amount of content.

    Parameters
    ----------
    learners : sequence of str
        All learners, which determine the colors.
    n_streams : int
        Number of results on the page.
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
        """Return a new element id."""
        self.n_names += 1
        return f"choice-{self.n_names}"


def _dots(results: Results, sheet: Page) -> str:
    """Return a dot chart of the accuracies of all learners on all streams."""
    values = {
        stream: {name: float(result.summary(name)["accuracy"]) for name in result.names}
        for stream, result in [*results.items()][:MOST_ROWS]
    }
    return _svg.dot_chart(
        values, sheet.learners, title="Accuracy on every stream", link="stream-",
        note="Each dot is a learner; the summary has the numbers.",
    )  # fmt: skip


def _of_streams(results: Results, comparison: Comparison, sheet: Page) -> dict[str, str]:
    """Return the sections of a page for several streams."""
    note = fill("accuracies")
    if not sheet.detailed:
        note += fill("reduced", shown="tables" + " and accuracies" * sheet.drawn)
    streams = f"{fill('fold')}<p>{safe(_tables.summary_note(next(iter(results.values()))))}</p>"
    for k, (name, result) in enumerate(results.items()):
        alone = compare(result)
        parts = sections(result, sheet, alone, name)
        text = f"{_comparison.subtitle(result)} {_comparison.summary(result, alone, name)}"
        below = "".join(f"<h4>{heading}</h4>{html}" for heading, html in parts.items() if html)
        chart = accuracy(result, sheet)
        streams += fill("stream", k=k, name=name, text=text, chart=chart, parts=below)
    return {
        "Summary": note + _tables.grid_table(results, comparison),
        "Significance": significance(comparison),
        "Streams": streams,
    }


def sections(
    result: AnyResult, sheet: Page, comparison: Comparison, stream: str | None = None
) -> dict[str, str]:
    """Return the sections of a result below its accuracy chart; sections may be empty.

    If the page has several results, `stream` is the name of this result.
    """
    name = result.stream if stream is None else stream
    note = f"<p>{safe(_tables.summary_note(result))}</p>" if stream is None else ""
    parts = {"Summary": note + _tables.summary_table(result, name)}
    if sheet.detailed:
        axis = axis_of(result)
        costs = (
            _chart(result, _curves.training_time, "Training, µs per row", sheet, axis, True)
            + _chart(result, _curves.prediction_time, "Prediction, µs per row", sheet, axis, True)
            + _chart(result, _curves.megabytes, "Memory, MB", sheet, axis)
        )
        parts |= {
            "Members and their weights": members(result, sheet, axis),
            "Classes: recall and confusions": _recalls_and_confusions(result, sheet, axis, name),
            "Ensemble size": _chart(result, _curves.score("members"), "Members", sheet, axis),
            "Time and memory": f'<div class="grid">{costs}</div>' if costs else "",
        }
    where = "" if stream is None else f" on the stream {stream}"
    return {**parts, "Significance": significance(comparison, where)}


def axis_of(result: AnyResult) -> Axis:
    """Return the common horizontal axis of the charts of a result."""
    return Axis(int(_curves.longest_rows(result)[-1]), result.drifts, concepts(result))


def accuracy(result: AnyResult, sheet: Page) -> str:
    """Return the chart of accuracy over the stream, with the switches of all charts."""
    found = _curves.curves(result, _curves.score("accuracy"), sheet.points, smooth=True)
    if not found.middle or not sheet.drawn:
        return ""
    bands = sheet.detailed and len(_curves.repetitions(result)) > 1
    note = found.note + "Bands: one standard deviation over the seeds. " * bands
    shown = None
    if len(found.middle) > _html.MOST_LINES:
        shown = [name for name in _best_first(result) if name in found.middle][:BEST]
        note += f"The best {BEST} are in color; the buttons show the others. "
    axis = axis_of(result)
    scale = _curves.scale_of(result, found)
    note += _comparison.drift_note(result.drifts)
    if scale is not None and len(scale) < len(found.middle):
        note += "Lines of baselines may leave the chart. "
    note += "Below: the concept in force. " * (len(axis.concepts.names) > 1)
    chart = _svg.line_chart(found, axis, sheet.learners, title="Accuracy", height=300, band=bands,
                            shown=shown, scaled_to=scale, note=note)  # fmt: skip
    return chart + _html.switches(list(found.middle), sheet.learners, shown, bands)


def _best_first(result: AnyResult) -> list[str]:
    """Return the learners sorted by accuracy; learners without accuracy are last."""
    scores = {name: result.summary(name)["accuracy"] for name in result.names}
    return sorted(scores, key=lambda name: -np.nan_to_num(scores[name], nan=-1.0))


def members(result: AnyResult, sheet: Page, axis: Axis) -> str:
    """Return the member lifelines of each learner."""
    most = MOST_LIFE_BYTES // max(sheet.n_curves, 1)
    parts = {name: lifelines(result, name, axis, most) for name in _best_first(result)
             if name in result.histories and len(result.histories[name].ids)}  # fmt: skip
    return _html.selected(sheet.name(), "Learner", parts) if parts else ""


def _recalls_and_confusions(result: AnyResult, sheet: Page, axis: Axis, stream: str) -> str:
    """Return class recalls over the stream and confusion matrices of each learner."""
    parts = {}
    for name in _best_first(result):
        counts = _classes.Counts(result, name, MOST_COUNTS // sheet.n_curves)
        table = _classes.confusions(counts, name, stream, sheet.name())
        parts[name] = _classes.recall_map(counts, name, axis) + table
    return _classes.scale() + _html.selected(sheet.name(), "Learner", parts)


def _chart(
    result: AnyResult, of: _curves.ChunkValues, title: str, sheet: Page, axis: Axis,
    times: bool = False,
) -> str:  # fmt: skip
    """Return a small chart; time charts are smoothed and have a logarithmic axis."""
    found = _curves.curves(result, of, sheet.few_points, smooth=times)
    if not found.middle:
        return ""
    return _svg.line_chart(found, axis, sheet.learners, title=title, log=times, note=found.note,
                           scaled_to=_curves.scale_of(result, found))  # fmt: skip


def significance(comparison: Comparison, where: str = "") -> str:
    """Return the win-tie-loss table and the critical-difference diagram."""
    table = _tables.count_table(comparison, where)
    if not table:
        return ""
    over = {"streams": "stream", "seeds": "seed", "stream": "repetition"}[comparison.kind]
    n, kind = len(comparison.blocks), comparison.kind
    html = fill("rank-sum", over=over, n=n) + table
    if comparison.ranking is not None:
        diagram = critical_difference_svg(comparison.ranks, comparison.ranking.gap)
        html += fill("mean-ranks", where=where, diagram=diagram, n=n, kind=kind)
    return html
