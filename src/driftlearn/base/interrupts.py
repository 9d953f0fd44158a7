"""Ctrl-C held back while something must not be left half done."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

# `signal.signal` turns numbers into enums on every call, which costs ten times the call itself.
_set_handler: Any = getattr(signal.signal, "__wrapped__", signal.signal)


class uninterrupted:
    """A block of code that Ctrl-C cannot cut in two: it is heard when the block is done.

    Only the main thread hears Ctrl-C, so in other threads this does nothing; nor does it where
    nobody listens.

    Examples
    --------
    >>> import os
    >>> done = []
    >>> try:
    ...     with uninterrupted():
    ...         signal.raise_signal(signal.SIGINT)
    ...         done.append("whole")
    ... except KeyboardInterrupt:
    ...     done.append("heard")
    >>> done
    ['whole', 'heard']
    """

    _before: Any

    def __enter__(self) -> None:
        self._came: list[tuple[int, FrameType | None]] = []
        self._before = None
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if callable(before):
                _set_handler(signal.SIGINT, self._note)
                self._before = before

    def __exit__(self, *problem: object) -> None:
        if self._before is not None:
            _set_handler(signal.SIGINT, self._before)
            if self._came:
                self._before(*self._came[0])

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came.append((number, frame))
