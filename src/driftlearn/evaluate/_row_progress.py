"""Show how far an evaluation is."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import TYPE_CHECKING, Any, TextIO

from driftlearn._safe_text import printable
from driftlearn.evaluate._run import Step

if TYPE_CHECKING:
    from typing_extensions import Self


class Progress:
    """A sink of steps that shows rows done and each learner's accuracy so far.

    On a terminal it is a bar; anywhere else (a log file, a CI job) a plain line every few seconds,
    because a bar would show there only once it is full.

    Parameters
    ----------
    n_rows : int, optional
        The rows of the stream, where known.
    file : text file, optional
        Where to write; standard error.
    interval : float
        Seconds between two plain lines.

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
        self._right: dict[str, int] = {}
        self._tested: dict[str, int] = {}
        self._rows = 0
        self._bar: Any = None
        self._begun = self._shown = perf_counter()

    def __enter__(self) -> Self:
        if self.file.isatty():
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            from driftlearn._screen import Screen

            self._bar = Bar(
                BarColumn(),
                TextColumn("{task.completed:,.0f} rows"),
                TimeRemainingColumn(),
                TextColumn("{task.description}", markup=False),
                console=Screen(file=self.file),
            )
            self._bar.start()
            self._task = self._bar.add_task("", total=self.n_rows)
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif self._rows:
            self._line()

    def __call__(self, step: Step) -> None:
        """Take note of a step."""
        self._rows = step.stop
        for count, more in (
            (self._right, step.confusion.trace()),
            (self._tested, step.confusion.sum()),
        ):
            count[step.learner] = count.get(step.learner, 0) + int(more)
        if self._bar is not None:
            self._bar.update(self._task, completed=self._rows, description=self._accuracies())
        elif perf_counter() - self._shown >= self.interval:
            self._line()

    def _accuracies(self) -> str:
        return "  ".join(
            f"{printable(name)} {self._right[name] / rows:.4f}"
            for name, rows in self._tested.items()
            if rows
        )

    def _line(self) -> None:
        self._shown = perf_counter()
        share = f" ({self._rows / self.n_rows:.0%})" if self.n_rows else ""
        seconds = self._shown - self._begun
        self.file.write(f"{self._rows:,} rows{share}, {seconds:.0f} s: {self._accuracies()}\n")
        self.file.flush()
