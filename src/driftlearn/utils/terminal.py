"""Terminal output with rich, which prints strings as data and never as markup."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.text import Text

from driftlearn.utils.safe_text import printable

if TYPE_CHECKING:
    from rich.progress import Progress


class Screen(Console):
    """Console that prints strings literally; only the result of `styled` has a style."""

    def __init__(self, **options: Any):
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Escape control characters in every string that rich renders."""
        return super().render_str(printable(text, lines=True), **options)


def styled(text: object, style: str = "") -> Text:
    """Return data as a single line of styled text."""
    return Text(printable(text), style=style)


def bars(screen: Screen, state: Callable[[], str], transient: bool = True) -> Progress:
    """Return progress bars below a line of text with the overall progress.

    A bar takes two fifths of the width, its name three fifths; longer names are truncated.
    """
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.table import Column

    class Bars(Progress):
        def get_renderables(self) -> Iterable[RenderableType]:
            yield Text(printable(state(), lines=True))
            yield self.make_tasks_table(self.tasks)

    name = Column(no_wrap=True, overflow="ellipsis", ratio=3)
    return Bars(
        TextColumn("{task.description}", markup=False, table_column=name),
        BarColumn(bar_width=None, table_column=Column(ratio=2)),
        TaskProgressColumn(show_speed=False),
        console=screen,
        transient=transient,
        expand=True,
    )
