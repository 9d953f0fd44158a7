"""Small pieces of HTML: tables that can be sorted, selects, switches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from driftlearn.bench.report._svg import MOST_LINES, SWATCH, css_class, safe
from driftlearn.utils.table import Table
from driftlearn.utils.typing import Ints

BEST = '<span class="star" aria-hidden="true">★</span><span class="unseen"> (best)</span>'


class Cell(NamedTuple):
    """A table cell: its text, the number it is sorted by, and whether it is the best."""

    text: str
    key: float | None = None
    best: bool = False


def number(value: float, decimals: int = 4, best: bool = False, off: float = np.nan) -> Cell:
    """Return a cell with a number and its standard deviation, or a dash for nan.

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
    """Return a table in a box that scrolls where the screen is too narrow.

    Parameters
    ----------
    head : sequence of str
        The headings. The first column names the rows.
    rows : iterable of sequence of str or Cell
        The rows.
    caption : str
        The description for screen readers.
    sortable : bool
        Whether headings are buttons that sort.
    by : str, optional
        The column that the rows are sorted by at first, in descending order.
    kind : str
        A class for the style sheet.
    """
    cells = [[Cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    if by is not None:
        place = list(head).index(by)
        keys = np.array([row[place].key for row in cells], dtype=float)  # None becomes nan: last
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
    return _scrolling(titles, body, caption, f"{'sortable ' * sortable}{kind}")


def _scrolling(head: str, body: str, caption: str, kind: str) -> str:
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Table: {safe(caption)}">'
        f'<table class="{kind}"><caption class="unseen">{safe(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def of_table(content: Table, caption: str) -> str:
    """Return a table of values of any kind; the numbers of a column have the same decimals."""
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
    if any("e" in text or "n" in text for text in short):  # 1e-9 or inf
        form = ",.4g"
    cells = []
    for value in values:
        if value is None or value != value:
            cells.append(Cell("–"))
        elif isinstance(value, bool) or not isinstance(value, int | float):
            cells.append(
                Cell(", ".join(map(str, value)) if isinstance(value, list) else str(value))
            )
        else:
            text = f"{value:,}" if isinstance(value, int) else format(value, form)
            cells.append(Cell(text, float(value)))
    return cells


def pairs(values: Mapping[str, Any], caption: str) -> str:
    """Return names and values as a table of two columns."""
    rows = [(str(name), str(value)) for name, value in values.items()]
    return table(("name", "value"), rows, caption=caption, sortable=False)


def confusion(matrix: Ints, classes: Sequence[str], caption: str) -> str:
    """Return a confusion matrix, shaded by the share of each true class."""
    share = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    head = "".join(f'<th scope="col">{safe(name)}</th>' for name in ["true \\ predicted", *classes])
    body = ""
    for name, counts, shares in zip(classes, matrix.tolist(), share.tolist()):
        cells = "".join(
            f'<td class="t{round(10 * part)}">{count:,}</td>' for count, part in zip(counts, shares)
        )
        body += f'<tr><th scope="row">{safe(name)}</th>{cells}</tr>'
    return _scrolling(head, body, caption, "confusion")


def selected(ident: str, label: str, parts: Mapping[str, str]) -> str:
    """Return a select, and below it the part with the selected name."""
    options = "".join(f'<option value="{k}">{safe(name)}</option>' for k, name in enumerate(parts))
    panels = "".join(
        f'<div data-panel="{ident}" data-value="{k}"{" hidden" if k else ""}>{part}</div>'
        for k, part in enumerate(parts.values())
    )
    return (
        f'<p class="choice"><label for="{ident}">{safe(label)}</label> '
        f'<select id="{ident}" data-panels>{options}</select></p>{panels}'
    )


def switches(
    names: Sequence[str], everyone: Sequence[str], shown: Sequence[str] | None, bands: bool
) -> str:
    """Return a button per learner that switches its curves, and one for bands if there are any.

    The bands of many learners are switched off at first.
    """
    buttons = "".join(
        f'<button type="button" class="{css_class(everyone, name)}" '
        f'aria-pressed="{"true" if shown is None or name in shown else "false"}" '
        f'data-learner="{everyone.index(name)}" title="{safe(name)}">{SWATCH}'
        f"<span>{safe(name)}</span></button>"
        for name in names
    )
    if bands:
        pressed = "true" if len(names) <= MOST_LINES else "false"
        buttons += f'<button type="button" aria-pressed="{pressed}" data-bands>bands</button>'
    return (
        '<div class="switches" role="group" aria-label="Curves shown">'
        f'{buttons}<button type="button" data-all="true">all</button>'
        '<button type="button" data-all="false">none</button></div>'
    )
