"""Ctrl-C held back while something must not be left half done."""

from __future__ import annotations

import signal
from importlib import import_module
from types import FrameType
from typing import Any

SIGINT = int(signal.SIGINT)
try:  # the functions of `signal` turn numbers into enums on every call, ten times the cost of it
    _raw: Any = import_module("_signal")
except ImportError:
    _raw = signal


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
        self._before = None
        before = _raw.getsignal(SIGINT)
        if callable(before):
            self._came: list[tuple[int, FrameType | None]] = []
            try:
                _raw.signal(SIGINT, self._note)
            except ValueError:  # in another thread than the main one
                return
            self._before = before

    def __exit__(self, *problem: object) -> None:
        if self._before is not None:
            _raw.signal(SIGINT, self._before)
            if self._came:
                self._before(*self._came[0])

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came.append((number, frame))
