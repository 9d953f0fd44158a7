"""Common mistakes with tables, and the error message of each."""

from decimal import Decimal

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.preprocessing import StandardScaler

from driftlearn import GaussianNBClassifier, HoeffdingTreeClassifier
from driftlearn.io import dumps
from driftlearn.preprocessing import Frozen, Refitted, SchemaWarning, TableEncoder, make_pipeline

FIRST = {"x": [1.0, 2.0], "w": ["a", "b"], "d": ["2024-01-31", "2024-02-01"], "b": [True, False]}
SCHEMA_CHANGES = {
    "words among numbers": (
        "x",
        ["3", "four"],
        r"may.csv, row 1: column 'x' holds 'four', which is not a number\. Correct it, or continue "
        r"with on_schema_change='note': then it counts as missing\.",
    ),
    "dates among numbers": (
        "x",
        np.array(["2024-01-31"] * 2, dtype="M8[D]"),
        "may.csv, row 0: column 'x' holds 2024-01-31, which is not a number",
    ),
    "an infinite number": ("x", [0.0, np.inf], "row 1: column 'x' holds inf: numbers lie between"),
    "a number too large": ("x", [0.0, -1e90], r"row 1: column 'x' holds -1e\+90: numbers lie"),
    "no such day": (
        "d",
        ["2024-02-30", None],
        "row 0: column 'd' holds '2024-02-30', which is not a date such as 2024-01-31",
    ),
    "another form of date": (
        "d",
        [None, "31.1.2024"],
        "row 1: column 'd' holds '31.1.2024', which",
    ),
    "numbers among dates": (
        "d",
        [20240131, 0],
        "row 0: column 'd' holds 20240131, which is not a date",
    ),
    "three values of two": ("b", [2, 1], "row 0: column 'b' holds 2, which is neither true nor"),
    "words among booleans": (
        "b",
        ["yes", "true"],
        "row 0: column 'b' holds 'yes', which is neither",
    ),
    "numbers among words": ("w", [7, 8], "row 0: column 'w' holds 7 where it held text"),
}


@pytest.mark.parametrize("mistake", SCHEMA_CHANGES)
def test_schema_changes(mistake):
    name, values, reported = SCHEMA_CHANGES[mistake]
    rows = {**FIRST, name: values}
    strict = TableEncoder(on_schema_change="stop").partial_fit(FIRST)
    before = dumps(strict)
    with pytest.raises(ValueError, match=reported):
        strict.partial_fit(rows, file="may.csv")
    assert dumps(strict) == before
    kind = "which is|holds"
    with pytest.warns(SchemaWarning, match=kind):
        warned = TableEncoder().partial_fit(FIRST).partial_fit(rows, file="may.csv")
    assert [s.column for s in warned.schema_changes_] == [name]
    warned.partial_fit(rows, file="may.csv")  # reported once
    assert warned.schema_changes_[0].row in (0, 1) and warned.schema_changes_[0].count >= 2


@pytest.mark.parametrize(
    ("rows", "reported"),
    [
        ({**FIRST, "price": [1, 2]}, r"row [02]: column 'price' is new\. .*then it is left out"),
        ({k: FIRST[k] for k in "xwd"}, "row [02]: column 'b' is not there. .*count as missing"),
    ],
    ids=["appears", "vanishes"],
)
def test_columns_that_come_and_go(rows, reported):
    strict = TableEncoder(on_schema_change="stop").fit(FIRST)
    with pytest.raises(ValueError, match=reported):
        strict.transform(rows)
    with pytest.raises(ValueError, match=reported):
        strict.partial_fit(rows)
    assert strict.schema_changes_ == []


def test_values_are_shown_short_and_harmless():
    encoder = TableEncoder(on_schema_change="note").fit({"x": [1.0]})
    encoder.partial_fit({"x": ["\x1b[31m" + "x" * 100]})
    (change,) = encoder.schema_changes_
    assert len(change.value) == 50 and "\x1b" not in str(change)


