"""Rows in the body of a request: one object, a list of objects, or columns."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from driftlearn.ops.serving.refused import Refused
from driftlearn.utils.safe_text import printable

SCALARS = frozenset([str, int, float, bool, type(None)])
LONGEST_KEY = 200  # characters of an idempotency key
FORMS = 'send one row as {"x": 1}, several as [{"x": 1}, {"x": 2}], or columns as {"x": [1, 2]}'
AROUND = {"rows", "id", "votes"}


@dataclass(frozen=True)
class Rows:
    """What a request brings.

    Attributes
    ----------
    columns : dict of str to ndarray of objects
        The rows as columns, None where a value is missing.
    n : int
        How many rows there are.
    id : str or None
        The idempotency key, where it is in the body.
    votes: bool
        Whether it is asked who voted.
    """

    columns: dict[str, np.ndarray]
    n: int
    id: str | None = None
    votes: bool = False


def rows_of(body: bytes, most: int | None = None) -> Rows:
    """Return the rows of a body; raise `Refused` if there are none.

    Parameters
    ----------
    body : bytes
        JSON. Rows may be wrapped, as ``{"rows": [...], "id": "a1", "votes": true}``.
    most : int, optional
        How many rows there may be.

    Examples
    --------
    >>> rows = rows_of(b'[{"x": 1, "colour": "red"}, {"x": null, "colour": "blue"}]')
    >>> rows.n, rows.columns["x"]
    (2, array([1, None], dtype=object))
    """
    found, wrapped = _json(body), {}
    if isinstance(found, dict) and "rows" in found and _wraps(found["rows"]):
        wrapped = found
        unknown = found.keys() - AROUND
        if unknown:
            name = _quoted(min(unknown))
            raise Refused(400, f"beside 'rows' there may be 'id' and 'votes', and no {name}")
        found = found["rows"]
    columns = _columns(found)
    n = len(next(iter(columns.values())))
    if most is not None and n > most:
        raise Refused(413, f"the request has {n:,} rows, and {most:,} are the most: send several")
    votes = wrapped.get("votes", False)
    if type(votes) is not bool:
        raise Refused(400, "'votes' is true or false")
    arrays = {name: _array(values) for name, values in columns.items()}
    return Rows(arrays, n, checked_key(wrapped.get("id")), votes)


def checked_key(key: Any) -> str | None:
    """Return an idempotency key; raise `Refused` if it cannot be one."""
    if key is None:
        return None
    if type(key) is not str or not 0 < len(key) <= LONGEST_KEY or not key.isprintable():
        raise Refused(400, f"an idempotency key is a text of 1 to {LONGEST_KEY} characters")
    return key


def _wraps(value: Any) -> bool:
    """Tell whether what is called rows are rows, not the values of a column of that name."""
    first = value[:1] if isinstance(value, list) else [value]
    return all(isinstance(each, dict) for each in first)


def _json(body: bytes) -> Any:
    try:
        found = json.loads(
            body.decode("utf-8"), object_pairs_hook=_object, parse_constant=_no_constant
        )
        if b"\\u" in body:  # half a pair of surrogates can be escaped, and is no text
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise Refused(400, f"the body is nested too deeply: {FORMS}") from None
    except UnicodeError:
        raise Refused(400, "the body has text that is no UTF-8") from None
    except json.JSONDecodeError as problem:
        where = f"line {problem.lineno}, column {problem.colno}"
        raise Refused(400, f"the body is no JSON ({problem.msg}, {where}): {FORMS}") from None
    except ValueError:
        raise Refused(400, "the body has a number of too many digits") from None
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Refused(400, f"{_quoted(twice)} is there twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise Refused(400, f"{name} is no JSON: write null where a value is missing")


def _columns(found: Any) -> dict[str, list[Any]]:
    if isinstance(found, dict) and found:
        lists = [isinstance(values, list) for values in found.values()]
        if all(lists):
            return _checked(found)
        if not any(lists):
            return _checked({name: [value] for name, value in found.items()})
        raise Refused(400, f"some values are lists and some are not: {FORMS}")
    if isinstance(found, list) and found and all(type(row) is dict for row in found):
        if not found[0]:
            raise Refused(400, f"row 0 has no column: {FORMS}")
        names = found[0].keys()
        for i, row in enumerate(found):
            if row.keys() != names:
                raise Refused(422, _differs(i, row.keys(), names))
        return _checked({name: [row[name] for row in found] for name in names})
    if found in ([], {}):
        raise Refused(400, f"there are no rows: {FORMS}")
    raise Refused(400, f"these are no rows: {FORMS}")


def _differs(i: int, there: Any, names: Any) -> str:
    gone = [name for name in names if name not in there]
    if gone:
        return f"row {i} has no column {_quoted(gone[0])}: write null where a value is missing"
    new = next(name for name in there if name not in names)
    return f"row {i} has a column {_quoted(new)} that row 0 does not have: all rows need the same"


def _checked(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    lengths = {name: len(values) for name, values in columns.items()}
    if len({*lengths.values()}) > 1:
        short, long = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
        raise Refused(
            400,
            f"column {_quoted(short)} has {lengths[short]:,} values and {_quoted(long)} "
            f"{lengths[long]:,}: columns must be equally long",
        )
    if not next(iter(lengths.values())):
        raise Refused(400, f"there are no rows: {FORMS}")
    for name, values in columns.items():
        if not SCALARS.issuperset(map(type, values)):
            i = next(i for i, value in enumerate(values) if type(value) not in SCALARS)
            raise Refused(
                422,
                f"row {i}: column {_quoted(name)} holds a list or an object: a value is a text, a "
                "number, true, false or null",
            )
    return columns


def _array(values: list[Any]) -> np.ndarray:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _quoted(name: str) -> str:
    return repr(printable(name))[:80]
