"""Small pieces of HTML: headings, tables that can be sorted, choices, switches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from driftlearn._types import Ints
from driftlearn.report._style import looks

BEST = '<span class="star" aria-hidden="true">★</span><span class="unseen"> (best)</span>'
MOST_BANDS = 7
STROKES = {"solid": "", "dashed": "5 3", "dotted": "1.5 2.5", "dashdot": "6 2 1.5 2"}


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
    foot: Iterable[Sequence[str | Cell]] = (),
    sortable: bool = True,
) -> str:
    """Return a table in a box of its own that scrolls where the screen is too narrow.

    The first column names the rows. A header is a button that sorts; rows of the foot stay.
    """
    body = "".join(f"<tr>{_row(row)}</tr>" for row in rows)
    below = "".join(f"<tr>{_row(row)}</tr>" for row in foot)
    titles = ""
    for title in head:
        text = f'<button type="button">{escape(title)}</button>' if sortable else escape(title)
        titles += f'<th scope="col"{" aria-sort=none" if sortable else ""}>{text}</th>'
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f"<table{' class=sortable' if sortable else ''}>"
        f'<caption class="unseen">{escape(caption)}</caption>'
        f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody>"
        f"{f'<tfoot>{below}</tfoot>' if below else ''}</table></div>"
    )


def _row(row: Sequence[str | Cell]) -> str:
    cells = [cell if isinstance(cell, Cell) else Cell(cell) for cell in row]
    html = f'<th scope="row">{escape(cells[0].text)}</th>'
    for cell in cells[1:]:
        text = escape(cell.text)
        text = f"<strong>{text}{BEST}</strong>" if cell.best else text
        key = "" if cell.key is None else f' data-key="{cell.key:.10g}"'
        html += f"<td{key}>{text}</td>"
    return html


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
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f'<table class="confusion"><caption class="unseen">{escape(caption)}</caption>'
        f'<thead><tr><th scope="col">true \\ predicted</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def choice(ident: str, label: str, options: Sequence[str], **data: str) -> str:
    """Return a select with the names as options, their positions as values."""
    items = "".join(
        f'<option value="{i}">{escape(name)}</option>' for i, name in enumerate(options)
    )
    kept = "".join(f' data-{key}="{escape(value)}"' for key, value in data.items())
    return (
        f'<p class="choice"><label for="{ident}">{escape(label)}</label> '
        f'<select id="{ident}"{kept}>{items}</select></p>'
    )


def panels(ident: str, parts: Sequence[str]) -> str:
    """Return parts of which the select called `ident` shows one, at first the first."""
    return "".join(
        f'<div data-panel="{ident}" data-value="{i}"{" hidden" if i else ""}>{part}</div>'
        for i, part in enumerate(parts)
    )


def switches(shown: Sequence[str], everyone: Sequence[str], bands: bool) -> str:
    """Return a button a learner, with its colour and dash, that switches its curves.

    Where there are bands, another one switches those; at first they are off if they are many.
    """
    buttons = ""
    for name in shown:
        colour, dash = looks(everyone)[name]
        line = (
            '<svg class="swatch" width="26" height="8" aria-hidden="true">'
            f'<line x1="0" y1="4" x2="26" y2="4" stroke="{colour}" stroke-width="2.5" '
            f'stroke-dasharray="{STROKES[dash]}"/></svg>'
        )
        buttons += (
            f'<button type="button" aria-pressed="true" data-learner="{everyone.index(name)}">'
            f"{line}{escape(name)}</button>"
        )
    if bands:
        pressed = "true" if len(shown) <= MOST_BANDS else "false"
        buttons += f'<button type="button" aria-pressed="{pressed}" data-bands>bands</button>'
    return (
        '<div class="switches" role="group" aria-label="Curves shown">'
        f'{buttons}<button type="button" data-all="true">all</button>'
        '<button type="button" data-all="false">none</button></div>'
    )
