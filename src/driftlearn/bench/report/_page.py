"""The page of a result: one HTML file without network access."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date as Date
from pathlib import Path

from driftlearn.bench.report import _sections, _tables, _words
from driftlearn.bench.report._compare import Comparison, compare
from driftlearn.bench.report._curves import learners_of
from driftlearn.bench.report._document import document, made_by, write_document
from driftlearn.bench.report._regions import Regions
from driftlearn.bench.report._sections import Page
from driftlearn.bench.report._svg import dot_chart, safe
from driftlearn.evaluate._repeat import AnyResult, Results

MOST_ROWS = 40  # streams in the chart of accuracies


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

    The page begins with a summary in words: which learner is best, and whether the difference is
    significant. It shows accuracy over the stream, a table of metrics, the lifelines of members,
    the recall of every class, confusion matrices, ensemble sizes, times and memory, significance
    tests, parameters, settings and versions.

    Parameters
    ----------
    result : Result, RepeatedResult, or mapping of str to either
        What to show. Of a mapping, for example from stream to result, all results are compared
        first and then shown one by one.
    path : str or Path
        Where to write the page.
    title : str, optional
        The heading; by default stream and protocol.
    command : str, optional
        The command that reproduces the page.
    date : str or datetime.date, optional
        The date on the page; by default today.
    machine : mapping of str to str, optional
        A description of the machine, for example ``{"processor": "..."}``.
    regions : Regions, or mapping of str to Regions, optional
        The decision regions of the learners on a stream with two features, as returned by
        `driftlearn.bench.report.regions`; by stream if there are several.

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
            raise ValueError("'result' is an empty mapping; it must have at least one result")
    comparison = compare(result)
    sheet = Page(learners_of(result), len(result) if isinstance(result, Mapping) else 1)
    if isinstance(result, Mapping):
        chart, parts = _dots(result, sheet), _of_streams(result, comparison, sheet)
    else:
        chart = _sections.accuracy(result, sheet)
        parts = _sections.sections(result, sheet, comparison)
    planes = {"": regions} if isinstance(regions, Regions) else dict(regions or {})
    html = document(
        _title(result) if title is None else title,
        _words.summary(result, comparison),
        {
            "Summary": parts.pop("Summary"),
            "Decision regions over time": _sections.planes(planes, sheet),
            **parts,
            "Learners": _tables.parameter_table(result),
            "Settings": _tables.settings_table(result),
            "Versions": _tables.version_table(result),
            "Made by": made_by(command, machine, "Machine"),
        },
        about=_words.subtitle(result),
        date=Date.today() if date is None else date,
        more=chart,
    )
    return write_document(path, html)


def _title(result: AnyResult | Results) -> str:
    if isinstance(result, Mapping):
        learners = _words.counted(len(learners_of(result)), "learner")
        return f"{learners} on {_words.counted(len(result), 'stream')}"
    return f"Stream {result.stream}, {result.settings.get('protocol', '')}".removesuffix(", ")


def _dots(results: Results, sheet: Page) -> str:
    """Return the accuracies of all learners on all streams."""
    values = {
        stream: {name: float(result.summary(name)["accuracy"]) for name in result.names}
        for stream, result in [*results.items()][:MOST_ROWS]
    }
    return dot_chart(
        values, sheet.learners, title="Accuracy on every stream", link="stream-",
        note="Each dot is a learner; the summary has the numbers.",
    )  # fmt: skip


def _of_streams(results: Results, comparison: Comparison, sheet: Page) -> dict[str, str]:
    """Return the sections of a page of several streams."""
    note = (
        "<p>★ marks the best of a column. Accuracy: mean over chunks and seeds ± standard "
        "deviation over the seeds if there are several.</p>"
    )
    if not sheet.detailed:
        left = "its tables and its accuracies" if sheet.drawn else "its tables"
        note += (
            f"<p>To stay small, this page shows of each stream only {left}; the page of a single "
            "stream shows the rest.</p>"
        )
    streams = (
        '<p class="fold"><button type="button" data-fold="false">Fold all</button> '
        '<button type="button" data-fold="true">Unfold all</button></p>'
        f"<p>{safe(_tables.summary_note(next(iter(results.values()))))}</p>"
    )
    for k, (name, result) in enumerate(results.items()):
        alone = compare(result)
        parts = _sections.sections(result, sheet, alone, name)
        text = f"{_words.subtitle(result)} {_words.summary(result, alone, name)}"
        streams += (
            f'<details open id="stream-{k}"><summary><h3>{safe(name)}</h3></summary>'
            f"<p>{safe(text)}</p>"
            + _sections.accuracy(result, sheet)
            + "".join(f"<h4>{heading}</h4>{html}" for heading, html in parts.items() if html)
            + "</details>"
        )
    return {
        "Summary": note + _tables.grid_table(results, comparison),
        "Significance": _sections.significance(comparison),
        "Streams": streams,
    }