REFUSED = {
    "a kind that is none": (
        lambda: TableEncoder(kinds={"x": "float"}).fit(FIRST),
        r"kinds\['x'\] must be 'number', 'boolean', .* Got 'float'",
    ),
    "a misspelt column": (
        lambda: TableEncoder(kinds={"colour": "drop"}).fit({"color": [1]}),
        r"'kinds' contains 'colour', which is not a column \(did you mean 'color'\?\)",
    ),
    "nothing left": (
        lambda: TableEncoder(kinds={"x": "drop"}).fit({"x": [1]}),
        "kinds drops every column",
    ),
    "a part that is none": (
        lambda: TableEncoder(date_parts=["minute"]).fit(FIRST),
        r"'date_parts' parameter must be a selection of .*Got \['minute'\]",
    ),
    "two of a name": (lambda: TableEncoder().fit({1: [1], "1": [2]}), "have the name '1'"),
    "columns of two lengths": (
        lambda: TableEncoder().fit({"a": [1], "b": [1, 2]}),
        "all columns must have the same length. Got 'a': 1, 'b': 2",
    ),
    "a dict of values": (
        lambda: TableEncoder().fit({"a": 1, "b": "x"}),
        "column 'a' must be a list of values. Got 1",
    ),
    "a text for a column": (lambda: TableEncoder().fit({"a": "xyz"}), "must be a list of values"),
    "a column of lists": (
        lambda: TableEncoder().fit({"a": np.array([[1], [2, 3]], dtype=object)}),
        "column 'a' contains a list; .*supported types are numbers, booleans, text",
    ),
    "one row without brackets": (lambda: TableEncoder().fit([1.0, 2.0]), "rows and columns"),
    "no rows": (lambda: TableEncoder().fit({"a": []}), r"Found array with 0 sample\(s\)"),
    "an array of another width": (
        lambda: TableEncoder().fit([[1, 2]]).transform([[1]]),
        "X has 1 features, but TableEncoder is expecting 2 features as input",
    ),
    "one-hot of nothing": (lambda: TableEncoder("one-hot").fit(FIRST), "'categories' parameter"),
    "a step without partial_fit": (
        lambda: make_pipeline(PCA(), GaussianNBClassifier()).fit([[1]], [1]),
        r"step 'pca' has no partial_fit. Wrap it as Frozen\(PCA\(...\)\), .*Refitted\(PCA",
    ),
    "a class for a step": (
        lambda: make_pipeline(TableEncoder, GaussianNBClassifier()).fit([[1]], [1]),
        "step 'type' must be a transformer. Got <class",
    ),
    "a learner that cannot go on": (
        lambda: make_pipeline(TableEncoder(), LogisticRegression()).fit([[1]], [1]),
        "the last step, 'logisticregression', must be a learner with partial_fit",
    ),
    "labels that do not fit": (
        lambda: make_pipeline(TableEncoder(), GaussianNBClassifier()).fit([[1]], [1, 2]),
        "inconsistent numbers of samples",
    ),
    "weights for nobody": (
        lambda: make_pipeline(TableEncoder(), Weightless()).partial_fit(
            [[1.0], [2.0]], [0, 1], sample_weight=[1, 2]
        ),
        "Weightless does not support sample_weight",
    ),
    "too early": (
        lambda: (
            make_pipeline(Frozen(PCA(1), 9), GaussianNBClassifier())
            .partial_fit([[1.0, 2.0]], [1])
            .predict([[1, 2]])
        ),
        "1 rows wait for the first fit of a step",
    ),
    "a frozen one too early": (
        lambda: Refitted(PCA(1), 9).partial_fit([[1.0, 2.0]]).transform([[1, 2]]),
        "This Refitted is not fitted yet: it needs 9 rows and has 1",
    ),
    "an encoder too early": (
        lambda: TableEncoder().transform([[1]]),
        "call fit or partial_fit before",
    ),
}


class Weightless(SGDClassifier):
    def partial_fit(self, X, y, classes=None):
        return super().partial_fit(X, y, classes)


@pytest.mark.parametrize("mistake", REFUSED)
def test_refused(mistake):
    act, reported = REFUSED[mistake]
    with pytest.raises((ValueError, TypeError, NotFittedError), match=reported):
        act()


def test_types_that_are_not_read_are_named():
    pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    lists = {"a": [[1], [2]]}
    periods = pandas.DataFrame({"a": pandas.period_range("2024", periods=2, freq="M")})
    for table in (polars.DataFrame(lists), pyarrow.table(lists), periods):
        with pytest.raises(
            ValueError, match=r"column 'a' has the unsupported type .*kinds=\{'a': 'drop'\}"
        ):
            TableEncoder().fit(table)


def test_an_error_leaves_all_steps_as_they_were():
    model = make_pipeline(TableEncoder(scale=True), StandardScaler(), HoeffdingTreeClassifier())
    model.partial_fit([[1.0], [2.0]], ["a", "b"])
    before = dumps(model)
    for X, y in (([[9.0]], [1]), ([[9.0]], [None]), ([[9.0]], ["a", "b"]), ([[1, 2]], ["a"])):
        with pytest.raises(ValueError):
            model.partial_fit(X, y)
    assert dumps(model) == before


def cell(value):
    column = np.empty(2, dtype=object)
    column[:] = [value, "never"]
    return column


@pytest.mark.parametrize("beside", [slice(1), slice(2)], ids=["alone", "beside another"])
@pytest.mark.parametrize(
    "value, number",
    [
        (np.timedelta64(12, "h"), 0.5),
        (np.datetime64("2024-01-31"), None),
        (b"5", None),
        (Decimal("sNaN"), None),
        (Decimal("5"), 5.0),
        (np.arange(3), None),
    ],
    ids=repr,
)
def test_odd_objects_among_numbers(value, number, beside):
    encoder = TableEncoder(on_schema_change="note").partial_fit({"x": [1.0, 2.0]})
    found = encoder.transform({"x": cell(value)[beside]})
    assert found[0, 0] == (1.5 if number is None else number)


@pytest.mark.parametrize("value", [np.arange(3), Decimal("sNaN")], ids=["array", "Decimal"])
def test_odd_objects_among_categories(value):
    encoder = TableEncoder(on_schema_change="note").partial_fit({"w": ["a", "b"]})
    encoder.partial_fit({"w": cell(value)})
    assert encoder.categories_["w"][-1] == "never"
