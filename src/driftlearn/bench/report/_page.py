"""The page of a result: one file that needs no network."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date as Date
from html import escape
from pathlib import Path

from driftlearn.bench.report import _sections, _tables, _words
from driftlearn.bench.report._compare import Comparison, compare
from driftlearn.bench.report._curves import learners_of
from driftlearn.bench.report._document import document, made_by, write_document
from driftlearn.bench.report._dots import dots
from driftlearn.bench.report._markup import pairs
from driftlearn.bench.report._regions import Regions
from driftlearn.bench.report._sections import Page, Section
from driftlearn.evaluate._repeat import AnyResult, Results


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

    It says in words who is best and whether that is more than luck, and shows accuracy over the
    stream, the summary with the best of each metric marked, the lives of members, the recall of
    every class, confusions, ensemble sizes, times and memory, and tests of significance; then
    parameters, settings and versions.

    Parameters
    ----------
    result : Result, RepeatedResult, or mapping of str to either
        What to show; of a mapping, say from stream to result, all beside each other and then each
        by itself.
    path : str or Path
        Where to write it.
    title : str, optional
        The heading; by default stream and protocol.
    command : str, optional
        The command that makes the page again.
    date : str or datetime.date, optional
        The date on the page; by default today.
    machine : mapping of str to str, optional
        What the runs were made on, say ``{"processor": "..."}``.
    regions : Regions, or mapping of str to Regions, optional
        Of a stream with two features, what the learners say of the plane, as
        `driftlearn.bench.report.regions` notes it; by stream where there are several.

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
            raise ValueError("there is no result to show: the mapping is empty")
    comparison = compare(result)
    sheet = Page(learners_of(result), len(result) if isinstance(result, Mapping) else 1)
    if isinstance(result, Mapping):
        picture, parts = dots(result, sheet.learners), _of_grid(result, comparison, sheet)
    else:
        picture = _sections.accuracy(result, sheet).html
        parts = [_sections.summary(result), *_sections.sections(result, sheet, result.stream)]
        parts.append(_sections.significance(comparison))
    planes = {"": regions} if isinstance(regions, Regions) else dict(regions or {})
    parts.insert(1, _sections.planes(planes, sheet))
    parts += [*_about(result), Section("Made by", made_by(command, machine, "Machine"))]
    html = document(
        _title(result) if title is None else title,
        _words.summary(result, comparison),
        dict(parts),
        about=_words.subtitle(result),
        date=Date.today() if date is None else date,
        more=picture,
    )
    return write_document(path, html)


def _title(result: AnyResult | Results) -> str:
    if isinstance(result, Mapping):
        learners = _words.counted(len(learners_of(result)), "learner")
        return f"{learners} on {_words.counted(len(result), 'stream')}"
    return f"Stream {result.stream}, {result.settings.get('protocol', '')}".removesuffix(", ")


def _of_grid(results: Results, comparison: Comparison, sheet: Page) -> list[Section]:
    note = (
        "<p>★ marks the best of a column. Accuracy: mean over chunks and seeds ± standard "
        "deviation over the seeds where there are several.</p>"
    )
    if not sheet.detailed:
        kept = "its tables and its accuracies" if sheet.drawn else "its tables"
        note += (
            f"<p>To stay small, this page shows of each stream {kept}; the page of a single stream "
            "shows the rest.</p>"
        )
    streams = f"<p>{escape(_tables.summary_note(next(iter(results.values()))))}</p>"
    for k, (name, result) in enumerate(results.items()):
        alone = compare(result)
        inner = [Section("Summary", _tables.summary_table(result, name))]
        inner += [*_sections.sections(result, sheet, name), _sections.significance(alone, name)]
        said = f"{_words.subtitle(result)} {_words.summary(result, alone, name)}"
        streams += (
            f'<details open id="stream-{k}"><summary><h3>{escape(name)}</h3></summary>'
            f"<p>{escape(said)}</p>"
            + _sections.accuracy(result, sheet).html
            + "".join(f"<h4>{part.heading}</h4>{part.html}" for part in inner if part.html)
            + "</details>"
        )
    fold = (
        '<p class="fold"><button type="button" data-fold="false">Fold all</button> '
        '<button type="button" data-fold="true">Unfold all</button></p>'
    )
    return [
        Section("Summary", note + _tables.grid_table(results, comparison)),
        _sections.significance(comparison),
        Section("Streams", fold + streams),
    ]


def _about(result: AnyResult | Results) -> list[Section]:
    return [
        Section("Learners", _tables.parameter_table(result)),
        Section("Settings", _tables.settings_table(result)),
        Section("Versions", pairs(_tables.versions(result), "Versions of the libraries")),
    ]
