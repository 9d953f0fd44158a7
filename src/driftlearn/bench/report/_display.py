"""A figure that can be looked at, restyled and saved, as scikit-learn's displays can."""

from __future__ import annotations

from inspect import signature
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftlearn.bench.report._figures import KINDS, accuracy, draw
from driftlearn.bench.report._style import saved, styled
from driftlearn.evaluate._repeat import AnyResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from typing_extensions import Self


class FigureDisplay:
    """A figure that a notebook shows.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.

    Attributes
    ----------
    figure_ : matplotlib.figure.Figure
        The same.
    """

    _own = True  # and not in a figure of the user's

    def __init__(self, figure: Figure):
        self.figure_ = figure

    def save(self, path: str | Path) -> None:
        """Save the figure, at one stroke; the ending of the name says in which format."""
        styled(saved)(self.figure_, path)

    def _repr_png_(self) -> tuple[bytes, dict[str, float]] | None:
        """Return the picture for a notebook, which shows a figure of the user's own by itself."""
        if not self._own:
            return None
        content = BytesIO()
        dpi = 2 * self.figure_.dpi  # as many dots as good screens have
        self.figure_.savefig(content, format="png", dpi=dpi)
        width, height = self.figure_.get_size_inches() * self.figure_.dpi
        return content.getvalue(), {"width": float(width), "height": float(height)}


class ResultDisplay(FigureDisplay):
    """A figure of a result.

    A notebook shows it; `matplotlib.pyplot` is neither needed nor imported.

    Parameters
    ----------
    result : Result or RepeatedResult
        What to draw.
    kind : {"accuracy", "recall", "weights", "size", "overview"}
        Which figure.
    **options
        Handed on to the function of that name in `driftlearn.bench.report`.

    Attributes
    ----------
    figure_ : matplotlib.figure.Figure
        The figure.
    ax_ : matplotlib.axes.Axes
        Its axes; the first, where there are several.
    lines_ : list of matplotlib.lines.Line2D
        The curves of `ax_`, one a learner, labelled with its name.

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier
    >>> from driftlearn.evaluate import prequential
    >>> from driftlearn.streams import SEA
    >>> result = prequential({"bayes": GaussianNBClassifier()}, SEA(n_rows=500), 100)
    >>> display = result.plot()
    >>> display.lines_[0].set_linewidth(3)
    >>> display.ax_.set_title("mine").get_text()
    'mine'
    """

    def __init__(self, result: AnyResult, kind: str = "accuracy", **options: Any):
        self.result = result
        self.kind = kind
        self.options = options

    def plot(self, ax: Any = None, **style: Any) -> Self:
        """Draw it, again if it was drawn before.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure, if none is given.
        **style
            Properties of all curves, as ``linewidth=3``.

        Returns
        -------
        ResultDisplay
            This one.
        """
        options = self.options if ax is None else {**self.options, "ax": ax}
        if ax is not None and "ax" not in signature(KINDS.get(self.kind, accuracy)).parameters:
            raise ValueError(f"the figure {self.kind!r} has axes of its own and takes no ax")
        before = [] if ax is None else [*ax.lines]
        self.figure_ = draw(self.result, kind=self.kind, **options)
        self.ax_ = self.figure_.axes[0] if ax is None else ax
        new = [line for line in self.ax_.lines if line not in before]
        self.lines_: list[Line2D] = [
            line for line in new if not str(line.get_label()).startswith("_child")
        ]
        self._own = ax is None
        if self._own:  # where `ax_.set_title` puts one, so that it takes the place of ours
            title = self.ax_.get_title(loc="left")
            self.ax_.set_title("", loc="left")
            self.ax_.set_title(title)
        for line in self.lines_:
            line.set(**style)
        return self
