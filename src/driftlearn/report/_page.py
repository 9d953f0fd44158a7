"""The page of a result: one file that needs no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date as Date
from html import escape
from importlib.resources import files
from pathlib import Path

from driftlearn._needed import needed
from driftlearn.evaluate._repeat import AnyResult, Results
from driftlearn.persist import atomic_write
from driftlearn.report import _sections, _tables, _words
from driftlearn.report._compare import Comparison, compare
from driftlearn.report._curves import learners_of
from driftlearn.report._markup import pairs
from driftlearn.report._sections import Page, Section

#: The page may run and show what it holds, and load nothing from anywhere.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
)


def page(
    result: AnyResult | Results,
    path: str | Path,
    *,
    title: str | None = None,
    command: str | None = None,
    date: str | Date | None = None,
    machine: Mapping[str, str] | None = None,
) -> Path:
    """Write a result as one self-contained HTML page that opens offline.

    It says in words who is best and whether that is more than luck, and shows the summary with the
    best of each metric marked, tests of significance, and, over the stream, accuracy, the recall of
    every class, member weights, ensemble sizes, times and memory; then parameters, settings and
    versions.

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
    resources = needed("bokeh.resources")
    if isinstance(result, Mapping):
        result = {str(name): one for name, one in result.items()}
        if not result:
            raise ValueError("there is no result to show: the mapping is empty")
    comparison = compare(result)
    title = _title(result) if title is None else title
    date = Date.today() if date is None else date
    sheet = Page(learners_of(result), len(result) if isinstance(result, Mapping) else 1)
    parts = _of_grid(result, comparison, sheet) if isinstance(result, Mapping) else (
        _of_one(result, comparison, sheet)
    )  # fmt: skip
    library = resources.Resources(mode="inline", components=["bokeh"]).render_js()
    data = "\n".join(f'<script type="application/json">{chart}</script>' for chart in sheet.charts)
    head = _head(title, _words.subtitle(result), _words.summary(result, comparison), str(date))
    html = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_asset('page.css')}</style>\n{library}\n"
        '</head>\n<body>\n<a class="skip" href="#main">Skip to the results</a>\n'
        f"<header>\n{head}{_made(command, machine)}</header>\n{_contents(parts)}\n"
        f'<main id="main" tabindex="-1">\n{_body(parts)}\n</main>\n{data}\n'
        f"<script>\n{_asset('page.js')}</script>\n</body>\n</html>\n"
    )
    path = Path(path)
    atomic_write(path, html.encode("utf-8", "backslashreplace"))
    return path


def _asset(name: str) -> str:
    return files("driftlearn.report").joinpath(name).read_text("utf-8")


def _title(result: AnyResult | Results) -> str:
    if isinstance(result, Mapping):
        learners = _words.counted(len(learners_of(result)), "learner")
        return f"{learners} on {_words.listed(list(result))}"
    return f"{result.stream}, {result.settings.get('protocol', '')}".removesuffix(", ")


def _head(title: str, subtitle: str, summary: str, date: str) -> str:
    return (
        f"<h1>{escape(title)}</h1>\n"
        f'<p class="soft">{escape(subtitle)} <time>{escape(date)}</time></p>\n'
        f'<p class="lead">{escape(summary)}</p>\n'
    )


def _made(command: str | None, machine: Mapping[str, str] | None) -> str:
    """Return how and on what the results were made."""
    html = ""
    if command is not None:
        html += f"<p>Made by</p>\n<pre tabindex=0><code>{escape(command)}</code></pre>\n"
    if machine:
        items = "".join(
            f"<div><dt>{escape(str(name))}</dt><dd>{escape(str(value))}</dd></div>"
            for name, value in machine.items()
        )
        html += f'<dl class="machine" aria-label="Machine">{items}</dl>\n'
    return html


def _of_one(result: AnyResult, comparison: Comparison, sheet: Page) -> list[Section]:
    parts = [_sections.summary(result), _sections.significance(comparison)]
    return [*parts, *_sections.sections(result, sheet), *_about(result)]


def _of_grid(results: Results, comparison: Comparison, sheet: Page) -> list[Section]:
    note = (
        "<p>★ marks the best of a column. Accuracy: mean over chunks and seeds ± standard "
        "deviation over the seeds where there are several. Click a heading to sort.</p>"
    )
    if not sheet.detailed:
        kept = "its tables and its accuracies" if sheet.drawn else "its tables"
        note += (
            f"<p>To stay small, this page shows of each stream {kept}; the page of a single stream "
            "shows the rest.</p>"
        )
    streams = f"<p>{escape(_tables.summary_note(next(iter(results.values()))))}</p>"
    for name, result in results.items():
        alone = compare(result)
        table = Section("Summary", _tables.summary_table(result))
        inner = [table, _sections.significance(alone)]
        inner += _sections.sections(result, sheet)
        said = f"{_words.subtitle(result)} {_words.summary(result, alone, name)}"
        streams += (
            f"<details open><summary><h3>{escape(name)}</h3></summary><p>{escape(said)}</p>"
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
        *_about(results),
    ]


def _about(result: AnyResult | Results) -> list[Section]:
    return [
        Section("Learners", _tables.parameter_table(result)),
        Section("Settings", _tables.settings_table(result)),
        Section("Versions", pairs(_tables.versions(result), "Versions of the libraries")),
    ]


def _shown(parts: Sequence[Section]) -> list[tuple[str, Section]]:
    return [(part.heading.lower().replace(" ", "-"), part) for part in parts if part.html]


def _contents(parts: Sequence[Section]) -> str:
    links = "".join(f'<a href="#{ident}">{part.heading}</a>' for ident, part in _shown(parts))
    return f'<nav aria-label="Contents">{links}</nav>'


def _body(parts: Sequence[Section]) -> str:
    return "\n".join(
        f'<section aria-labelledby="{ident}"><h2 id="{ident}">{part.heading}</h2>\n{part.html}\n'
        "</section>"
        for ident, part in _shown(parts)
    )
