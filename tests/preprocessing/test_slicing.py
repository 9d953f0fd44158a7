"""Slicing rows into calls, and saving between calls, does not change a bit of the results."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftlearn import GaussianNBClassifier
from driftlearn.io import CorruptFile, dumps, loads
from driftlearn.preprocessing import Frozen, Refitted, TableEncoder, make_pipeline

KINDS = {"x": "number", "w": "category", "d": "date", "b": "boolean"}
VALUES = {
    "x": st.one_of(st.none(), st.floats(-1e80, 1e80), st.integers(-9, 9), st.just("word")),
    "w": st.one_of(st.none(), st.sampled_from(["a", "b", "c", "d", "e", ""]), st.integers(0, 3)),
    "d": st.one_of(st.none(), st.dates().map(str), st.datetimes(), st.just("never")),
    "b": st.one_of(st.none(), st.booleans(), st.sampled_from(["true", "False", "maybe", 1])),
}
ROWS = st.lists(st.fixed_dictionaries(VALUES), min_size=1, max_size=25)
OPTIONS = st.fixed_dictionaries(
    {
        "categories": st.sampled_from(["codes", "onehot", "frequency"]),
        "max_categories": st.sampled_from([None, 1, 3]),
        "missing": st.sampled_from(["mean", "indicator", "native"]),
        "scale": st.booleans(),
        "window": st.sampled_from([None, 2, 7]),
    }
)


def table(rows):
    made = {}
    for name in VALUES:
        made[name] = np.empty(len(rows), dtype=object)
        made[name][:] = [row[name] for row in rows]
    return made


def cut(n, cuts):
    ends = sorted({*(c for c in cuts if c < n), n})
    return [slice(a, b) for a, b in zip([0, *ends], ends)]


def at(rows, part):
    return {name: values[part] for name, values in rows.items()}


@settings(max_examples=50)
@given(ROWS, OPTIONS, st.lists(st.integers(1, 24)), st.booleans())
def test_calls_and_files_do_not_matter(rows, options, cuts, by_file):
    rows = table(rows)
    n = len(rows["x"])
    whole = TableEncoder(**options, kinds=KINDS, on_schema_change="note")
    sliced = TableEncoder(**options, kinds=KINDS, on_schema_change="note")
    expected = whole.transform_then_learn(rows)
    found = []
    for part in cut(n, cuts):
        found.append(sliced.transform_then_learn(at(rows, part)))
        if by_file:
            sliced = loads(dumps(sliced))
    np.testing.assert_array_equal(np.concatenate(found), expected)
    np.testing.assert_array_equal(sliced.transform(rows), whole.transform(rows))
    assert dumps(sliced) == dumps(whole)
    if options["missing"] != "native":
        assert np.isfinite(expected).all() and np.abs(expected).max() <= 1e75


@settings(max_examples=20)
@given(st.integers(0, 2**31), st.lists(st.integers(1, 59)), st.sampled_from([1, 7, 25, 100]))
def test_pipelines_too(seed, cuts, rows):
    from sklearn.preprocessing import RobustScaler

    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(2, size=60)
    for wrapped in (Frozen(RobustScaler(), rows), Refitted(RobustScaler(), 10, rows)):
        one, other = (make_pipeline(TableEncoder(), wrapped, GaussianNBClassifier()) for _ in "12")
        one.partial_fit(X, y)
        for part in cut(60, cuts):
            other = loads(dumps(other.partial_fit(X[part], y[part])))
        if rows <= 60:
            X_new = rng.normal(size=(5, 3))
            np.testing.assert_array_equal(one.predict_proba(X_new), other.predict_proba(X_new))
        else:
            waiting = [each for each in other.waiting_ if each]
            np.testing.assert_array_equal(np.concatenate([b[0] for b in waiting[0]]).shape, (60, 3))


def changed(thing, path, value):
    """Return the file of an object after one value of its state was changed."""
    copy = loads(dumps(thing))
    owner = copy
    for name in path[:-1]:
        owner = owner[name] if isinstance(owner, list) else owner.__dict__[name]
    owner.__dict__[path[-1]] = value
    return dumps(copy)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["known_", "mean"], np.zeros(2)),
        (["known_", "mean"], np.full(4, np.nan)),
        (["known_", "var"], np.full(4, -1.0)),
        (["known_", "scaled"], np.zeros(4)),
        (["known_", "columns"], []),
        (["known_", "columns", 0, "places"], {"a": 1, "b": 0}),
        (["known_", "columns", 0, "places"], {str(k): k for k in range(101)}),
        (["known_", "columns", 0, "n_places"], 2**40),
        (["known_", "columns", 0, "encoding"], "onehot"),
        (["known_", "columns", 0, "encoding"], "frequency"),
        (["known_", "columns", 2, "parts"], "age age"),
        (["known_", "columns", 2, "parts"], "century"),
        (["known_", "columns", 2, "first"], "today"),
        (["known_"], None),
        (["row_"], -1),
        (["n_features_in_"], 2),
        (["feature_names_in_"], np.zeros(3)),
        (["schema_changes_"], ["a change"]),
        (["missing"], "mode"),
        (["max_categories"], 0),
    ],
)
def test_changed_files_are_refused(path, value):
    encoder = TableEncoder(date_parts=("age", "hour"))
    encoder.fit({"w": ["a", "b"], "x": [1.0, 2.0], "d": ["2024-01-31"] * 2})
    if path[1:2] == ["columns"] and len(path) == 4:
        content = loads(dumps(encoder))
        content.known_.columns[path[2]].__dict__[path[3]] = value
        content = dumps(content)
    else:
        content = changed(encoder, path, value)
    with pytest.raises(CorruptFile):
        loads(content)


def test_changed_pipelines_are_refused():
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(Frozen(StandardScaler(), 9), GaussianNBClassifier())
    model.partial_fit([[1.0], [2.0]], [0, 1])
    assert loads(dumps(model)).waiting_[0][0][1].tolist() == [0, 1]
    for name, value in (
        ("waiting_", []),
        ("waiting_", [[(np.zeros((3, 1)), np.zeros(2), None, None)], []]),
        ("waiting_", [["rows"], []]),
        ("steps_", [("a", 1), ("b", GaussianNBClassifier())]),
        ("steps_", model.steps_[:1]),
    ):
        with pytest.raises(CorruptFile):
            loads(changed(model, [name], value))
    frozen = Frozen(StandardScaler(), 9).partial_fit([[1.0]])
    for name, value in (("buffer_", ["rows"]), ("buffer_", 3), ("n_rows_", -1), ("rows", 0)):
        with pytest.raises(CorruptFile):
            loads(changed(frozen, [name], value))
