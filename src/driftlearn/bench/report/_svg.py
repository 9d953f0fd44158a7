"""Pieces of small pictures as SVG, in the colours of the page around them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from driftlearn.utils.safe_text import printable


def picture(width: float, height: float, alt: str, shapes: Sequence[str]) -> str:
    """Return shapes as a picture; `alt` says what it shows to whoever cannot see it."""
    return (
        f'<svg class="small" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{escape(printable(alt))}">{"".join(shapes)}</svg>'
    )


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "") -> str:
    """Return a line; `kind` is for the style sheet."""
    style = f' class="{kind}"' if kind else ""
    return f'<line{style} x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>'


def text(x: float, y: float, said: str, anchor: str = "middle") -> str:
    """Return words that begin, end or have their middle at a place."""
    said = escape(printable(said))
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{said}</text>'


def shortened(name: str, most: int = 20) -> str:
    """Return a name of at most so many characters.

    Examples
    --------
    >>> shortened("adaptive random forest", 12)
    'adaptive ra…'
    """
    return name if len(name) <= most else name[: most - 1] + "…"
