"""Other objects in learners: functions by name, regular expressions, sparse matrices, frames."""

import functools
import random
import re
from collections import defaultdict

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.special
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from driftlearn import SEAClassifier
from driftlearn.io import CorruptFile, NotAllowed, _files, dumps, loads
from tests.io import fuzzing

DENSE = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.5, 0.0, -1.0], [0.0, 3.0, 0.0]])


def again(thing):
    content = dumps([thing, thing])
    copy, same = loads(content)
    assert copy is same and dumps([copy, copy]) == content and type(copy) is type(thing)
    return copy


def test_functions_by_name():
    assert again(np.log) is np.log and again(scipy.special.expit) is scipy.special.expit
    X, y = fuzzing.rows()
    model = SEAClassifier(make_pipeline(FunctionTransformer(np.log), LogisticRegression()))
    model.partial_fit(X, y)
    np.testing.assert_array_equal(loads(dumps(model)).predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("pattern", ["a+(?i:b)", b"\xff.", "ü|\\d"])
@pytest.mark.parametrize("flags", [0, re.IGNORECASE | re.DOTALL, re.VERBOSE])
def test_expressions(pattern, flags):
    assert again(re.compile(pattern, flags)) == re.compile(pattern, flags)


@pytest.mark.parametrize("kind", ["matrix", "array"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia"])
@pytest.mark.parametrize("dense", [DENSE, DENSE.astype(np.int8), np.zeros((0, 3)), DENSE > 0])
def test_sparse_matrices(form, kind, dense):
    matrix = getattr(sp, f"{form}_{kind}")(dense)
    copy = again(matrix)
    np.testing.assert_array_equal(copy.toarray(), dense)
    assert copy.dtype == matrix.dtype and copy.shape == matrix.shape


def test_sparse_vectors():
    np.testing.assert_array_equal(again(sp.coo_array(DENSE[2])).toarray(), DENSE[2])


def test_formats_that_are_changed_row_by_row_are_not_saved():
    with pytest.raises(NotAllowed, match="lil"):
        dumps(sp.lil_matrix(DENSE))


def pandas_things():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "n": [1, 2, 3], "x": [0.5, np.nan, 1.0], "t": ["a", None, "c"],
            "b": [True, False, True],
            "d": pd.to_datetime(["2020-01-01", None, "2021-05-05"]),
            "c": pd.Categorical(["u", "v", "u"], ordered=True), 7: [1j, 2, 3],
        }
    )  # fmt: skip
    named = frame.set_index("t").rename_axis(columns="names")
    twice = pd.concat([frame[["n"]], frame[["n"]]], axis=1)
    return [frame, frame.iloc[1:], named, frame["x"], frame["t"], frame["c"], twice, frame[[]],
            pd.DataFrame(), frame.sort_values("x"), frame.astype({"t": object})]  # fmt: skip


@pytest.mark.parametrize("number", range(11))
def test_pandas(number):
    pd = pytest.importorskip("pandas")
    thing = pandas_things()[number]
    equal = pd.testing.assert_frame_equal if thing.ndim == 2 else pd.testing.assert_series_equal
    equal(again(thing), thing)


def test_pandas_columns_that_are_not_plain_are_not_saved():
    pd = pytest.importorskip("pandas")
    for column in (pd.Series([pd.Period("2020")]), pd.Series([1], index=[[1], [2]])):
        with pytest.raises(NotAllowed, match="cannot be saved"):
            dumps(column)


def test_polars():
    pl = pytest.importorskip("polars")
    from datetime import date, datetime

    frame = pl.DataFrame(
        {
            "n": [1, None, 3], "x": [0.5, float("nan"), None], "t": ["a", None, "ü"],
            "b": [True, None, False], "d": [date(2020, 1, 1), None, date(2021, 5, 5)],
            "w": [datetime(2020, 1, 1, 5), None, datetime(1969, 1, 1)],
        },
        schema_overrides={"n": pl.Int8},
    )  # fmt: skip
    for thing in (frame, frame[:0], frame.select()):
        assert again(thing).equals(thing) and again(thing).schema == thing.schema
    assert again(frame["n"]).equals(frame["n"], check_dtypes=True, check_names=True)
    with pytest.raises(NotAllowed, match="cannot be saved"):
        dumps(pl.Series([[1], [2]]))


def crafted(form, *parts):
    return _files.pack("crafted", *_written({"other": form, "parts": {"tuple": [*parts]}}), False)


def _written(tree):
    return tree, {"f": (np.dtype("f8"), [bytes(32)]), "i": (np.dtype("i4"), [NUMBERS.tobytes()])}


NUMBERS = np.array([0, 1, 2, 3, -1, 99, 0, 1, 1, 5, 2, 2, 2, 0, 1, 1, 2], dtype="i4")
ROWS = {"tuple": [3, 3]}
DATA = {"array": ["f", 0, [2]]}


def ints(first, n):
    return {"array": ["i", first, [n]]}


@pytest.mark.parametrize(
    "form, parts",
    [
        ("scipy:csr_matrix", [ROWS, DATA, ints(4, 2), ints(0, 4)]),
        ("scipy:csr_matrix", [ROWS, DATA, ints(5, 2), ints(6, 4)]),
        ("scipy:csr_matrix", [ROWS, DATA, ints(0, 2), ints(0, 4)]),
        ("scipy:csr_matrix", [ROWS, DATA, ints(0, 2), ints(9, 4)]),
        ("scipy:csr_matrix", [ROWS, DATA, ints(0, 2), ints(0, 3)]),
        ("scipy:csc_array", [ROWS, DATA, ints(5, 2), ints(0, 4)]),
        ("scipy:csc_array", [ROWS, DATA, DATA, ints(0, 4)]),
        ("scipy:coo_matrix", [ROWS, DATA, {"tuple": [ints(0, 2), ints(4, 2)]}]),
        ("scipy:coo_matrix", [{"tuple": [2**40, 3]}, DATA, {"tuple": [ints(0, 2), ints(0, 2)]}]),
        ("scipy:coo_matrix", [ROWS, DATA, {"tuple": [ints(0, 2)]}]),
        ("scipy:dia_matrix", [ROWS, {"array": ["f", 0, [2, 2]]}, ints(4, 2)]),
        ("scipy:lil_matrix", [ROWS, DATA, DATA]),
        ("re", ["a" * 10_000, 0]),
        ("re", ["a", 128]),
        ("re", [3, 0]),
        ("re", ["(", 0]),
        ("ufunc", ["numpy:load"]),
        ("pandas:Series", [{"tuple": [None, 0, 10**12, 1]}, None, {"tuple": ["", DATA]}]),
        ("pandas:Series", [{"tuple": [None, 0, 2, 1]}, None, {"tuple": ["O8", DATA]}]),
        ("pandas:read_pickle", ["path"]),
        ("polars:Series", ["a", "Object", DATA, ints(0, 2)]),
        ("polars:Series", ["a", "Int8", DATA, DATA]),
        ("os:system", ["true"]),
    ],
    ids=str,
)
def test_hostile_parts_are_refused(form, parts):
    with pytest.raises((CorruptFile, NotAllowed)):
        loads(crafted(form, *parts))


def test_the_same_parts_unspoilt_are_not_refused():
    matrix = loads(crafted("scipy:csr_matrix", ROWS, DATA, ints(0, 2), ints(13, 4)))
    assert matrix.shape == (3, 3)


def test_what_members_of_others_hold():
    """Members may hold mutable bytes and Python's generators; a partial is loaded if trusted."""
    numbers = random.Random(3)
    numbers.gauss()
    copy, held = loads(dumps([numbers, bytearray(b"\x00ab")]))
    assert copy.random() == numbers.random() and copy.gauss() == numbers.gauss()
    assert held == bytearray(b"\x00ab") and type(held) is bytearray
    later = again(functools.partial(defaultdict, list))
    assert later()["new"] == []
    trusted = functools.partial(LogisticRegression, C=3)
    content = dumps(trusted, allow="sklearn")
    assert loads(content, allow="sklearn")().C == 3
    for refused in (lambda: loads(content), lambda: dumps(functools.partial(print))):
        with pytest.raises(NotAllowed, match=r"functools\.partial of"):
            refused()


@pytest.mark.parametrize(
    "node",
    [
        {"partial": {"class": "builtins:bytes"}, "arguments": [10**12], "keywords": {"dict": {}}},
        {"partial": "os.system", "arguments": ["true"], "keywords": {"dict": {}}},
        {"partial": {"class": "collections:defaultdict"}, "arguments": [], "keywords": 3},
        {"random": {"tuple": [3, {"tuple": [1, 2]}, None]}},
        {"random": 7},
        {"bytearray": "no hex"},
    ],
    ids=str,
)
def test_hostile_nodes_are_refused(node):
    with pytest.raises((CorruptFile, NotAllowed)):
        loads(_files.pack("crafted", node, {}, False))
