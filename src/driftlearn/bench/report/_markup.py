"""Small pieces of HTML: headings, tables that can be sorted, choices, switches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from driftlearn.bench.report._plot import MOST_LINES, SWATCH, looks_of
from driftlearn.utils.safe_text import printable
from driftlearn.utils.table import Table
from driftlearn.utils.typing import Ints

BEST = '<span class="star" aria-hidden="true">★</span><span class="unseen"> (best)</span>'


class Cell(NamedTuple):
    """A cell of a table: what it shows, the number it is sorted by, whether it is the best."""

    text: str
    key: float | None = None
    best: bool = False


def number(value: float, decimals: int = 4, best: bool = False, off: float = np.nan) -> Cell:
    """Return a number, and how far it varies, as a cell; a dash where there is none.

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
    """Return a table in a box of its own that scrolls where the screen is too narrow.

    The first column names the rows. A header is a button that sorts; `by` is the column that the
    rows are sorted by at first, the highest first; `kind` is for the style sheet.
    """
    ordered = list(rows)
    if by is not None:
        place = list(head).index(by)
        ordered.sort(key=lambda row: -_key(row[place]))
    sides = [
        ' class="n"' if any(_key(row[k]) > -np.inf for row in ordered) else ""
        for k in range(len(head))
    ]
    body = "".join(f"<tr>{_row(row, sides)}</tr>" for row in ordered)
    titles = ""
    for title, side in zip(head, sides):
        text = f'<button type="button">{escape(title)}</button>' if sortable else escape(title)
        order = f' aria-sort="{"descending" if title == by else "none"}"' if sortable else ""
        titles += f'<th scope="col"{side}{order}>{text}</th>'
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Table: {escape(caption)}">'
        f'<table class="{"sortable " * sortable}{kind}">'
        f'<caption class="unseen">{escape(caption)}</caption>'
        f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _key(cell: str | Cell) -> float:
    """Return what a cell is sorted by; without a number it comes last."""
    key = cell.key if isinstance(cell, Cell) else None
    return -np.inf if key is None else key


def _row(row: Sequence[str | Cell], sides: Sequence[str]) -> str:
    cells = [cell if isinstance(cell, Cell) else Cell(cell) for cell in row]
    name = escape(cells[0].text)
    html = f'<th scope="row" title="{name}">{name}</th>'
    for cell, side in zip(cells[1:], sides[1:]):
        text = escape(cell.text)
        text = f"<strong>{text}{BEST}</strong>" if cell.best else text
        key = side if cell.key is None else f' data-key="{cell.key:.10g}"'
        html += f"<td{key}>{text}</td>"
    return html


def of_table(content: Table, caption: str) -> str:
    """Return a table of values of any kind; the numbers of a column have the same decimals."""
    columns = [_column([_plain(value) for value in content[name]]) for name in content.columns]
    return table(content.columns, zip(*columns), caption=caption, kind="prose")


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and np.isnan(value) else value


def _column(values: list[Any]) -> list[Cell]:
    """Return a column as cells.

    Examples
    --------
    >>> [cell.text for cell in _column([73.8, 89.95, None])]
    ['73.80', '89.95', '–']
    """
    short = [f"{value:.4g}" for value in values if isinstance(value, float)]
    plain = not any("e" in text or "n" in text for text in short)
    form = f",.{max((len(text.partition('.')[2]) for text in short), default=0)}f"
    cells = []
    for value in values:
        if value is None:
            cells.append(Cell("–"))
        elif isinstance(value, bool) or not isinstance(value, int | float):
            text = ", ".join(map(str, value)) if isinstance(value, list) else value
            cells.append(Cell(printable(text)))
        else:
            whole = isinstance(value, int)
            text = f"{value:,}" if whole else format(value, form if plain else ",.4g")
            cells.append(Cell(text, float(value)))
    return cells


def pairs(values: Mapping[str, Any], caption: str) -> str:
    """Return names and values as a table of two columns."""
    rows = [(str(name), str(value)) for name, value in values.items()]
    return table(("name", "value"), rows, caption=caption, sortable=False)


def confusion(matrix: Ints, classes: Sequence[str], caption: str) -> str:
    """Return counts as a table, the share of each true class as a tint behind them."""
    share = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in classes)
    body = ""
    for name, counts, shares in zip(classes, matrix.tolist(), share.tolist()):
        cells = "".join(
            f'<td class="t{round(10 * part)}">{count:,}</td>' for count, part in zip(counts, shares)
        )
        body += f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>'
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Table: {escape(caption)}">'
        f'<table class="confusion"><caption class="unseen">{escape(caption)}</caption>'
        f'<thead><tr><th scope="col">true \\ predicted</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def choice(ident: str, label: str, options: Sequence[str]) -> str:
    """Return a select with the names as options, their positions as values; see `panels`."""
    items = "".join(
        f'<option value="{i}">{escape(name)}</option>' for i, name in enumerate(options)
    )
    return (
        f'<p class="choice"><label for="{ident}">{escape(label)}</label> '
        f'<select id="{ident}" data-panels>{items}</select></p>'
    )


def panels(ident: str, parts: Sequence[str]) -> str:
    """Return parts of which the select called `ident` shows one, at first the first."""
    return "".join(
        f'<div data-panel="{ident}" data-value="{i}"{" hidden" if i else ""}>{part}</div>'
        for i, part in enumerate(parts)
    )


def switches(
    names: Sequence[str], everyone: Sequence[str], shown: Sequence[str] | None, bands: bool
) -> str:
    """Return a button a learner, with its colour and dash, that switches its curves.

    Where there are bands, another one switches those; at first they are off if they are many.
    """
    buttons = ""
    for name in names:
        pressed = "true" if shown is None or name in shown else "false"
        buttons += (
            f'<button type="button" class="{looks_of(everyone, name)}" aria-pressed="{pressed}" '
            f'data-learner="{everyone.index(name)}" title="{escape(name)}">{SWATCH}'
            f"<span>{escape(name)}</span></button>"
        )
    if bands:
        pressed = "true" if len(names) <= MOST_LINES else "false"
        buttons += f'<button type="button" aria-pressed="{pressed}" data-bands>bands</button>'
    return (
        '<div class="switches" role="group" aria-label="Curves shown">'
        f'{buttons}<button type="button" data-all="true">all</button>'
        '<button type="button" data-all="false">none</button></div>'
    )
