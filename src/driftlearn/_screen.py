"""The terminal, by rich: what is printed is data, never markup or escape sequences."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from driftlearn._safe_text import printable


class Screen(Console):
    """A console that shows every string as it is; `styled` is the one way to a style."""

    def __init__(self, **options: Any):
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a string as it will be printed, wherever in a renderable it stands."""
        return super().render_str(printable(text, lines=True), **options)


def styled(text: object, style: str = "") -> Text:
    """Return data as text in a style, on one line."""
    return Text(printable(text), style=style)
