"""TOML files, and on which of their lines a key stands."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

_PART = r"(?:[\w-]+|\"[^\"]*\"|'[^']*')"
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*\[\s*({_DOTTED})\s*\]")
_ENTRY = re.compile(rf"\s*({_DOTTED})\s*=")
_LONG_TEXT = re.compile(r"\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3}")
_PLACE = re.compile(r"\s*\((?:at line (\d+), column (\d+)|at end of document)\)$")


def read_toml(path: str | Path) -> tuple[dict[str, Any], str]:
    """Read a file; give what it says, its arrays as tuples, and its text.

    Raises
    ------
    ValueError
        With the file and the line, if it cannot be read or is not TOML.
    """
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ValueError(f"{path}, line {line}: this is no UTF-8 text") from error
    try:
        return _tuples(_tomllib().loads(text)), text
    except ValueError as error:
        place = _PLACE.search(str(error))
        at, column = place.groups() if place else (None, None)
        said = _PLACE.sub(f" at column {column}" if column else "", str(error))
        last = len(text.splitlines())
        raise ValueError(f"{path}, line {at or last}: {said[0].lower()}{said[1:]}") from error


def line_of(keys: Sequence[str], text: str, content: Mapping[str, Any]) -> int:
    r"""Find the line of a key of the file, or of the table in which it would be.

    Parameters
    ----------
    keys : sequence of str
        The key, after those of the tables around it.
    text : str
        The text of the file.
    content : mapping
        What it says; a line inside a text or an array that looks like a key is not taken for one.

    Examples
    --------
    >>> text = 'seeds = 3\n[learners.nse]\nname = "learn++.nse"'
    >>> content = {"seeds": 3, "learners": {"nse": {"name": "learn++.nse"}}}
    >>> line_of(["learners", "nse", "name"], text, content)
    3
    >>> line_of(["learners", "nse", "slope"], text, content)
    2
    """
    lines: dict[tuple[str, ...], int] = {(): 1}
    table: tuple[str, ...] = ()
    without_texts = _LONG_TEXT.sub(lambda found: "\n" * found.group().count("\n"), text)
    for number, line in enumerate(without_texts.split("\n"), start=1):
        header, entry = _HEADER.match(line), _ENTRY.match(line)
        if header and _there(content, _split(header)):
            table = path = _split(header)
        elif entry and _there(content, (*table, *_split(entry))):
            path = (*table, *_split(entry))
        else:
            continue
        for k in range(1, len(path) + 1):
            lines.setdefault(path[:k], number)
    found = tuple(keys)
    while found not in lines:
        found = found[:-1]
    return lines[found]


def _split(found: re.Match[str]) -> tuple[str, ...]:
    return tuple(part.strip("'\"") for part in re.findall(_PART, found.group(1)))


def _there(content: Any, path: Sequence[str]) -> bool:
    for key in path:
        if not isinstance(content, Mapping) or key not in content:
            return False
        content = content[key]
    return True


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _tomllib(version: tuple[int, ...] = sys.version_info[:2]) -> Any:
    if version >= (3, 11):
        return import_module("tomllib")
    try:
        return import_module("tomli")
    except ImportError as error:
        raise ImportError(
            "plans are TOML, which Python 3.10 cannot read by itself; install a reader with: "
            "pip install tomli"
        ) from error
