"""The inputs of a run: how they are opened, and which of their rows are already learned."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from driftlearn.ops.sources.source import Source, forget, is_server, source_of, without_password

#: What files looked like when they were read: a file that looks the same is not hashed again.
SEEN = "seen.json"


def csv_options(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that say how CSV files are parsed."""
    return {name: settings[name] for name in ("sep", "encoding", "missing")}


def open_source(
    names: Sequence[str], settings: Mapping[str, Any], *, skip: bool = False, follow: bool = False
) -> Source:
    """Return the source of these names; see `driftlearn.ops.sources.source_of`."""
    return source_of(names, skip=skip, follow=follow, **csv_options(settings))


def numeric_columns(kinds: Mapping[str, str], others: Collection[str | None]) -> set[str]:
    """Return the columns that can be parsed as numbers, without those that have another role."""
    return {name for name, kind in kinds.items() if kind == "number"} - {*others}


def relocate(source: Source, position: dict[str, Any], renamed: bool = False) -> dict[str, str]:
    """Transfer the positions of moved files, in place; return the former paths by path."""
    moved = source.moved(position, renamed)
    for path, former in moved.items():
        position[path] = position.pop(former)
    return moved


def moved_note(path: str, former: str) -> str:
    """Return the sentence that reports a moved file."""
    gone = "" if is_server(former) else ", which no longer exists"
    return f"{path} was read as {former}{gone}: only new rows are learned"


def forget_inputs(names: Iterable[str], positions: Sequence[dict[str, Any]]) -> None:
    """Remove inputs from positions, in place, so that they are reprocessed."""
    for name in names:
        if not any(forget(name, each) for each in positions):
            raise ValueError(
                f"Invalid --forget {without_password(name)!r}: no rows of it were read before."
            )


def load_seen(source: Source, folder: Path) -> None:
    """Tell a source what files looked like when they were read, where that is known."""
    with suppress(OSError, ValueError):
        source.verified = json.loads(Path(folder, SEEN).read_text("utf-8"))


def save_seen(source: Source, folder: Path) -> None:
    """Store what files looked like when they were read; without it they are hashed again."""
    with suppress(OSError):
        Path(folder, SEEN).write_text(json.dumps(source.verified), "utf-8")


def no_rows(names: Iterable[str], what: str) -> ValueError:
    """Return the error about inputs without rows."""
    return ValueError(f"There are no rows in {', '.join(map(without_password, names))}: nothing to "
                      f"{what}.")  # fmt: skip
