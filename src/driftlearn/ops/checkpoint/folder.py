"""The state folder: its lock, held by one process at a time, and its log."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from driftlearn.ops.checkpoint.saved_model import LOCK, LOG
from driftlearn.utils.locks import Locks


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Lock a state folder for this process; raise ValueError if another process holds it."""
    with Locks(folder) as locks:
        if not locks.take(LOCK):
            raise ValueError(
                f"{folder} is in use by process {locks.owner(LOCK)}. Wait until it has ended, or "
                "use a different --state folder."
            )
        yield


def log_event(folder: Path, event: str, **more: Any) -> None:
    """Append a line to the log, which is for people: the library never reads it."""
    when = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    line = json.dumps({"time": when, "event": event, **more})
    with suppress(OSError), open(folder / LOG, "a", encoding="utf-8") as file:
        file.write(line + "\n")
