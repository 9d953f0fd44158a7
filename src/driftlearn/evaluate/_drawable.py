"""How a result shows itself, and how it asks the layer above for pictures."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from driftlearn.evaluate import metrics
from driftlearn.evaluate._baselines import not_beating
from driftlearn.utils.hooks import hook
from driftlearn.utils.safe_text import printable
from driftlearn.utils.sparkline import sparklines

if TYPE_CHECKING:
    from driftlearn.bench.report._figures import ResultDisplay


class Drawable:
    """A result that can be shown and drawn.

    `driftlearn.bench.report` is loaded when a picture is first asked for.
    """

    STATE: ClassVar[dict[str, Any]] = {}  # all of it is looked at where it is used

    def __repr__(self: Any) -> str:
        return "\n".join([printable(self.title), self.table().text(), *not_beating(self)])

    def _repr_html_(self: Any) -> str:
        """Return what a notebook shows: the summary, and the accuracy over time as small curves."""
        curves = [metrics.mean(np.atleast_2d(self.scores(n)), axis=0) for n in self.names]
        table = self.table().html({"accuracy over time": sparklines(curves)})
        said = "".join(f"<p>{escape(printable(each))}</p>" for each in not_beating(self))
        return f"<p><strong>{escape(printable(self.title))}</strong></p>{table}{said}"

    def plot(
        self: Any,
        path: str | Path | None = None,
        kind: str = "accuracy",
        *,
        ax: Any = None,
        **options: Any,
    ) -> ResultDisplay:
        """Draw a figure with matplotlib; in a notebook it is shown.

        Parameters
        ----------
        path : str or Path, optional
            Where to save it; the ending says in which format.
        kind : {"accuracy", "recall", "weights", "size", "overview"}
            What to draw; see `driftlearn.bench.report`.
        ax : matplotlib.axes.Axes, optional
            Where to draw "accuracy" or "size", rather than in a figure of its own.
        **options
            Handed on to the function that draws.

        Returns
        -------
        ResultDisplay
            The figure with its axes and lines, as scikit-learn's displays have them: `figure_`,
            `ax_`, `lines_`.
        """
        shown: ResultDisplay = hook("result_display")(self, kind, **options).plot(ax)
        if path is not None:
            shown.save(path)
        return shown

    def report(self: Any, path: str | Path, **options: Any) -> Path:
        """Write a self-contained HTML page; see `driftlearn.bench.report.page`."""
        written: Path = hook("result_page")(self, path, **options)
        return written
