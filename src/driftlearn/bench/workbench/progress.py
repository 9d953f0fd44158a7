"""Show how far a grid is: bars on a terminal, a plain line now and then anywhere else."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any, TextIO

from driftlearn.utils.safe_text import printable

LINE_SECONDS = 5.0  # between two lines of a log: it stays readable over hours
NAMED = 4  # cells under way that such a line names
ENOUGH = 0.05  # of a cell must be done before the time left can be told from it


class Display:
    """What a grid tells somebody who watches. This one does not show anything.

    A grid enters it, says how many cells there are (`begin`), and then what happens to each.
    """

    def __enter__(self) -> Display:
        return self

    def __exit__(self, *error: object) -> None:
        """Take everything off the screen."""

    def begin(self, run: int, total: int, done: int) -> None:
        """The run of this number has so many cells, so many of them done already."""

    def cell_started(self, key: str, name: str) -> None:
        """A worker has taken up a cell."""

    def cell_begun(self, key: str, n_rows: int | None, row: int) -> None:
        """The cell has so many rows, and goes on at one of them."""

    def cell_at(self, key: str, row: int) -> None:
        """A chunk is done."""

    def cell_done(self, key: str) -> None:
        """A cell is done."""

    def cell_failed(self, key: str) -> None:
        """A cell has failed; the outcome says which, and why."""

    def note(self, text: str) -> None:
        """Something that a person should know."""


class _Counting(Display):
    """Keeps count."""

    def __init__(self, file: TextIO | None = None, verbose: bool = False):
        self.file = sys.stderr if file is None else file
        self.verbose = verbose
        self.total = self.done = self.before = self.failed = 0
        self.names: dict[str, str] = {}
        self.rows: dict[str, tuple[int, int | None]] = {}
        self.learned = 0
        self._begun = perf_counter()

    def begin(self, run: int, total: int, done: int) -> None:
        """The run of this number has so many cells, so many of them done already."""
        self.total, self.done, self.before = total, done, done
        self._begun = perf_counter()
        cells = f"{total} cell{'' if total == 1 else 's'}"
        stored = f", {done} of them stored before: --fresh runs them again" if done else ""
        self.note(f"run {run}: {cells}{stored}")

    def cell_started(self, key: str, name: str) -> None:
        """A worker has taken up a cell."""
        self.names[key] = name
        self.rows[key] = 0, None

    def cell_begun(self, key: str, n_rows: int | None, row: int) -> None:
        """The cell has so many rows, and goes on at one of them."""
        self.rows[key] = row, n_rows
        if row:
            self.note(f"{self.names[key]}: goes on at row {row:,}")

    def cell_at(self, key: str, row: int) -> None:
        """A chunk is done."""
        before, n_rows = self.rows[key]
        self.learned += row - before
        self.rows[key] = row, n_rows

    def cell_done(self, key: str) -> None:
        """A cell is done."""
        self.done += 1
        if self.verbose and key in self.names:
            self.note(f"{self.names[key]}: done")
        self._gone(key)

    def cell_failed(self, key: str) -> None:
        """A cell has failed; the outcome says which, and why."""
        self.failed += 1
        self._gone(key)

    def _gone(self, key: str) -> None:
        self.rows.pop(key, None)
        self.names.pop(key, None)

    def _shares(self) -> float:
        """Return how many cells are done since the beginning, those under way in part."""
        parts = [row / n for row, n in self.rows.values() if n]
        return self.done - self.before + sum(parts)

    def _state(self) -> str:
        seconds = perf_counter() - self._begun
        rate = f", {self.learned / seconds:,.0f} rows/s" if self.learned and seconds else ""
        left = ""
        missing = self.total - self.before - self.failed - self._shares()
        if missing > 0 and self._shares() > ENOUGH:
            left = f", about {clock(seconds / self._shares() * missing)} left"
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.done} of {self.total} cells{failed}, {clock(seconds)}{rate}{left}"


class Lines(_Counting):
    """A plain line every few seconds, for log files and other places that are no terminal.

    Parameters
    ----------
    file : text file, optional
        Where to write; standard error.
    interval : float
        Seconds between two lines.
    verbose : bool
        Also a line for every cell that is done.
    """

    def __init__(
        self, file: TextIO | None = None, interval: float = LINE_SECONDS, verbose: bool = False
    ):
        super().__init__(file, verbose)
        self.interval = interval
        self._shown = perf_counter()

    def cell_at(self, key: str, row: int) -> None:
        """A chunk is done."""
        super().cell_at(key, row)
        self._maybe()

    def cell_done(self, key: str) -> None:
        """A cell is done."""
        super().cell_done(key)
        self._maybe()

    def note(self, text: str) -> None:
        """Something that a person should know."""
        self._write(text)

    def __exit__(self, *error: object) -> None:
        if self.done > self.before:
            self._write(self._state())

    def _maybe(self) -> None:
        if perf_counter() - self._shown >= self.interval:
            self._shown = perf_counter()
            names = "; ".join(
                f"{self.names[key]}" + (f" {row / n:.0%}" if n else f" row {row:,}")
                for key, (row, n) in list(self.rows.items())[:NAMED]
            )
            self._write(self._state() + (f"; now {names}" if names else ""))

    def _write(self, text: str) -> None:
        self.file.write(printable(text, lines=True) + "\n")
        self.file.flush()


class Bars(_Counting):
    """A line on the grid, and a bar for it and for each cell under way."""

    def __enter__(self) -> Bars:
        from driftlearn.utils.terminal import Screen, bars

        self._bars = bars(Screen(file=self.file), self._state)
        self._bars.start()
        self._all = self._bars.add_task("all cells", total=None)
        self._tasks: dict[str, Any] = {}
        return self

    def __exit__(self, *error: object) -> None:
        self._bars.stop()

    def begin(self, run: int, total: int, done: int) -> None:
        """The run of this number has so many cells, so many of them done already."""
        super().begin(run, total, done)
        self._bars.update(self._all, total=total, completed=done)

    def cell_started(self, key: str, name: str) -> None:
        """A worker has taken up a cell."""
        super().cell_started(key, name)
        if key not in self._tasks:
            self._tasks[key] = self._bars.add_task(printable(name), total=None)

    def cell_begun(self, key: str, n_rows: int | None, row: int) -> None:
        """The cell has so many rows, and goes on at one of them."""
        super().cell_begun(key, n_rows, row)
        self._bars.update(self._tasks[key], total=n_rows, completed=row)

    def cell_at(self, key: str, row: int) -> None:
        """A chunk is done."""
        super().cell_at(key, row)
        self._bars.update(self._tasks[key], completed=row)
        self._advance()

    def note(self, text: str) -> None:
        """Something that a person should know."""
        self._bars.console.print(text)

    def _gone(self, key: str) -> None:
        super()._gone(key)
        if key in self._tasks:
            self._bars.remove_task(self._tasks.pop(key))
        self._advance()

    def _advance(self) -> None:
        self._bars.update(self._all, completed=self.before + self.failed + self._shares())


def clock(seconds: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> clock(7.3), clock(75), clock(7320)
    ('7 s', '1 min 15 s', '2 h 2 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def make_display(quiet: bool = False, verbose: bool = False, file: TextIO | None = None) -> Display:
    """Return bars on a terminal, lines anywhere else, nothing if nobody wants to see."""
    if quiet:
        return Display()
    file = sys.stderr if file is None else file
    return Bars(file, verbose) if file.isatty() else Lines(file, verbose=verbose)
