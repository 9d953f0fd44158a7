"""Results as JSON: plain numbers and strings, readable by anything, and never unpickled."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

FORMAT = 1


@dataclass(frozen=True, eq=False)
class WeightHistory:
    """The voting weights of an ensemble's members over its life.

    An ensemble that exchanges a member with every row has had more members by the end than a
    table could hold; so only the weights that there were are kept.

    Attributes
    ----------
    steps : ndarray of int
        The ensemble's steps.
    ids : ndarray of int
        The members, named by the step of their birth.
    member, step : ndarray of int
        For each weight the places of its member in `ids` and of its step in `steps`.
    weight : ndarray of float
        The weights.

    Examples
    --------
    >>> history = WeightHistory.of([1, 2], [[1], [1, 2]], [[2.0], [0.5, 1.5]])
    >>> history.weights
    array([[2. , 0.5],
           [nan, 1.5]])
    """

    steps: np.ndarray
    ids: np.ndarray
    member: np.ndarray
    step: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(
        cls, steps: Sequence[int], members: Sequence[Any], weights: Sequence[Any]
    ) -> WeightHistory:
        """Put together what was noted at each step: the members, and their weights."""
        named = np.concatenate([np.zeros(0, dtype=int), *members])
        ids, member = np.unique(named, return_inverse=True)
        step = np.repeat(np.arange(len(steps)), [len(each) for each in members])
        return cls(np.array(steps), ids, member, step, np.concatenate([np.zeros(0), *weights]))

    @property
    def weights(self) -> np.ndarray:
        """The weights as a table of shape (members, steps), nan where a member was absent."""
        table = np.full((len(self.ids), len(self.steps)), np.nan)
        table[self.member, self.step] = self.weight
        return table


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
    content["histories"] = {name: vars(h) for name, h in result.histories.items()}
    return _plain(content)


def from_json(content: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a result from what `to_json` made of them."""
    content["classes"] = np.array(content["classes"])
    content["data"] = {
        name: {key: _array(values) for key, values in columns.items()}
        for name, columns in content["data"].items()
    }
    content["histories"] = {name: _history(h) for name, h in content["histories"].items()}
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


def _history(content: dict[str, Any]) -> WeightHistory:
    whole = {key: np.array(content[key], dtype=int) for key in ("steps", "ids", "member", "step")}
    return WeightHistory(**whole, weight=np.array(content["weight"], dtype=float))
