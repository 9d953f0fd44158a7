"""Progress display of ``driftlearn learn`` and ``driftlearn predict``, for terminals and logs."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any, TextIO

from driftlearn.utils.durations import clock
from driftlearn.utils.safe_text import can_redraw, printable

LINE_SECONDS = 5.0  # seconds between log lines, so that a log of hours remains readable
NARROW = 30  # columns of the bar below which it is omitted


class Progress:
    """Base class of progress displays; displays nothing.

    Attributes
    ----------
    n_files : int
        Number of files to read; 0 if it is not known.
    whole_files : bool
        Whether `rows` and `predicted` report a file when it is finished; otherwise they may report
        a part of it.
    """

    n_files = 0
    whole_files = True

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the display from the terminal."""

    def rows(self, saved: Any, file: str) -> None:
        """Report training progress on a file, "" if it is not known; `saved` has a `Record`."""

    def predicted(self, n_rows: int, file: str) -> None:
        """Report the number of predicted rows, the newest of which are of a file."""

    def note(self, text: str) -> None:
        """Display a message."""


class ProgressLines(Progress):
    """Prints a line every few seconds, for log files."""

    def __init__(self, file: TextIO | None = None, interval: float = LINE_SECONDS):
        self.file = sys.stderr if file is None else file
        self.interval = interval
        self._begun = self._shown = perf_counter()
        self._before: int | None = None
        self._rows, self._scores, self._name = 0, "", ""
        self._n_seen = 0  # files, including one that is not finished
        self._first_done = self._begun  # when the first file was finished

    def rows(self, saved: Any, file: str) -> None:
        """Report training progress on a file."""
        record = saved.record
        shares = [f"{name} {x:.4f}" for name, x in record.accuracy().items() if x is not None]
        self._scores = "  ".join(shares)
        self._advance(record.n_rows, file)

    def predicted(self, n_rows: int, file: str) -> None:
        """Report the number of predicted rows."""
        self._advance(n_rows, file)

    def _advance(self, n_rows: int, file: str) -> None:
        # The first call starts the clock: the start time of its rows is unknown, so they are not
        # timed.
        if self._before is None:
            self._before, self._begun = n_rows, perf_counter()
        if file and (self.whole_files or file != self._name):
            self._n_seen += 1
            if self._n_seen == (1 if self.whole_files else 2):
                self._first_done = perf_counter()
        self._rows, self._name = n_rows, file or self._name
        self._show()

    def _show(self) -> None:
        if perf_counter() - self._shown >= self.interval:
            self._shown = perf_counter()
            files = f"; {self._n_done} of {self.n_files} files{self._left()}" * self._knows_files
            text = f"{self._status()}{files}"
            self.note(f"{text}; {self._name}" if self._name else text)

    @property
    def _n_done(self) -> int:
        """Number of finished files."""
        return max(self._n_seen - (not self.whole_files), 0)

    @property
    def _knows_files(self) -> bool:
        return 1 < self._n_done <= self.n_files

    def _left(self) -> str:
        """Return the remaining time, estimated from all files but the first; "" if unknown."""
        if not self._knows_files:
            return ""
        # The first file includes the start, such as the choice of columns and the first training.
        seconds = (perf_counter() - self._first_done) / (self._n_done - 1)
        return f", about {clock(seconds * (self.n_files - self._n_done))} left"

    def _status(self) -> str:
        """Return a line with rows, speed and accuracy."""
        new, seconds = self._rows - (self._before or 0), perf_counter() - self._begun
        rate = f", {new / seconds:,.0f} rows/s" if new and seconds else ""
        return f"{self._rows:,} rows{rate}" + (f": {self._scores}" if self._scores else "")

    def note(self, text: str) -> None:
        """Display a message."""
        self.file.write(printable(text) + "\n")
        self.file.flush()


class ProgressBar(ProgressLines):
    """Redraws a bar and a line of figures on the terminal."""

    _live: Any = None

    def __enter__(self) -> ProgressBar:
        from rich.live import Live

        from driftlearn.utils.terminal import Screen

        self._screen, self._started = Screen(file=self.file), perf_counter()
        self._live = Live(
            console=self._screen, transient=True, refresh_per_second=4, get_renderable=self._picture
        )
        self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.stop()

    def _show(self) -> None:
        """Do nothing: the display redraws itself."""

    def _picture(self) -> Any:
        from rich.console import Group
        from rich.progress_bar import ProgressBar as Bar
        from rich.table import Table

        from driftlearn.utils.terminal import styled

        width = self._screen.width
        if self._before is None:
            spent = clock(perf_counter() - self._started)
            head, bar, tail = f"reading, {spent}", Bar(total=100, pulse=True), ""
        else:
            n, share = self.n_files, self._n_done / max(self.n_files, 1)
            at = min(self._n_done + 1, n) if n else self._n_seen
            # A whole file is reported at its end, so the name of the next one is not known yet.
            name = "" if self.whole_files else self._name
            head = f"file {at}" + (f" of {n}" if n else "") + f", {name}" * bool(name)
            tail = f"{share:.0%}{self._left()}" if n > 1 else ""
            bar = Bar(total=1.0, completed=share, pulse=n < 2)
        row = Table.grid(padding=(0, 1), expand=True)
        row.add_column(no_wrap=True, overflow="ellipsis", max_width=max(width // 3, 16))
        if width - len(tail) - min(len(head), width // 3) > NARROW:
            row.add_column(ratio=1)
            row.add_column(no_wrap=True)
            row.add_row(styled(head), bar, styled(tail))
        else:
            row.add_column(no_wrap=True)
            row.add_row(styled(head), styled(tail))
        lines: list[Any] = [row]
        if self._before is not None:
            status = styled(self._status())
            status.no_wrap, status.overflow = True, "ellipsis"
            lines.append(status)
        return Group(*lines)

    def note(self, text: str) -> None:
        """Display a message."""
        from driftlearn.utils.terminal import styled

        if self._live is None:
            return super().note(text)
        self._screen.print(styled(text))


def make_progress(quiet: bool) -> Progress:
    """Return the display: a progress bar on a terminal, lines otherwise, nothing if `quiet`."""
    if quiet:
        return Progress()
    return ProgressBar() if can_redraw(sys.stderr) else ProgressLines()
