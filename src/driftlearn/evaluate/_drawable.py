"""How a result asks the layer above for pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Drawable:
    """A result that can be drawn; `driftlearn.report` is loaded when that is first asked for."""

    STATE: ClassVar[dict[str, Any]] = {}  # all of it is looked at where it is used

    def plot(
        self: Any, path: str | Path | None = None, kind: str = "accuracy", **options: Any
    ) -> Figure:
        """Draw a figure with matplotlib.

        Parameters
        ----------
        path : str or Path, optional
            Where to save it; the ending says in which format.
        kind : {"accuracy", "recall", "weights", "size", "overview"}
            What to draw; see `driftlearn.report`.
        **options
            Handed on to the function that draws.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from driftlearn import report

        return report.draw(self, path, kind, **options)

    def report(self: Any, path: str | Path, **options: Any) -> Path:
        """Write a self-contained HTML page; see `driftlearn.report.page`."""
        from driftlearn import report

        return report.page(self, path, **options)
