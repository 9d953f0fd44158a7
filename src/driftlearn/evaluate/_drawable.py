"""Text, HTML and figures of results."""

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
    """Base class of results with text, HTML and figures.

    `driftlearn.bench.report` is imported when the first figure is drawn.
    """

    STATE: ClassVar[dict[str, Any]] = {}  # checked where it is used

    def __repr__(self: Any) -> str:
        return "\n".join([printable(self.title), self.table().text(), *not_beating(self)])

    def _repr_html_(self: Any) -> str:
        """Return HTML for notebooks: the summary, and small curves of the accuracy over time."""
        curves = [metrics.mean(np.atleast_2d(self.scores(n)), axis=0) for n in self.names]
        table = self.table().html({"accuracy over time": sparklines(curves)})
        notes = "".join(f"<p>{escape(printable(each))}</p>" for each in not_beating(self))
        return f"<p><strong>{escape(printable(self.title))}</strong></p>{table}{notes}"

    def plot(
        self: Any,
        path: str | Path | None = None,
        kind: str = "accuracy",
        *,
        ax: Any = None,
        **options: Any,
    ) -> ResultDisplay:
        """Draw a figure with matplotlib; notebooks display it.

        Parameters
        ----------
        path : str or Path, optional
            File to save it to; the suffix gives the format.
        kind : {"accuracy", "recall", "weights", "size", "overview"}
            Figure to draw; see `driftlearn.bench.report`.
        ax : matplotlib.axes.Axes, optional
            Axes for "accuracy" or "size", instead of a new figure.
        **options
            Passed to the drawing function.

        Returns
        -------
        ResultDisplay
            Display with `figure_`, `ax_` and `lines_`, as in scikit-learn.
        """
        shown: ResultDisplay = hook("result_display")(self, kind, **options).plot(ax)
        if path is not None:
            shown.save(path)
        return shown

    def report(self: Any, path: str | Path, **options: Any) -> Path:
        """Write a self-contained HTML page; see `driftlearn.bench.report.page`."""
        return hook("result_page")(self, path, **options)
