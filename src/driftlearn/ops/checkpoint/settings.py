"""What a kept model was asked to be, which must stay the same from run to run."""

from __future__ import annotations

from typing import Any

from driftlearn.ops.checkpoint.chunks import parsed
from driftlearn.tables.values import KINDS

#: Options that are remembered, with their defaults.
DEFAULTS: dict[str, Any] = {
    "target": None,
    "learner": "auto",
    "chunk": None,
    "every": None,
    "time": None,
    "delay": 0,
    "by": None,
    "wait": 100_000,
    "sep": None,
    "encoding": "utf-8",
    "missing": [],
    "kinds": {},
}


def new_settings(given: dict[str, Any], folder: str) -> dict[str, Any]:
    """Return the settings of a new kept model; raise ValueError if they do not fit together."""
    found = {**DEFAULTS, **{key: value for key, value in given.items() if value is not None}}
    if found["target"] is None:
        raise ValueError(
            f"there is no kept model in {folder} yet: name the column of labels, as --target label"
        )
    if found["every"] is not None:
        parsed(found["every"])
        if found["time"] is None:
            raise ValueError("--every needs the column of times: --time COLUMN")
        if found["chunk"] is not None:
            raise ValueError("a chunk is so many rows, or a span of time: --chunk or --every")
    if found["by"] is not None and found["delay"]:
        raise ValueError("labels come later by --delay, or in a file of their own by --labels")
    for name, kind in found["kinds"].items():
        if kind not in (*KINDS[:-1], "drop"):
            raise ValueError(
                f"--kind {name}={kind}: a column holds number, boolean, category or date, or is "
                "left out: drop"
            )
    return found


def checked_settings(known: dict[str, Any], given: dict[str, Any], folder: str) -> dict[str, Any]:
    """Return the settings of a kept model; raise ValueError if others are asked for."""
    for key, value in given.items():
        if value is None or value == known.get(key):
            continue
        option = {"kinds": "--kind and --drop", "missing": "--na"}.get(key, f"--{key}")
        was = known.get(key)
        shown = "without it" if was in (None, [], {}, 0) else f"with {was!r}"
        raise ValueError(
            f"{option} cannot be {value!r} now: {folder} was made {shown}. Leave it out, or begin "
            "another --state"
        )
    return known
