"""Progress display of ``driftlearn learn``, for terminals and log files."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any, TextIO

from driftlearn.utils.durations import clock
from driftlearn.utils.safe_text import printable

LINE_SECONDS = 5.0  # seconds between log lines, so that a log of hours remains readable


class Progress:
    """Base class of progress displays; displays nothing.

    Attributes
    ----------
    n_files : int
        Number of files to learn as a whole; 0 if it is not known.
    """

    n_files = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the display from the terminal."""

    def rows(self, saved: Any, file: str) -> None:
        """Report training progress on a file; `saved` has a `Record`."""

    def note(self, text: str) -> None:
        """Display a message."""


class ProgressLines(Progress):
    """Prints a line every few seconds, for log files."""

    def __init__(self, file: TextIO | None = None, interval: float = LINE_SECONDS):
        self.file = sys.stderr if file is None else file
        self.interval = interval
        self._begun = self._shown = perf_counter()
        self._before: int | None = None
        self._done = 0  # files

    def rows(self, saved: Any, file: str) -> None:
        """Report training progress on a file."""
        # The first call starts the clock: the start time of its rows is unknown, so they are not
        # timed.
        if self._before is None:
            self._before, self._begun = saved.record.n_rows, perf_counter()
        seconds = perf_counter() - self._begun
        self._status = status(saved.record, saved.record.n_rows - self._before, seconds)
        self._done += 1
        if 1 < self._done <= self.n_files:
            left = clock(seconds / (self._done - 1) * (self.n_files - self._done))
            self._status += f"; {self._done} of {self.n_files} files, about {left} left"
        if perf_counter() - self._shown >= self.interval:
            self._shown = perf_counter()
            self.note(f"{self._status}; {file}" if file else self._status)

    def note(self, text: str) -> None:
        """Display a message."""
        self.file.write(printable(text) + "\n")
        self.file.flush()


class ProgressBar(ProgressLines):
    """Updates a line on the terminal in place."""

    def __enter__(self) -> ProgressBar:
        from rich.live import Live
        from rich.text import Text

        from driftlearn.utils.terminal import Screen

        self._text: Any = Text
        self._live = Live(console=Screen(file=self.file), transient=True, refresh_per_second=4)
        self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def rows(self, saved: Any, file: str) -> None:
        """Report training progress on a file."""
        self.interval = float("inf")
        super().rows(saved, file)
        text = printable(f"{self._status}; {file}")
        self._live.update(self._text(text, overflow="ellipsis", no_wrap=True))

    def note(self, text: str) -> None:
        """Display a message."""
        self._live.console.print(self._text(printable(text)))


def status(record: Any, new: int, seconds: float) -> str:
    """Return a line with rows, speed and accuracy, after training on `new` rows in `seconds`."""
    rate = f", {new / seconds:,.0f} rows/s" if new else ""
    shares = [f"{name} {x:.4f}" for name, x in record.accuracy().items() if x is not None]
    return f"{record.n_rows:,} rows{rate}: {'  '.join(shares)}"


def make_progress(quiet: bool) -> Progress:
    """Return the display: a progress bar on a terminal, lines otherwise, nothing if `quiet`."""
    if quiet:
        return Progress()
    return ProgressBar() if sys.stderr.isatty() else ProgressLines()
