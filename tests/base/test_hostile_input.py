"""Invalid input of every kind is rejected by every learner with a message, or accepted."""

from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import partial
from numbers import Integral
from operator import methodcaller

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils import get_tags

import driftlearn
from driftlearn import io as persist
from driftlearn.base import validation

rng = np.random.default_rng(0)
X = rng.normal(size=(24, 3))
Y = (X[:, 0] > 0).astype(int)
Y[:4] = 0, 1, 0, 1
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
MANY = np.arange(40_000)  # more classes than codes of 16 bits
DAY = np.datetime64("2024-05-01")
FEW = {"n_estimators": 3, "n_per_chunk": 2, "epochs": 2, "init_size": 8, "max_iter": 20}


def small(kind):
    """Return a learner of this class with few members and a seed."""
    names = kind().get_params(deep=False)
    few = {name: value for name, value in FEW.items() if names.get(name) is not None}
    if "learners" in names:
        few["learners"] = {
            "bayes": driftlearn.GaussianNBClassifier(),
            "awe": driftlearn.AWEClassifier(),
        }
    return kind(**few, **({"random_state": 0} if "random_state" in names else {}))


LEARNERS = {
    name: small(getattr(driftlearn, name))
    for name in driftlearn.__all__
    if name.endswith("Classifier")
}


def put(value, row=3, column=1, dtype=float):
    """Return the rows with one value replaced."""
    rows = X.astype(dtype)
    rows[row, column] = value
    return rows


def named(value, row=3):
    """Return labels as objects with one of them replaced."""
    labels = Y.astype(object)
    labels[row] = value
    return labels


def weighing(value, row=3):
    """Return row weights of one, but for one row."""
    weights = np.ones(len(Y))
    weights[row] = value
    return weights


def column(values):
    """Return a frame whose column "b" has these values."""
    return FRAME.assign(b=values)


