"""Delay Ctrl-C (SIGINT) during operations that must not be interrupted."""

import signal
from importlib import import_module
from types import FrameType
from typing import Any

SIGINT = int(signal.SIGINT)
try:  # the functions of `signal` convert numbers to enums, which takes ten times as long
    _raw: Any = import_module("_signal")
except ImportError:
    _raw = signal


class uninterrupted:
    """Context manager that delays Ctrl-C until the end of the block.

    Python handles Ctrl-C in the main thread, so the context manager has no effect in other threads.
    It also has no effect if Ctrl-C is ignored.

    Examples
    --------
    >>> import os
    >>> done = []
    >>> try:
    ...     with uninterrupted():
    ...         signal.raise_signal(signal.SIGINT)
    ...         done.append("block finished")
    ... except KeyboardInterrupt:
    ...     done.append("interrupted")
    >>> done
    ['block finished', 'interrupted']
    """

    _before: Any

    def __enter__(self) -> None:
        self._before = None
        before = _raw.getsignal(SIGINT)
        if callable(before):
            self._came: list[tuple[int, FrameType | None]] = []
            try:
                _raw.signal(SIGINT, self._note)
            except ValueError:  # not called from the main thread
                return
            self._before = before

    def __exit__(self, *problem: object) -> None:
        if self._before is not None:
            _raw.signal(SIGINT, self._before)
            if self._came:
                self._before(*self._came[0])

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came.append((number, frame))
