"""Progress display of a grid: bars on a terminal, otherwise a line every few seconds."""

import sys
from time import perf_counter
from typing import Any, TextIO

from driftlearn.utils.arguments import Self
from driftlearn.utils.durations import clock
from driftlearn.utils.safe_text import can_redraw, printable

LINE_SECONDS = 5.0  # seconds between log lines, so that a log of hours remains readable
NAMED = 4  # maximum number of running cells named in a line
# Cells and seconds since the first rows that must be done before the remaining time is estimated:
# before, it would mostly be that of the start of workers and learners.
ENOUGH, SETTLED = 0.2, 3.0


class Display:
    """Counts the finished cells and rows of a grid; subclasses display the counts.

    A grid uses the display as a context manager and calls `begin` before the other methods.

    Parameters
    ----------
    file : text file, optional
        Output file of subclasses; by default standard error.
    verbose : bool
        Whether to display a note for each finished cell.
    """

    def __init__(self, file: TextIO | None = None, verbose: bool = False):
        self.file = sys.stderr if file is None else file
        self.verbose = verbose
        self.total = self.done = self.before = self.failed = 0
        self.names: dict[str, str] = {}
        self.rows: dict[str, tuple[int, int | None]] = {}
        self.learned = 0
        self._first: float | None = None  # when the first chunk was done
        self._begun = perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the display from the terminal."""

    def note(self, text: str) -> None:
        """Display a message."""

    def _show(self) -> None:
        """Display the counts; called after each event."""

    def begin(self, run: int, total: int, done: int) -> None:
        """Start the display with run number, number of cells and number of stored cells."""
        self.total, self.done, self.before = total, done, done
        self._begun = perf_counter()
        cells = f"{total} cell{'' if total == 1 else 's'}"
        stored = f", {done} of them already in the store (--fresh runs them again)" if done else ""
        self.note(f"run {run}: {cells}{stored}")
        self._show()

    def cell_started(self, key: str, name: str) -> None:
        """Record that a worker has started a cell."""
        self.names[key], self.rows[key] = name, (0, None)
        self._show()

    def cell_begun(self, key: str, n_rows: int | None, row: int) -> None:
        """Record the number of rows of a cell and the row at which it continues."""
        self.rows[key] = row, n_rows
        if row:
            self.note(f"{self.names[key]}: continues at row {row:,}")
        self._show()

    def cell_at(self, key: str, row: int) -> None:
        """Record the end row of a finished chunk."""
        before, n_rows = self.rows[key]
        if self._first is None:
            self._first = perf_counter()
        self.learned += row - before
        self.rows[key] = row, n_rows
        self._show()

    def cell_done(self, key: str) -> None:
        """Record the end of a cell."""
        self.done += 1
        if self.verbose and key in self.names:
            self.note(f"{self.names[key]}: done")
        self._remove(key)

    def cell_failed(self, key: str) -> None:
        """Record the failure of a cell; the reason is in the result of the grid."""
        self.failed += 1
        self._remove(key)

    def _remove(self, key: str) -> None:
        self.rows.pop(key, None)
        self.names.pop(key, None)
        self._show()

    def _shares(self) -> float:
        """Return the number of cells done since the start, including fractions of running cells."""
        parts = [row / n for row, n in self.rows.values() if n]
        return self.done - self.before + sum(parts)

    def _state(self) -> str:
        seconds = perf_counter() - self._begun
        rate = f", {self.learned / seconds:,.0f} rows/s" if self.learned and seconds else ""
        left = ""
        missing = self.total - self.before - self.failed - self._shares()
        spent = 0.0 if self._first is None else perf_counter() - self._first
        if missing > 0 and self._shares() > ENOUGH and spent > SETTLED:
            left = f", about {clock(spent / self._shares() * missing)} left"
        if self._first is None and self.done == self.before:
            left = "; starting the workers"
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.done} of {self.total} cells{failed}, {clock(seconds)}{rate}{left}"


class Lines(Display):
    """Display that writes a line every few seconds, for log files and pipes.

    Parameters
    ----------
    file, verbose
        As in `Display`.
    interval : float
        Seconds between two lines.
    """

    def __init__(
        self, file: TextIO | None = None, interval: float = LINE_SECONDS, verbose: bool = False
    ):
        super().__init__(file, verbose)
        self.interval = interval
        self._shown = perf_counter()

    def __exit__(self, *error: object) -> None:
        if self.done > self.before:
            self.note(self._state())

    def note(self, text: str) -> None:
        """Write a line."""
        self.file.write(printable(text, lines=True) + "\n")
        self.file.flush()

    def _show(self) -> None:
        if perf_counter() - self._shown >= self.interval:
            self._shown = perf_counter()
            names = "; ".join(
                f"{self.names[key]}" + (f" {row / n:.0%}" if n else f" row {row:,}")
                for key, (row, n) in list(self.rows.items())[:NAMED]
            )
            self.note(self._state() + (f"; now {names}" if names else ""))


class Bars(Display):
    """Display with bars for the grid and for each running cell."""

    def __enter__(self) -> Self:
        from driftlearn.utils.terminal import Screen, bars

        self._bars = bars(Screen(file=self.file), self._state)
        self._bars.start()
        self._all = self._bars.add_task("all cells", total=None)
        self._tasks: dict[str, Any] = {}
        return self

    def __exit__(self, *error: object) -> None:
        self._bars.stop()

    def note(self, text: str) -> None:
        """Print a line above the bars."""
        self._bars.console.print(text)

    def _show(self) -> None:
        for key in self._tasks.keys() - self.rows.keys():
            self._bars.remove_task(self._tasks.pop(key))
        for key, (row, n_rows) in self.rows.items():
            if key not in self._tasks:
                self._tasks[key] = self._bars.add_task(printable(self.names[key]), total=None)
            self._bars.update(self._tasks[key], total=n_rows, completed=row)
        done = self.before + self.failed + self._shares()
        self._bars.update(self._all, total=self.total, completed=done)


def make_display(quiet: bool = False, verbose: bool = False, file: TextIO | None = None) -> Display:
    """Return a display: bars on a terminal, lines otherwise, no output if `quiet`."""
    if quiet:
        return Display()
    file = sys.stderr if file is None else file
    return Bars(file, verbose) if can_redraw(file) else Lines(file, verbose=verbose)