GREATEST, SMALLEST = np.finfo(float).max, np.finfo(float).smallest_subnormal
EVEN = [Y == 0, Y == 1]
FEATURES = {
    "NaN": put(np.nan),
    "infinity": put(-np.inf),
    "the greatest float": put(GREATEST),
    "1e200": put(1e200),
    "-1e155": put(-1e155),
    "the limit": put(validation.LARGEST_VALUE),
    "beyond the limit": put(np.nextafter(-validation.LARGEST_VALUE, -np.inf)),
    "all at the limit": np.where(X > 0, validation.LARGEST_VALUE, -validation.LARGEST_VALUE),
    "subnormal": X * SMALLEST,
    "far apart": X * [1e-300, 1.0, validation.LARGEST_VALUE / 10],
    "constant": np.zeros_like(X),
    "float16": X.astype(np.float16),
    "long doubles": put(np.longdouble("1e400"), dtype=np.longdouble),
    "long integers": put(10**400, dtype=object),
    "Fortran order": np.asfortranarray(X),
    "read-only": np.broadcast_to(X[0], X.shape),
    "booleans": X > 0,
    "complex": X + 1j,
    "dates": np.full(X.shape, DAY),
    "spans": np.full(X.shape, np.timedelta64(5, "D")),
    "list of dates": [[DAY] * 3] * len(X),
    "object with a date": put(datetime(2024, 5, 1), dtype=object),
    "object with text": put("red", dtype=object),
    "object with None": put(None, dtype=object),
    "object with a dict": put({}, dtype=object),
    "object with a list": put([1.0, 2.0], dtype=object),
    "text": np.full(X.shape, "red"),
    "bytes": np.full(X.shape, b"red"),
    "masked": np.ma.masked_array(X, mask=X > 0),
    "masked all": np.ma.masked_array(X, mask=True),
    "structured": np.zeros(len(X), dtype=[("a", float), ("b", float), ("c", float)]),
    "sparse": csr_array(X),
    "one dimension": X[:, 0],
    "three dimensions": X[:, :, None],
    "no dimension": 3.0,
    "no rows": X[:0],
    "no columns": X[:, :0],
    "other columns": X[:, :2],
    "ragged": [[1.0, 2.0, 3.0], [1.0, 2.0]] * (len(X) // 2),
    "None": None,
    "dict": {"a": 1},
    "text alone": "red",
    "fewer rows": X[:-1],
    "frame of dates": column(pd.date_range("2024-05-01", periods=len(X))),
    "frame of zoned dates": column(pd.date_range("2024-05-01", periods=len(X), tz="UTC")),
    "frame of spans": column(pd.to_timedelta(np.arange(len(X)), unit="h")),
    "frame of periods": column(pd.period_range("2024-05", periods=len(X), freq="D")),
    "frame of objects that are dates": column([date(2024, 5, 1)] * len(X)),
    "frame of text": column(["red"] * len(X)),
    "frame of categories": column(pd.Categorical(["red", "green"] * (len(X) // 2))),
    "frame of complex numbers": column(X[:, 0] + 1j),
    "frame with a missing value": column(pd.array([None, *range(len(X) - 1)], dtype="Int64")),
    "frame of booleans": FRAME > 0,
    "polars dates": pl.DataFrame({"a": X[:, 0], "b": [date(2024, 5, 1)] * len(X), "c": X[:, 2]}),
    "polars spans": pl.DataFrame({"a": X[:, 0], "b": [timedelta(1)] * len(X), "c": X[:, 2]}),
    "polars text": pl.DataFrame({"a": X[:, 0], "b": ["red"] * len(X), "c": X[:, 2]}),
}
LABELS = {
    "NaN": np.where(EVEN[0], np.nan, 1.0),
    "infinity": np.where(EVEN[0], np.inf, 1.0),
    "continuous": X[:, 1],
    "None": None,
    "with None": named(None),
    "with text": named("red"),
    "with NaN": named(np.nan),
    "with a fraction": named(Fraction(1, 3)),
    "with a long integer": named(10**30),
    "with a list": named([1]),
    "text": Y.astype(str),
    "bytes": Y.astype("S"),
    "dates": np.where(EVEN[0], DAY, DAY + 1),
    "spans": np.where(EVEN[0], np.timedelta64(1), np.timedelta64(2)),
    "complex": Y + 1j,
    "masked": np.ma.masked_array(Y, mask=EVEN[0]),
    "structured": np.zeros(len(Y), dtype=[("a", int)]),
    "one column": Y[:, None],
    "two columns": np.c_[Y, Y],
    "no dimension": 1,
    "empty": [],
    "fewer": Y[:-1],
    "booleans": Y.astype(bool),
    "whole floats": Y.astype(float),
    "unsigned beyond signed": np.where(EVEN[0], np.uint64(2**63 + 1), np.uint64(2**63 + 2)),
    "new class": Y + 7,
    "one class": np.zeros_like(Y),
    "categories": pd.Series(pd.Categorical(Y.astype(str))),
    "missing": pd.Series(pd.array([None, *Y[1:]], dtype="Int64")),
}
CLASSES = {
    "NaN": [0, 1, np.nan],
    "infinity": [0, 1, np.inf],
    "continuous": [0.5, 1.5],
    "two dimensions": [[0, 1], [2, 3]],
    "a number": 3,
    "a text": "red",
    "empty": [],
    "mixed": [0, "red"],
    "text": ["red", "green"],
    "bytes": [b"red", b"green"],
    "with None": [0, 1, None],
    "dates": np.array([DAY, DAY + 1]),
    "complex": [0j, 1j],
    "a set": {0, 1},
    "a dict": {"red": 1},
    "masked": np.ma.masked_array([0, 1, 2], mask=[0, 0, 1]),
    "structured": np.zeros(2, dtype=[("a", int)]),
    "sparse": csr_array([[0, 1]]),
    "ragged": [[0], [1, 2]],
    "unsigned beyond signed": np.array([2**63 + 1, 2**63 + 2], dtype=np.uint64),
    "twice": [1, 1, 0, 2, 2],
    "a range": range(3),
    "many": MANY,
}
WEIGHTS = {
    **{
        f"{way} {value}": give
        for value in (np.nan, np.inf, -np.inf, -1.0, 0.0, 1e308, 1e200, 1e-200, 5e-324, 1j, "red")
        for way, give in (("scalar", value), *(
            (("one", weighing(value)), ("all", np.full(len(Y), value)))
            if isinstance(value, float) else ()
        ))
    },
    "heaviest": weighing(validation.HEAVIEST),
    "heaviest all": np.full(len(Y), validation.HEAVIEST),
    "lightest": weighing(validation.LIGHTEST),
    "lightest all": np.full(len(Y), validation.LIGHTEST),
    "lightest and heaviest": np.where(EVEN[0], validation.LIGHTEST, validation.HEAVIEST),
    "too heavy": weighing(np.nextafter(validation.HEAVIEST, np.inf)),
    "too light": weighing(np.nextafter(validation.LIGHTEST, 0.0)),
    "booleans": EVEN[0],
    "integers": Y + 2**62,
    "long integers": [10**400] * len(Y),
    "with None": [None, *np.ones(len(Y) - 1)],
    "text": ["red"] * len(Y),
    "dates": np.full(len(Y), DAY),
    "spans": np.full(len(Y), np.timedelta64(5)),
    "complex": np.ones(len(Y)) + 0j,
    "masked": np.ma.masked_array(np.ones(len(Y)), mask=EVEN[0]),
    "two dimensions": np.ones((len(Y), 1)),
    "fewer": np.ones(len(Y) - 1),
    "empty": [],
    "a dict": {},
}  # fmt: skip
BORNE = {
    *("features: " + name for name in (
        "the limit", "all at the limit", "subnormal", "far apart", "constant", "float16",
        "Fortran order", "read-only", "booleans", "frame of booleans",
    )),
    *("labels: " + name for name in (
        "one column", "booleans", "whole floats", "new class", "one class",
    )),
    *("classes: " + name for name in ("twice", "a range", "many")),
    *("weights: " + name for name in (
        "one 0.0", "heaviest", "heaviest all", "lightest", "lightest all",
        "lightest and heaviest", "booleans", "integers",
    )),
}  # fmt: skip
MISSING = {"features: NaN", "features: object with None", "features: frame with a missing value"}
MORE_CLASSES = {  # more than two classes, which some learners reject
    "labels: new class",
    "labels: unsigned beyond signed",
    "classes: twice",
    "classes: a range",
    "classes: many",
    "the last of many classes",
}  # learners of numbers reject text and integers that floats cannot represent
EITHER = {  # a learner that knows numbers takes no text and no numbers that floats mix up
    "features: other columns", "labels: text", "labels: categories",
    "labels: unsigned beyond signed", "classes: unsigned beyond signed",
}  # fmt: skip
CALLS = {
    **{f"features: {name}": {"X": value} for name, value in FEATURES.items()},
    **{f"labels: {name}": {"y": value} for name, value in LABELS.items()},
    **{f"classes: {name}": {"classes": value} for name, value in CLASSES.items()},
    **{f"weights: {name}": {"sample_weight": value} for name, value in WEIGHTS.items()},
}
# Two at a time, at the limits of the valid range: products and squares are tested here.
CALLS["heavy and far"] = {"X": FEATURES["all at the limit"], "sample_weight": validation.HEAVIEST}
CALLS["light and far"] = {"X": FEATURES["all at the limit"], "sample_weight": validation.LIGHTEST}
CALLS["uneven and far"] = {
    "X": FEATURES["all at the limit"], "sample_weight": WEIGHTS["lightest and heaviest"],
}  # fmt: skip


BORNE |= {"heavy and far", "light and far", "uneven and far", "the last of many classes"}
CALLS["the last of many classes"] = {"y": Y + MANY[-2], "classes": MANY}


def cells(learner):
    """Yield every way of passing hostile input to a learner.

    Each is a name, whether the model is trained before, an action, and whether it must be accepted
    (None if either is allowed).
    """
    takes = validation.takes_missing(learner)
    for name, call in CALLS.items():
        if "classes" in call and not hasattr(learner, "partial_fit"):
            continue
        if name in MORE_CLASSES and not get_tags(learner).classifier_tags.multi_class:
            continue
        borne = None if name in EITHER else name in BORNE or (takes and name in MISSING)
        if (
            name.endswith(("classes: many", "of many classes"))
            and len(MANY) > learner._most_classes
        ):
            borne = False
        for later in (False, True):
            way = "later" if later else "first"
            yield f"{way}, {name}", later, partial(learn, **{"X": X, "y": Y, **call}), borne
    for name, rows in FEATURES.items():
        borne = name == "fewer rows" or f"features: {name}" in BORNE
        borne |= takes and f"features: {name}" in MISSING
        yield f"asked, {name}", True, methodcaller("predict_proba", rows), borne


def learn(model, X, y, **more):
    """Train a model, incrementally if possible."""
    getattr(model, "partial_fit", model.fit)(X, y, **more)


def problem_of(before, call, borne):
    """Return how a hostile call changed a stored model although it must not, or None."""
    model = persist.loads(before)
    try:
        call(model)
    except (ValueError, TypeError) as problem:
        if borne:
            return f"refused: {problem!r}"
        if persist.dumps(model) != before:
            return f"the model changed before {problem!r}"
        if len(str(problem)) < 20:
            return f"says too little: {problem!r}"
    except Exception as problem:
        return f"raised {type(problem).__name__}: {problem}"
    else:
        if borne is False:
            return "accepted"
    try:
        return problem_after(model)
    except Exception as problem:
        return f"cannot go on: {type(problem).__name__}: {problem}"


def problem_after(model):
    """Train a model on ordinary rows; return the problem found then, or None."""
    rows = (
        FRAME
        if hasattr(model, "feature_names_in_")
        else X[:, : getattr(model, "n_features_in_", 3)]
    )
    labels = Y.astype(getattr(model, "classes_", Y).dtype)
    for n in (6, 0):
        if hasattr(model, "classes_"):
            shares = model.predict_proba(rows)
            if not np.isfinite(shares).all() or abs(shares.sum(axis=1) - 1.0).max() > 1e-9:
                return f"says that probabilities are {shares[0]}"
        if n:
            learn(model, rows[:n], labels[:n])
    return None


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.filterwarnings("ignore:The number of unique classes is greater than 50%")
@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("name", LEARNERS)
def test_hostile_input_is_rejected_or_accepted(name):
    learner = LEARNERS[name]
    fitted = clone(learner)
    learn(fitted, X, Y)
    stored = {False: persist.dumps(clone(learner)), True: persist.dumps(fitted)}
    found = {
        cell: problem
        for cell, later, call, borne in cells(learner)
        if (problem := problem_of(stored[later], call, borne))
    }
    assert not found


@pytest.mark.parametrize(
    "learner",
    [
        driftlearn.DWMClassifier(period=2**31),
        driftlearn.NSOnlineBoostClassifier(period=2**31),
        driftlearn.NSOnlineBoostClassifier(maturity=2**40),
        driftlearn.HoeffdingTreeClassifier(max_depth=2**31),
    ],
    ids=str,
)
def test_numbers_beyond_c_types_are_rejected(learner):
    with pytest.raises(ValueError, match=r"The '(period|maturity|max_depth)' parameter"):
        learner.partial_fit([[0.0], [1.0]], [0, 1])


# they request this number of rounds
ROUNDS = {
    "n_estimators", "n_per_chunk", "n_per_block", "epochs", "max_retries", "max_iter",
    "hidden_layer_size",
}  # fmt: skip


@pytest.mark.parametrize("name", LEARNERS)
def test_large_integers_are_rejected_with_their_parameter(name):
    rules = type(LEARNERS[name])._parameter_constraints
    whole = [key for key in rules if any(getattr(r, "type", 0) is Integral for r in rules[key])]
    for parameter in {*whole} - ROUNDS:
        try:
            learn(clone(LEARNERS[name]).set_params(**{parameter: 2**70}), X, Y)
        except ValueError as problem:
            assert parameter in str(problem)


@pytest.mark.parametrize(
    "learner",
    [
        driftlearn.IBoostClassifier(n_updates=2**40),
        driftlearn.FLCClassifier(window_size=2**40, detector="sd"),
    ],
    ids=str,
)
def test_sizes_beyond_memory_are_rejected(learner):
    with pytest.raises(ValueError, match=r"n_updates|window_size"):
        learner.partial_fit([[0.0], [1.0]], [0, 1])
