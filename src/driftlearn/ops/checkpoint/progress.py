"""Progress how far ``driftlearn learn`` is, on a terminal and anywhere else."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any, Protocol, TextIO

from driftlearn.utils.safe_text import printable

LINE_SECONDS = 5.0  # between two lines of a log: it stays readable over hours


class Recorded(Protocol):
    """A model, or models, of which a record tells how they did."""

    @property
    def record(self) -> Any:
        """Has ``n_rows`` and ``accuracy()``."""


class Progress:
    """What a keeper tells somebody who watches. This one does not show anything."""

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *error: object) -> None:
        """Take everything off the screen."""

    def rows(self, kept: Recorded, file: str) -> None:
        """Rows of a file were learned."""

    def file_done(self, file: str) -> None:
        """A file was read to its end."""

    def note(self, text: str) -> None:
        """Something that a person should know."""


class ProgressLines(Progress):
    """A plain line every few seconds, for log files and other places that are no terminal."""

    def __init__(self, file: TextIO | None = None, interval: float = LINE_SECONDS):
        self.file = sys.stderr if file is None else file
        self.interval = interval
        self._begun = self._shown = perf_counter()
        self._before: int | None = None

    def rows(self, kept: Recorded, file: str) -> None:
        """Rows of a file were learned."""
        if self._before is None:  # the first rows are not timed: they come with the first call
            self._before, self._begun = kept.record.n_rows, perf_counter()
        self._state = state(kept, kept.record.n_rows - self._before, perf_counter() - self._begun)
        if perf_counter() - self._shown >= self.interval:
            self._shown = perf_counter()
            self.note(f"{self._state}; {file}" if file else self._state)

    def note(self, text: str) -> None:
        """Something that a person should know."""
        self.file.write(printable(text) + "\n")
        self.file.flush()


class ProgressBar(ProgressLines):
    """One line on a terminal that changes."""

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

    def rows(self, kept: Recorded, file: str) -> None:
        """Rows of a file were learned."""
        self.interval = float("inf")
        super().rows(kept, file)
        self._live.update(self._text(printable(f"{self._state}; {file}"), overflow="ellipsis",
                                     no_wrap=True))  # fmt: skip

    def note(self, text: str) -> None:
        """Something that a person should know."""
        self._live.console.print(self._text(printable(text)))


def state(kept: Recorded, new: int, seconds: float) -> str:
    """Return how far a kept model is, in a line; so many rows were new in so many seconds."""
    rate = f", {new / seconds:,.0f} rows/s" if new else ""
    shares = [
        f"{name} {share:.4f}" for name, share in kept.record.accuracy().items() if share is not None
    ]
    return f"{kept.record.n_rows:,} rows{rate}: {'  '.join(shares)}"


def make_progress(quiet: bool, file: TextIO | None = None) -> Progress:
    """Return a bar on a terminal, lines anywhere else, nothing if nobody wants to see."""
    if quiet:
        return Progress()
    file = sys.stderr if file is None else file
    return ProgressBar(file) if file.isatty() else ProgressLines(file)
