"""Thread pools that train the members of an online ensemble."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from driftlearn.ensemble._crew import Crew

_crews: dict[int, list[Crew]] = {}  # idle pools by number of threads


@contextmanager
def crew(n: int) -> Iterator[Crew]:
    """Have a crew of `n` threads for a while."""
    idle = _crews.setdefault(n, [])
    try:
        ours = idle.pop()
    except IndexError:
        ours = Crew(n)
        for k in range(ours.n):
            Thread(target=ours.serve, args=(k,), name=f"driftlearn-{k}", daemon=True).start()
    ours.call()
    try:
        yield ours
    finally:
        ours.dismiss()
        idle.append(ours)


if hasattr(os, "register_at_fork"):  # a fork copies no threads
    os.register_at_fork(after_in_child=_crews.clear)
