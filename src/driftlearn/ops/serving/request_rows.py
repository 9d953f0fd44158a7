"""Parse the rows in a request body: one object, a list of objects, or an object of columns."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from driftlearn.utils.safe_text import printable
from driftlearn.utils.table import objects

SCALARS = frozenset([str, int, float, bool, type(None)])
MAX_KEY = 200  # maximum characters of an idempotency key
FORMS = 'Send one row as {"x": 1}, several as [{"x": 1}, {"x": 2}], or columns as {"x": [1, 2]}.'
MISSING = "Write null where a value is missing."
CORRECT = "Correct the value, or write null."
FIELDS = {"rows", "id", "votes", "sets"}


class RequestError(Exception):
    """Error for a request that is rejected as a whole.

    Parameters
    ----------
    status : int
        The HTTP status.
    message : str
        What is wrong, and what to do.
    retry_after : float, optional
        Seconds after which the client may try again.
    """

    def __init__(self, status: int, message: str, retry_after: float | None = None):
        super().__init__(message)
        self.status, self.message, self.retry_after = status, message, retry_after


@dataclass(frozen=True)
class Rows:
    """Rows of a request.

    Attributes
    ----------
    columns : dict of str to ndarray of objects
        The rows as columns; None for a missing value.
    n : int
        Number of rows.
    id : str or None
        The idempotency key in the body.
    votes : bool
        Whether the client requests the votes.
    sets : float or None
        Coverage of the prediction sets that the client requests.
    """

    columns: dict[str, np.ndarray]
    n: int
    id: str | None = None
    votes: bool = False
    sets: float | None = None


def parse_rows(body: bytes, most: int | None = None, *, logged: bool = False) -> Rows:
    """Return the rows in a request body; raise `RequestError` if the body is invalid.

    Parameters
    ----------
    body : bytes
        JSON. Rows may be wrapped, as ``{"rows": [...], "id": "a1", "votes": true, "sets": 0.9}``.
    most : int, optional
        Maximum number of rows.
    logged : bool
        Whether the body comes from the log, and may have been accepted by an earlier version.

    Examples
    --------
    >>> rows = parse_rows(b'[{"x": 1, "colour": "red"}, {"x": null, "colour": "blue"}]')
    >>> rows.n, rows.columns["x"]
    (2, array([1, None], dtype=object))
    """
    found: Any = _json(body)
    fields: dict[str, Any] = {}
    if isinstance(found, dict) and "rows" in found and _is_wrapper(found["rows"]):
        fields = {**found}
        if logged and "voters" in fields:  # name of 'votes' in version 0.1.0
            fields["votes"] = fields.pop("voters")
        unknown = fields.keys() - FIELDS
        if unknown:
            name = _quoted(min(unknown))
            expected = "expected 'rows', 'id', 'votes' or 'sets'"
            raise RequestError(400, f"Unknown field {name}: {expected}.")
        found = fields["rows"]
    columns = _columns(found)
    n = len(next(iter(columns.values())))
    if most is not None and n > most:
        raise RequestError(413, f"The request has {n:,} rows. Send at most {most:,} at once.")
    votes = fields.get("votes", False)
    if type(votes) is not bool:
        raise RequestError(400, "'votes' must be true or false.")
    sets = fields.get("sets")
    if sets is not None and not (type(sets) is float and 0 < sets < 1):
        raise RequestError(400, "'sets' must be a coverage between 0 and 1, such as 0.9.")
    arrays = {name: objects(values) for name, values in columns.items()}
    return Rows(arrays, n, checked_key(fields.get("id")), votes, sets)


def checked_key(key: Any) -> str | None:
    """Return an idempotency key; raise `RequestError` if it is invalid."""
    if key is None:
        return None
    if type(key) is not str or not 0 < len(key) <= MAX_KEY or not key.isprintable():
        text = f"An idempotency key must be a string of 1 to {MAX_KEY} printable characters."
        raise RequestError(400, text)
    return key


def _is_wrapper(value: Any) -> bool:
    """Return whether the field 'rows' contains rows rather than the values of a column 'rows'."""
    first = value[:1] if isinstance(value, list) else [value]
    return all(isinstance(each, dict) for each in first)


def _json(body: bytes) -> Any:
    try:
        text = body.decode("utf-8")
        found = json.loads(text, object_pairs_hook=_object, parse_constant=_reject_constant)
        if b"\\u" in body:  # JSON may contain an escaped lone surrogate, which is not valid text
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise RequestError(400, f"The body is nested too deeply. {FORMS}") from None
    except UnicodeError:
        raise RequestError(400, "The body is not valid UTF-8.") from None
    except json.JSONDecodeError as problem:
        raise RequestError(400, f"The body is not valid JSON ({problem}). {FORMS}") from None
    except ValueError:
        raise RequestError(400, "The body has a number with too many digits.") from None
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, n in counts.items() if n > 1)
        raise RequestError(400, f"The name {_quoted(twice)} occurs twice in an object.")
    return found


def _reject_constant(name: str) -> NoReturn:
    raise RequestError(400, f"{name} is not valid JSON. {MISSING}")


def _columns(found: Any) -> dict[str, list[Any]]:
    if found in ([], {}):
        raise RequestError(400, f"The request has no rows. {FORMS}")
    if isinstance(found, dict):
        n_lists = sum(isinstance(values, list) for values in found.values())
        if n_lists not in (0, len(found)):
            raise RequestError(400, f"Some values are lists and some are not. {FORMS}")
        return _checked(found if n_lists else {name: [value] for name, value in found.items()})
    if not isinstance(found, list) or any(type(row) is not dict for row in found):
        raise RequestError(400, f"The body has no rows. {FORMS}")
    names = found[0].keys()
    if not names:
        raise RequestError(400, f"Row 0 has no columns. {FORMS}")
    for i, row in enumerate(found):
        if row.keys() != names:
            raise RequestError(422, _difference(i, row.keys(), names))
    return _checked({name: [row[name] for row in found] for name in names})


def _difference(i: int, there: Any, names: Any) -> str:
    missing = [name for name in names if name not in there]
    if missing:
        return f"Row {i} has no column {_quoted(missing[0])}. {MISSING}"
    new = next(name for name in there if name not in names)
    return f"Row {i} has a column {_quoted(new)} that row 0 does not have. All rows need the same."


def _checked(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return columns; raise `RequestError` unless they have equal lengths and contain scalars."""
    first, n = next((name, len(values)) for name, values in columns.items())
    for name, values in columns.items():
        if len(values) != n:
            lengths = f"{_quoted(first)} has {n:,} values, {_quoted(name)} has {len(values):,}"
            raise RequestError(400, f"All columns must have the same length. {lengths}.")
    if not n:
        raise RequestError(400, f"The request has no rows. {FORMS}")
    for name, values in columns.items():
        if not SCALARS.issuperset(map(type, values)):
            i = next(i for i, value in enumerate(values) if type(value) not in SCALARS)
            where = f"Row {i}: column {_quoted(name)}"
            raise RequestError(422, f"{where} must be a string, a number, true, false or null.")
    return columns


def _quoted(name: str) -> str:
    return repr(printable(name))[:80]
