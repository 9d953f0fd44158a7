"""Rows in request bodies: three valid forms, and an error message for everything else."""

import json

import pytest

from driftlearn.ops.serving.request_rows import RequestError, _object, parse_rows


def columns(body):
    found = parse_rows(body if isinstance(body, bytes) else json.dumps(body).encode())
    return {name: values.tolist() for name, values in found.columns.items()}


@pytest.mark.parametrize(
    "body",
    [
        [{"x": 1, "y": "a"}, {"y": None, "x": 2.5}],
        {"x": [1, 2.5], "y": ["a", None]},
        {"rows": [{"x": 1, "y": "a"}, {"x": 2.5, "y": None}]},
        {"rows": {"x": [1, 2.5], "y": ["a", None]}, "id": "k", "votes": True},
    ],
)
def test_forms(body):
    assert columns(body) == {"x": [1, 2.5], "y": ["a", None]}


def test_one_row():
    assert columns({"x": 1, "y": True}) == {"x": [1], "y": [True]}
    assert columns({"rows": {"x": 1}}) == {"x": [1]}


def test_work_for_a_name_that_occurs_twice_is_linear():
    class Name(str):
        n_compared = 0
        __hash__ = str.__hash__

        def __eq__(self, other):
            Name.n_compared += 1
            return str(self) == str(other)

    pairs = [(Name(min(i, 998)), i) for i in range(1_000)]
    with pytest.raises(RequestError, match="The name '998' occurs twice"):
        _object(pairs)
    assert Name.n_compared < 10 * len(pairs)


def test_columns_may_be_called_like_what_wraps_them():
    assert columns({"rows": 5, "id": "a"}) == {"rows": [5], "id": ["a"]}
    assert columns({"rows": [5, 6], "votes": [1, 2]}) == {"rows": [5, 6], "votes": [1, 2]}


def test_what_is_around():
    found = parse_rows(b'{"rows": {"x": 1}, "id": "k", "votes": true}')
    assert (found.id, found.votes, found.n) == ("k", True, 1)


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        (b"", 400, "not valid JSON"),
        (b"{", 400, "not valid JSON .*line 1 column 2"),
        (b'{"x": 1} {', 400, "not valid JSON"),
        (b"\xff", 400, "not valid UTF-8"),
        (b'{"x": "\\ud800"}', 400, "not valid UTF-8"),
        (b'{"x": NaN}', 400, "NaN is not valid JSON. Write null"),
        (b'{"x": -Infinity}', 400, "-Infinity is not valid JSON"),
        (b'{"x": 1, "x": 2}', 400, "The name 'x' occurs twice"),
        (b'[{"x": 1}, {"x": 1, "x": 2}]', 400, "The name 'x' occurs twice"),
        (b'{"x": ' + b"9" * 5_000 + b"}", 400, "too many digits"),
        (b"[" * 100_000, 400, "nested too deeply"),
        (b'{"x":' * 100_000, 400, "nested too deeply"),
        (b"[]", 400, "The request has no rows"),
        (b"{}", 400, "The request has no rows"),
        (b"[{}]", 400, "Row 0 has no column"),
        (b'{"x": []}', 400, "The request has no rows"),
        (b'{"rows": []}', 400, "The request has no rows"),
        (b"null", 400, "The body has no rows"),
        (b"7", 400, "The body has no rows"),
        (b'"x"', 400, "The body has no rows"),
        (b"[1, 2]", 400, "The body has no rows"),
        (b'[{"x": 1}, 2]', 400, "The body has no rows"),
        (b'{"x": [1], "y": 2}', 400, "Some values are lists"),
        (b'{"x": [1], "y": [1, 2]}', 400, "'x' has 1 values, 'y' has 2"),
        (b'{"x": [[1]]}', 422, "Row 0: column 'x' must be a string, a number"),
        (b'[{"x": 1}, {"x": {"a": 1}}]', 422, "Row 1: column 'x' must be"),
        (b'[{"x": 1, "y": 2}, {"x": 1}]', 422, "Row 1 has no column 'y'. Write null"),
        (b'[{"x": 1}, {"x": 1, "y": 2}]', 422, "Row 1 has a column 'y' that row 0"),
        (b'{"rows": {"x": 1}, "key": 1}', 400, "Unknown field 'key'"),
        (b'{"rows": {"x": 1}, "id": 7}', 400, "An idempotency key must be a string"),
        (b'{"rows": {"x": 1}, "id": ""}', 400, "An idempotency key must be a string"),
        (b'{"rows": {"x": 1}, "votes": 1}', 400, "true or false"),
        (b'{"rows": {"x": 1}, "sets": 90}', 400, "between 0 and 1, such as 0.9"),
        (b'{"rows": {"x": 1}, "sets": "0.9"}', 400, "between 0 and 1, such as 0.9"),
        (b'{"x": [1, 2, 3, 4]}', 413, "4 rows. Send at most 3"),
    ],
)
def test_invalid_bodies_are_rejected(body, status, text):
    with pytest.raises(RequestError, match=text) as refused:
        parse_rows(body, most=3)
    assert refused.value.status == status
    assert len(refused.value.message) < 300 and "\n" not in refused.value.message
