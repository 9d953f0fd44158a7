"""Settings of a saved model, which must stay the same from run to run."""

from typing import Any

from driftlearn.ops.checkpoint.chunks import parse_span
from driftlearn.tables.values import KINDS

#: Options that the state folder remembers, with their defaults.
DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(("target", "chunk", "every", "time", "by", "sep")),
    "learner": "auto",
    "delay": 0,
    "wait": 100_000,
    "encoding": "utf-8",
    "missing": [],
    "kinds": {},
}


def new_settings(given: dict[str, Any], folder: str) -> dict[str, Any]:
    """Return the settings of a new model; raise ValueError if they contradict each other."""
    found = {**DEFAULTS, **{key: value for key, value in given.items() if value is not None}}
    if found["target"] is None:
        raise ValueError(
            f"There is no saved model in {folder} yet. Name the label column, e.g. --target label."
        )
    if found["every"] is not None:
        parse_span(found["every"])
        if found["time"] is None:
            raise ValueError("--every requires the column of times: add --time COLUMN.")
        if found["chunk"] is not None:
            raise ValueError("--chunk and --every cannot be combined: a chunk is either a number "
                             "of rows or a span of time.")  # fmt: skip
    if found["by"] is not None and found["delay"]:
        raise ValueError("--delay and --labels cannot be combined: labels arrive either after a "
                         "delay or in a separate file.")  # fmt: skip
    for name, kind in found["kinds"].items():
        if kind not in (*KINDS[:-1], "drop"):
            raise ValueError(
                f"Invalid --kind {name}={kind}: the kind of a column is number, boolean, category "
                "or date, or drop to omit the column."
            )
    return found


def checked_settings(known: dict[str, Any], given: dict[str, Any], folder: str) -> dict[str, Any]:
    """Return the settings of a saved model; raise ValueError if an option contradicts them."""
    for key, value in given.items():
        was = known.get(key)
        if value is None or value == was:
            continue
        option = {"kinds": "--kind and --drop", "missing": "--na"}.get(key, f"--{key}")
        shown = "without it" if was in (None, [], {}, 0) else f"with {was!r}"
        raise ValueError(
            f"{option} cannot be {value!r}: {folder} was created {shown}. Omit the option, or use "
            "a different --state folder."
        )
    return known
