"""Progress display of an evaluation."""

import sys
from html import escape
from time import perf_counter
from typing import Any, TextIO

from driftlearn.evaluate._run import Step
from driftlearn.utils.arguments import Self
from driftlearn.utils.safe_text import can_redraw, printable
from driftlearn.utils.sparkline import sparklines
from driftlearn.utils.table import Table

# seconds between updates in a notebook, where each update is a message to the browser
REDRAW_SECONDS = 0.5


class Progress:
    """Progress display: rows processed and the accuracy of each learner so far.

    On a terminal it is a bar, in a notebook a table with a curve per learner, and elsewhere (a log
    file, a CI job) a plain line every few seconds.

    Parameters
    ----------
    n_rows : int, optional
        Number of rows of the stream, if known.
    file : text file, optional
        Output; the default is standard error, or the cell of a notebook.
    interval : float
        Seconds between plain lines.

    Examples
    --------
    >>> with Progress(n_rows=1000) as show:
    ...     pass
    """

    def __init__(
        self, n_rows: int | None = None, file: TextIO | None = None, interval: float = 5.0
    ):
        self.n_rows = n_rows
        self.file = sys.stderr if file is None else file
        self.interval = interval
        self._curves: dict[str, Curve] = {}
        self._rows = 0
        self._bar: Any = None
        self._cell = notebook() if file is None else None
        self._started = self._shown = perf_counter()

    def __enter__(self) -> Self:
        if self._cell is not None:
            self._cell = self._cell.display(self._picture(), display_id=True)
        elif can_redraw(self.file):
            from driftlearn.utils.terminal import Screen, bars

            self._bar = bars(Screen(file=self.file), self._state, transient=False)
            self._bar.start()
            self._task = self._bar.add_task("rows", total=self.n_rows)
        return self

    def __exit__(self, *error: object) -> None:
        if self._cell is not None:
            self._cell.update(self._picture())
        elif self._bar is not None:
            self._bar.stop()
        elif self._rows:
            self._line()

    def __call__(self, step: Step) -> None:
        """Update the display with a step."""
        self._rows = step.stop
        curve = self._curves.setdefault(step.learner, Curve())
        curve.add(int(step.confusion.trace()), int(step.confusion.sum()))
        late = perf_counter() - self._shown
        if self._cell is not None:
            if late >= REDRAW_SECONDS:
                self._shown = perf_counter()
                self._cell.update(self._picture())
        elif self._bar is not None:
            self._bar.update(self._task, completed=self._rows)
        elif late >= self.interval:
            self._line()

    def _state(self) -> str:
        accuracies = "  ".join(
            f"{printable(name)} {curve.accuracy:.4f}"
            for name, curve in self._curves.items()
            if curve.tested
        )
        return f"{self._position()}: {accuracies}"

    def _position(self) -> str:
        share = f" ({self._rows / self.n_rows:.0%})" if self.n_rows else ""
        return f"{self._rows:,} rows{share}, {perf_counter() - self._started:.0f} s"

    def _line(self) -> None:
        self._shown = perf_counter()
        self.file.write(self._state() + "\n")
        self.file.flush()

    def _picture(self) -> Any:
        """Return the HTML for a notebook."""
        from IPython.display import HTML

        most = f' max="{self.n_rows}" value="{self._rows}"' if self.n_rows else ""
        curves = {name: curve for name, curve in self._curves.items() if curve.tested}
        table = Table({"learner": [*curves], "accuracy": [c.accuracy for c in curves.values()]})
        drawn = {"over time": sparklines([curve.values for curve in curves.values()])}
        bar = f"<progress{most}></progress> {escape(self._position())}"
        return HTML(f"<div>{bar}</div>{table.html(drawn) if curves else ''}")


class Curve:
    """Accuracy of a learner so far, and in each step."""

    def __init__(self) -> None:
        self.right = self.tested = 0
        self.values: list[float] = []

    @property
    def accuracy(self) -> float:
        """Fraction of rows predicted correctly."""
        return self.right / self.tested

    def add(self, right: int, tested: int) -> None:
        """Add a step: number of rows predicted correctly, and number of rows tested."""
        self.right += right
        self.tested += tested
        if tested:
            self.values.append(right / tested)


def notebook() -> Any:
    """Return `IPython.display` in a notebook whose output can be updated, else None."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if not hasattr(shell, "kernel"):
        return None
    from IPython import display

    return display
