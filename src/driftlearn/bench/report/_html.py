"""HTML components of pages: document frame, sortable tables, selects and switches.

A page is a single printable file without network access, which follows the light or dark mode of
the system.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

import numpy as np

from driftlearn.bench.report._style import color_and_dash, color_css
from driftlearn.utils.atomic_files import atomic_write
from driftlearn.utils.safe_text import printable
from driftlearn.utils.table import Table

BEST = '<span class="star" aria-hidden="true">★</span><span class="unseen"> (best)</span>'
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
MOST_LINES = 8  # with more learners, only the best ones are colored at first
SWATCH = (
    '<svg class="swatch" width="26" height="8" aria-hidden="true">'
    '<path class="curve" d="M1,4h24"/></svg>'
)


def safe(text: object) -> str:
    """Return text escaped for HTML, with control characters made visible."""
    return escape(printable(text))


class _Formatter(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        return safe(value) if format_spec == "text" else format(value, format_spec)


@cache
def _parts() -> dict[str, str]:
    """Return the templates in `parts.html` by name, without line breaks and indentation."""
    _, *parts = re.split(r"<!-- ([\w-]+) -->\n", _file("parts.html"))
    return {name: "".join(map(str.strip, part.splitlines()))
            for name, part in zip(parts[::2], parts[1::2])}  # fmt: skip


def fill(part: str, /, **values: Any) -> str:
    """Return a template of `parts.html` filled with values; fields marked as text are escaped.

    Examples
    --------
    >>> fill("panel", ident="choice-1", k=0, hidden="", part="<b>x</b>")
    '<div data-panel="choice-1" data-value="0"><b>x</b></div>'
    """
    return _Formatter().vformat(_parts()[part], (), values)


def document(
    title: str,
    lead: str,
    sections: Mapping[str, str],
    *,
    about: str = "",
    date: object = "",
    more: str = "",
) -> str:
    """Return a page as HTML.

    Parameters
    ----------
    title : str
        The heading.
    lead : str
        The summary, in a few sentences.
    sections : mapping of str to str
        The sections as HTML by heading; empty sections are omitted.
    about : str
        The line between heading and summary.
    date : str or date
        The date of the page, at the end of the `about` line.
    more : str
        HTML above the table of contents, such as a chart.
    """
    shown = {}
    for heading in filter(sections.get, sections):
        words = "".join(c if c.isalnum() else " " for c in heading.lower()).split()
        shown["-".join(words)] = heading
    below = safe(about) + (f" <time>{safe(date)}</time>" if date else "")
    body = fill(
        "document",
        title=title,
        about=f'<p class="soft">{below}</p>\n' if below else "",
        lead=lead,
        more=more,
        links="".join(f'<a href="#{key}">{safe(heading)}</a>' for key, heading in shown.items()),
        sections="\n".join(
            f'<section aria-labelledby="{key}"><h2 id="{key}">{safe(heading)}</h2>\n'
            f"{sections[heading]}\n</section>"
            for key, heading in shown.items()
        ),
    )
    return framed(title, body)


def framed(title: str, body: str, *, is_live: bool = False) -> str:
    """Return a page with this body; a live page requests updates from the server it comes from."""
    style, script = (_file(f"page.{suffix}") for suffix in ("css", "js"))
    return _file("page.html").format(
        policy=f"{POLICY}; connect-src 'self'" if is_live else POLICY,
        title=safe(title),
        style=color_css() + style,
        body=body,
        script=script + _file("live.js") if is_live else script,
    )


def _file(name: str) -> str:
    return files("driftlearn.bench.report").joinpath(name).read_text("utf-8")


def write_document(path: str | Path, html: str) -> Path:
    """Write a page atomically and return its path."""
    # Names may contain lone surrogates, as undecodable file names do; UTF-8 cannot encode them.
    atomic_write(path, html.encode("utf-8", "backslashreplace"))
    return Path(path)


def made_by(command: str | None, facts: Mapping[str, str] | None, caption: str) -> str:
    """Return the section on the command and the machine that produced the page."""
    shown = "" if command is None else f"<pre tabindex=0><code>{escape(command)}</code></pre>\n"
    return shown + (pairs(facts, caption) if facts else "")


class Cell(NamedTuple):
    """Table cell with text, sort key and mark for the best value."""

    text: str
    key: float | None = None
    best: bool = False


def number(value: float, decimals: int = 4, best: bool = False, off: float = np.nan) -> Cell:
    """Return a cell with a number and its standard deviation; nan is shown as a dash.

    Examples
    --------
    >>> number(0.91234, off=0.02).text, number(float("nan")).text, number(12345.6, 0).text
    ('0.9123 ± 0.0200', '–', '12,346')
    """
    if np.isnan(value):
        return Cell("–")
    text = f"{value:,.{decimals}f}"
    return Cell(text if np.isnan(off) else f"{text} ± {off:.{decimals}f}", float(value), best)


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str | Cell]],
    *,
    caption: str,
    sortable: bool = True,
    by: str | None = None,
    kind: str = "",
) -> str:
    """Return a table in a box that scrolls on narrow screens.

    Parameters
    ----------
    head : sequence of str
        The headings. The first column contains the row names.
    rows : iterable of sequence of str or Cell
        The rows.
    caption : str
        The description for screen readers.
    sortable : bool
        Whether the headings are buttons that sort the table.
    by : str, optional
        Initial sort column, in descending order.
    kind : str
        CSS class of the table.
    """
    cells = [[Cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    if by is not None:
        place = list(head).index(by)
        # None becomes nan and is sorted last
        keys = np.array([row[place].key for row in cells], dtype=float)
        cells = [cells[k] for k in np.argsort(-keys, kind="stable")]
    sides = [' class="n"' if any(row[k].key is not None for row in cells) else ""
             for k in range(len(head))]  # fmt: skip
    titles = ""
    for title, side in zip(head, sides):
        text = f'<button type="button">{safe(title)}</button>' if sortable else safe(title)
        order = f' aria-sort="{"descending" if title == by else "none"}"' if sortable else ""
        titles += f'<th scope="col"{side}{order}>{text}</th>'
    body = ""
    for first, *others in cells:
        name = safe(first.text)
        body += f'<tr><th scope="row" title="{name}">{name}</th>'
        for cell, side in zip(others, sides[1:]):
            text = f"<strong>{safe(cell.text)}{BEST}</strong>" if cell.best else safe(cell.text)
            key = side if cell.key is None else f' data-key="{cell.key:.10g}"'
            body += f"<td{key}>{text}</td>"
        body += "</tr>"
    kind = f"{'sortable ' * sortable}{kind}"
    return fill("table", head=titles, body=body, caption=caption, kind=kind)


def of_table(content: Table, caption: str) -> str:
    """Return a table of arbitrary values, with the same number of decimals within a column."""
    columns = [_column(content[name].tolist()) for name in content.columns]
    return table(content.columns, zip(*columns), caption=caption, kind="prose")


def _column(values: list[Any]) -> list[Cell]:
    """Return the cells of a column.

    Examples
    --------
    >>> [cell.text for cell in _column([73.8, 89.95, None])]
    ['73.80', '89.95', '–']
    """
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    short = [f"{value:.4g}" for value in values if isinstance(value, float) and value == value]
    form = f",.{max((len(text.partition('.')[2]) for text in short), default=0)}f"
    if any("e" in text or "n" in text for text in short):  # exponents, inf or nan
        form = ",.4g"
    cells = []
    for value in values:
        if value is None or value != value:
            cells.append(Cell("–"))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            text = f"{value:,}" if isinstance(value, int) else format(value, form)
            cells.append(Cell(text, float(value)))
        else:
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            cells.append(Cell(text))
    return cells


def pairs(values: Mapping[str, Any], caption: str) -> str:
    """Return names and values as a two-column table."""
    rows = [(str(name), str(value)) for name, value in values.items()]
    return table(("name", "value"), rows, caption=caption, sortable=False)


def css_class(names: Sequence[str], name: str) -> str:
    """Return the CSS classes for the color and dash of a name."""
    color, dash = color_and_dash(names)[name]
    return f"c{color} d{dash}"


def legend(names: Sequence[str], mark: str = SWATCH) -> str:
    """Return a legend with a colored mark for each name."""
    items = "".join(
        f'<li class="{css_class(names, name)}">{mark}<span>{safe(name)}</span></li>'
        for name in names
    )
    return f'<ul class="legend">{items}</ul>'


def selected(ident: str, label: str, parts: Mapping[str, str]) -> str:
    """Return a select element, with the selected part below it."""
    options = "".join(f'<option value="{k}">{safe(name)}</option>' for k, name in enumerate(parts))
    panels = "".join(fill("panel", ident=ident, k=k, hidden=" hidden" * (k > 0), part=part)
                     for k, part in enumerate(parts.values()))  # fmt: skip
    return fill("select", ident=ident, label=label, options=options, panels=panels)


def switches(
    names: Sequence[str], learners: Sequence[str], shown: Sequence[str] | None, bands: bool
) -> str:
    """Return one button per learner that toggles its curves, and optionally one for bands.

    With many learners, the bands are initially hidden.
    """
    buttons = ""
    for name in names:
        pressed = "true" if shown is None or name in shown else "false"
        buttons += fill("switch", look=css_class(learners, name), pressed=pressed, swatch=SWATCH,
                        k=learners.index(name), name=name)  # fmt: skip
    if bands:
        pressed = "true" if len(names) <= MOST_LINES else "false"
        buttons += f'<button type="button" aria-pressed="{pressed}" data-bands>bands</button>'
    return fill("switches", buttons=buttons)
