"""The state folder: one process at a time changes it, and what happened is told in a file."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from driftlearn.ops.checkpoint.saved_model import LOCK, LOG
from driftlearn.utils.locks import Locks


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep a state folder for this process; raise ValueError if another one has it."""
    with Locks(folder) as locks:
        if not locks.take(LOCK):
            raise ValueError(
                f"{folder} is in use by process {locks.owner(LOCK)}: wait until it is done, or use "
                "another --state"
            )
        yield


def log(folder: Path, what: str, **more: Any) -> None:
    """Write a line for people; nothing depends on it."""
    when = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    line = json.dumps({"time": when, "what": what, **more})
    with suppress(OSError), open(folder / LOG, "a", encoding="utf-8") as file:
        file.write(line + "\n")
