"""Progress display of ``driftlearn learn``, on a terminal and elsewhere."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any, TextIO

from driftlearn.utils.safe_text import printable

LINE_SECONDS = 5.0  # between two lines in a log, which stays readable over hours


class Progress:
    """Base class of displays; it displays nothing."""

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the display from the screen."""

    def rows(self, saved: Any, file: str) -> None:
        """Report that rows of a file were learned, into something that has a `Record`."""

    def note(self, text: str) -> None:
        """Report something that a person should know."""


class ProgressLines(Progress):
    """A line of text every few seconds, for log files."""

    def __init__(self, file: TextIO | None = None, interval: float = LINE_SECONDS):
        self.file = sys.stderr if file is None else file
        self.interval = interval
        self._begun = self._shown = perf_counter()
        self._before: int | None = None

    def rows(self, saved: Any, file: str) -> None:
        """Report that rows of a file were learned."""
        # The rows of the first call are not timed, since the display does not know when they began.
        if self._before is None:
            self._before, self._begun = saved.record.n_rows, perf_counter()
        seconds = perf_counter() - self._begun
        self._status = status(saved.record, saved.record.n_rows - self._before, seconds)
        if perf_counter() - self._shown >= self.interval:
            self._shown = perf_counter()
            self.note(f"{self._status}; {file}" if file else self._status)

    def note(self, text: str) -> None:
        """Report something that a person should know."""
        self.file.write(printable(text) + "\n")
        self.file.flush()


class ProgressBar(ProgressLines):
    """A line on a terminal that is updated in place."""

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
        """Report that rows of a file were learned."""
        self.interval = float("inf")
        super().rows(saved, file)
        text = printable(f"{self._status}; {file}")
        self._live.update(self._text(text, overflow="ellipsis", no_wrap=True))

    def note(self, text: str) -> None:
        """Report something that a person should know."""
        self._live.console.print(self._text(printable(text)))


def status(record: Any, new: int, seconds: float) -> str:
    """Return rows, speed and accuracy as a line; `new` rows were learned in so many seconds."""
    rate = f", {new / seconds:,.0f} rows/s" if new else ""
    shares = [f"{name} {x:.4f}" for name, x in record.accuracy().items() if x is not None]
    return f"{record.n_rows:,} rows{rate}: {'  '.join(shares)}"


def make_progress(quiet: bool) -> Progress:
    """Return an updated line on a terminal, lines elsewhere, or no display if `quiet`."""
    if quiet:
        return Progress()
    return ProgressBar() if sys.stderr.isatty() else ProgressLines()
