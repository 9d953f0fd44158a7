"""Results as JSON: plain numbers and strings, without pickle."""

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.ensemble.history import MemberInfo, WeightHistory
from driftlearn.utils.arguments import Values
from driftlearn.utils.atomic_files import atomic_write

#: Format version, increased when files of an older version would be misread.
FORMAT = 1


def write_json(path: str | Path, kind: str, content: dict[str, Any]) -> None:
    """Write a document atomically."""
    text = json.dumps({"kind": kind, "format": FORMAT, **content}, allow_nan=False)
    atomic_write(path, text.encode())


def read_json(path: str | Path, kind: str) -> dict[str, Any]:
    """Read a document; raise ValueError if its kind is wrong."""
    content: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    found = content.pop("kind", None), content.pop("format", None)
    if found != (kind, FORMAT):
        raise ValueError(
            f"{path} must be a {kind} of format {FORMAT}. Got {found[0]} of format {found[1]}."
        )
    return content


def to_json(result: Any) -> dict[str, Any]:
    """Return the fields of a result as JSON values; nan becomes null."""
    content = {f.name: getattr(result, f.name) for f in fields(result) if f.name != "fitted"}
    content["histories"] = {name: asdict(h) for name, h in result.histories.items()}
    return plain(content)


def from_json(content: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a result from the output of `to_json`."""
    content["classes"] = np.array(content["classes"])
    content["data"] = {
        name: {key: _array(values) for key, values in columns.items()}
        for name, columns in content["data"].items()
    }
    content["histories"] = {name: _history(h) for name, h in content["histories"].items()}
    return content


def plain(value: Any) -> Any:
    """Return a value as a JSON value; nan becomes None."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else str(value)
    return value


def _array(values: list[Any]) -> Values:
    """Return numbers as an array, of type int if all are integers and none is missing."""
    if any(value is None or isinstance(value, float) for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    return np.array(values)


def _history(content: dict[str, Any]) -> WeightHistory:
    whole = {key: np.array(content[key], dtype=int) for key in ("steps", "ids", "member", "step")}
    notes = content.get("notes")  # missing in results of older versions
    if notes is not None:
        # the former name is that of version 0.1.0
        class_set = np.array(notes.get("class_set", notes.get("knows")), dtype=int)
        errors = np.array(notes["errors"], dtype=float)
        notes = MemberInfo(errors, class_set, notes["class_sets"], notes["names"])
    return WeightHistory(**whole, weight=np.array(content["weight"], dtype=float), notes=notes)
