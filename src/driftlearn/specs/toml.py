"""Read TOML files and find the line of a key."""

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_PLACE = re.compile(r"\s*\((?:at line (\d+), column (\d+)|at end of document)\)$")


def read_toml(path: str | Path) -> tuple[dict[str, Any], str]:
    """Return the parsed content of a file, with arrays as tuples, and its text.

    Raises
    ------
    ValueError
        If the file cannot be read or is not TOML; the message names file and line.
    """
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise ValueError(f"{path}, line {line}: not valid UTF-8") from error
    try:
        return _tuples(tomllib.loads(text)), text
    except ValueError as error:
        place = _PLACE.search(str(error))
        at, column = place.groups() if place else (None, None)
        problem = _PLACE.sub(f" at column {column}" if column else "", str(error))
        last = len(text.splitlines())
        raise ValueError(f"{path}, line {at or last}: {problem[0].lower()}{problem[1:]}") from error


def line_of(keys: Sequence[str], text: str) -> int:
    r"""Return the line of a key, or of the innermost existing table on its path.

    Increasingly long prefixes of the text are parsed: the line of a key is where it first appears.

    Parameters
    ----------
    keys : sequence of str
        Keys of the enclosing tables, followed by the key.
    text : str
        Content of the file.

    Examples
    --------
    >>> text = 'seeds = 3\n[learners.nse]\nname = "learn++.nse"'
    >>> line_of(["learners", "nse", "name"], text), line_of(["learners", "nse", "slope"], text)
    (3, 2)
    """
    lines = text.split("\n")
    found, depth, begin = 1, 0, 1
    for end in range(1, len(lines) + 1):
        try:
            content = tomllib.loads("\n".join(lines[:end]))
        except ValueError:  # this part ends inside a value
            continue
        reached = _depth(content, keys)
        if reached > depth:
            found, depth = begin, reached
        begin = end + 1
    return found


def _depth(content: Any, keys: Sequence[str]) -> int:
    """Return the length of the longest existing prefix of keys."""
    for n, key in enumerate(keys):
        if not isinstance(content, Mapping) or key not in content:
            return n
        content = content[key]
    return len(keys)


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
