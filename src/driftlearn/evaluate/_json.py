"""Results as JSON: plain numbers and strings, readable by anything, and never unpickled."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FORMAT = 1


class WeightHistory(NamedTuple):
    """The voting weights of an ensemble's members over its life.

    Attributes
    ----------
    steps : ndarray of int
        The ensemble's steps.
    ids : ndarray of int
        The members, named by the step of their birth.
    weights : ndarray of shape (members, steps)
        The weights; nan where a member was absent.
    """

    steps: np.ndarray
    ids: np.ndarray
    weights: np.ndarray


def write_json(path: str | Path, kind: str, content: dict[str, Any]) -> None:
    """Write a document beside its place and move it there, so that no torn file is ever seen."""
    path = Path(path)
    text = json.dumps({"kind": kind, "format": FORMAT, **content}, allow_nan=False)
    draft = path.with_name(f".{path.name}.part")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, path)


def read_json(path: str | Path, kind: str) -> dict[str, Any]:
    """Read a document of a kind, or say what the file is instead."""
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    found = content.pop("kind", None), content.pop("format", None)
    if found != (kind, FORMAT):
        raise ValueError(f"{path} is no {kind} of format {FORMAT}, but {found[0]} of {found[1]}")
    return content


def to_json(result: Any) -> dict[str, Any]:
    """Return the fields of a result as JSON knows values; nan becomes null."""
    content = {f.name: getattr(result, f.name) for f in fields(result) if f.name != "fitted"}
    content["histories"] = {name: _sparse(h) for name, h in result.histories.items()}
    return _plain(content)


def from_json(content: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a result from what `to_json` made of them."""
    content["classes"] = np.array(content["classes"])
    content["data"] = {
        name: {key: _array(values) for key, values in columns.items()}
        for name, columns in content["data"].items()
    }
    content["histories"] = {name: _dense(h) for name, h in content["histories"].items()}
    return content


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else str(value)
    return value


def _array(values: list) -> np.ndarray:
    """Return numbers as an array: of int where none is missing and all are whole."""
    if any(value is None or isinstance(value, float) for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    return np.array(values)


def _sparse(history: WeightHistory) -> dict[str, Any]:
    """Return a history without its absent members, which are most of them in a long one."""
    member, step = np.nonzero(~np.isnan(history.weights))
    return {
        "steps": history.steps,
        "ids": history.ids,
        "member": member,
        "step": step,
        "weight": history.weights[member, step],
    }


def _dense(content: dict[str, Any]) -> WeightHistory:
    steps, ids = np.array(content["steps"], dtype=int), np.array(content["ids"], dtype=int)
    weights = np.full((len(ids), len(steps)), np.nan)
    weights[content["member"], content["step"]] = np.array(content["weight"], dtype=float)
    return WeightHistory(steps, ids, weights)
