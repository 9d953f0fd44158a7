"""Encoding of tables; the width of the output never changes."""

import tracemalloc
import warnings
from datetime import date

import numpy as np
import pytest

from driftlearn.io import dumps, loads
from driftlearn.preprocessing import SchemaWarning, TableEncoder
from tests.own_tables import FORMS, KINDS, columns, forms

pytest.importorskip("pandas")
pytest.importorskip("polars")
pytest.importorskip("pyarrow")

QUIET = {"on_schema_change": "note"}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same(form):
    table = forms()[form]
    encoder, plain = TableEncoder(on_schema_change="stop"), TableEncoder()
    expected = plain.partial_fit(columns()).transform(columns())
    np.testing.assert_array_equal(encoder.partial_fit(table).transform(table), expected)
    assert [*encoder.kinds_.values()] == [*KINDS.values()]


def test_what_comes_out():
    encoder = TableEncoder()
    out = encoder.fit_transform(columns())
    rows = [dict(zip(encoder.get_feature_names_out(), row)) for row in out.tolist()]
    assert rows[1] == {
        "whole": 2.0, "amount": 1.75, "open": 0.0, "word": 3.0,
        "day_month": 2.0, "day_day": 1.0, "day_weekday": 3.0, "day_hour": 12.0, "day_age": 1.5,
        "written_month": 1.0, "written_day": 2.0, "written_weekday": 1.0, "written_hour": 10.0,
        "written_age": 1 + 10 / 24, "span": 2.0, "maybe": 0.5, "nothing": 0.0,
    }  # fmt: skip
    assert rows[2]["word"] == 1.0 and rows[2]["day_age"] == 0.75


def test_codes_onehot_frequency():
    words = {"w": ["a", "b", "a", None, "c"]}
    later = {"w": ["c", "a", "new", None]}
    codes = TableEncoder(max_categories=2).fit(words)
    assert codes.transform(later).ravel().tolist() == [0, 2, 0, 1]
    assert codes.nominal_features_ == [0] and codes.categories_ == {"w": ["a", "b"]}
    onehot = TableEncoder("onehot", max_categories=2).fit(words)
    assert onehot.transform(later).tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert [*onehot.get_feature_names_out()] == ["w_1", "w_2", "w_other"]
    frequency = TableEncoder("frequency").fit(words)
    assert frequency.transform(later)[:3].ravel().tolist() == [0.25, 0.5, 0]
    assert onehot.nominal_features_ == frequency.nominal_features_ == []


def test_each_row_is_encoded_by_what_was_before_it():
    encoder = TableEncoder()
    rows = {"w": ["a", "a", "b", "b"], "x": [1.0, None, 3.0, None]}
    out = encoder.transform_then_learn(rows)
    assert out.tolist() == [[0, 1], [2, 1], [0, 3], [3, 2]]


def test_missing_values():
    rows = {"x": [1.0, None, 3.0], "w": ["a", None, "a"], "b": [True, None, True]}
    native = TableEncoder(missing="native").fit_transform(rows)
    assert np.isnan(native[1]).all() and not np.isnan(native[[0, 2]]).any()
    encoder = TableEncoder(missing="indicator")
    out = encoder.fit_transform(rows)
    assert out[1].tolist() == [2.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert out[0].tolist() == [1.0, 2.0, 1.0, 0.0, 0.0, 0.0]
    assert [*encoder.get_feature_names_out()][3:] == ["x_missing", "w_missing", "b_missing"]


def test_scaling_is_by_mean_and_standard_deviation():
    X = np.random.default_rng(0).normal(5, 3, size=(500, 2))
    out = TableEncoder(scale=True).fit_transform(np.c_[X, np.full(500, 7.0)])
    np.testing.assert_allclose(out[:, :2], (X - X.mean(0)) / X.std(0), rtol=1e-12)
    assert (out[:, 2] == 0).all()  # a constant


def test_window_drops_old_rows():
    X = np.r_[np.zeros(5000), np.ones(500)][:, None]
    gap = np.array([[np.nan]])
    assert TableEncoder().fit(X).transform(gap)[0, 0] == pytest.approx(500 / 5500)
    faded = TableEncoder(window=100).fit(X).transform(gap)[0, 0]
    assert faded == pytest.approx(1 - np.exp(-5), abs=1e-3)


def test_stated_kinds():
    rows = {"zip": [1010, 1020], "when": ["2024-01-31", None], "size": ["7", "8"], "id": [1, 2]}
    kinds = {"zip": "category", "when": "category", "size": "category", "id": "drop"}
    encoder = TableEncoder(kinds=kinds).fit(rows)
    assert encoder.categories_ == {
        "zip": ["1010", "1020"],
        "when": ["2024-01-31"],
        "size": ["7", "8"],
    }  # the type of a column with a gap in pandas
    same = {**rows, "zip": [1010.0, np.nan]}  # what pandas makes of a column with a gap
    assert encoder.transform(same)[:, 0].tolist() == [2, 1]


def test_an_empty_column_settles_in_one_column():
    cases = {"x": [5.0], "w": ["word"], "d": [date(2024, 1, 1)], "b": [True]}
    for name, values in cases.items():
        encoder = TableEncoder("onehot").partial_fit({name: [None]})
        assert encoder.kinds_ == {name: "empty"} and encoder.transform({name: [None]}) == [[0.0]]
        assert encoder.partial_fit({name: values}).transform({name: values}).shape == (1, 1)
    assert encoder.kinds_ == {"b": "boolean"}


def test_the_width_never_changes():
    rng = np.random.default_rng(0)
    for how in ("codes", "onehot", "frequency"):
        encoder = TableEncoder(how, **QUIET)
        encoder.partial_fit({"w": ["a"], "x": [1.0], "d": ["2024-01-31"], "e": [None]})
        names = encoder.get_feature_names_out()
        for k in range(30):
            rows = {
                "w": [f"w{i}" for i in rng.integers(1000, size=50)],
                "x": ["no number"] * 50 if k % 3 else rng.random(50),
                "e": rng.random(50) if k % 5 else ["z"] * 50,
                "more": [k] * 50,
            }
            if k % 7:
                rows["d"] = ["2024-02-30"] * 50
            assert encoder.transform_then_learn(rows).shape == (50, len(names))
            assert encoder.transform(rows).shape == (50, len(names))
        assert (encoder.get_feature_names_out() == names).all()


def test_a_million_words_take_no_memory():
    encoder = TableEncoder("frequency", max_categories=1000)
    encoder.partial_fit({"w": ["first"]})

    def teach(first):
        for k in range(first, first + 20_000, 1000):
            encoder.partial_fit({"w": [f"word number {i}" for i in range(k, k + 1000)]})

    teach(0)
    tracemalloc.start()
    teach(20_000)
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert grown < 50_000 and len(encoder.categories_["w"]) == 1000


def test_long_words_are_cut():
    encoder = TableEncoder().fit({"w": ["x" * 10**6, "y"]})
    assert len(encoder.categories_["w"][0]) == 1000
    assert encoder.transform({"w": ["x" * 10**6]}) == [[2.0]]


def test_names_are_found_in_any_order_and_arrays_by_position():
    encoder = TableEncoder().fit({"a": [1.0, 2.0], "b": [3.0, 5.0]})
    assert encoder.transform({"b": [3.0], "a": [1.0]}).tolist() == [[1.0, 3.0]]
    assert encoder.transform([[1.0, 3.0]]).tolist() == [[1.0, 3.0]]
    assert [*encoder.feature_names_in_] == ["a", "b"]


def test_set_output():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"w": ["a", "b"], "x": [1.0, 2.0]})
    out = (
        TableEncoder("onehot", max_categories=1).set_output(transform="pandas").fit_transform(frame)
    )
    assert [*out.columns] == ["w_1", "w_other", "x"]


def test_schema_changes_have_file_and_row():
    encoder = TableEncoder(**QUIET)
    encoder.partial_fit({"x": [1.0, 2.0], "d": ["2024-01-31"] * 2}, file="jan.csv")
    encoder.partial_fit({"x": ["3", "?"], "d": ["2024-02-01", "soon"]}, file="feb.csv")
    encoder.partial_fit({"x": [4.0], "y": [1]}, file="feb.csv")
    encoder.partial_fit({"x": ["?"], "d": [None]}, file="feb.csv")
    reported = [(s.column, s.problem, s.file, s.row, s.count) for s in encoder.schema_changes_]
    assert reported == [
        ("x", "no number", "feb.csv", 1, 2),
        ("d", "no date", "feb.csv", 1, 1),
        ("y", "new column", "feb.csv", 2, 1),
        ("d", "missing column", "feb.csv", 2, 1),
    ]
    assert encoder.report_.columns == ["column", "problem", "file", "row", "value", "count"]
    assert len(encoder.report_) == 4 and len(TableEncoder().fit([[1]]).report_) == 0


def test_schema_changes_are_bounded():
    encoder = TableEncoder(**QUIET).fit({"x": [1.0]})
    for k in range(1100):
        encoder.partial_fit({"x": [1.0], f"new {k}": [k]})
    assert len(encoder.schema_changes_) == 1000


def test_numbers_in_text_columns_are_reported():
    encoder = TableEncoder(**QUIET).fit({"w": ["7", "x"]})
    assert encoder.partial_fit({"w": [7, 8]}).transform({"w": [7]}) == [[2.0]]
    assert [s.problem for s in encoder.schema_changes_] == ["other type"]


def test_time_zones_become_utc():
    written = ["2024-01-01T00:30+01:00", "2024-01-01T00:30Z", "2024-01-01 00:30:00.5-0130"]
    encoder = TableEncoder(date_parts=("day", "hour", "age")).fit({"d": written})
    day, hour, age = encoder.transform({"d": written}).T
    assert day.tolist() == [31, 1, 1]
    np.testing.assert_allclose(hour, [23.5, 0.5, 2 + 0.5 / 3600])
    np.testing.assert_allclose(age * 24, [0, 1, 2.5 + 0.5 / 3600])


def test_masked_arrays():
    X = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
    assert TableEncoder().fit_transform(X).tolist() == [[1, 4], [3, 4]]
    whole = np.ma.array([[1], [3]], mask=[[False], [True]])
    assert TableEncoder().fit_transform(whole).tolist() == [[1], [1]]


def orders(n, n_customers=5_000):
    rng = np.random.default_rng(0)
    return {
        "order": [f"order {k}" for k in range(n)],
        "customer": [f"customer {k}" for k in rng.integers(n_customers, size=n)],
        "price": rng.random(n),
    }


def test_identifiers_are_dropped_with_one_warning():
    with pytest.warns(SchemaWarning, match="column 'order' has values that hardly") as caught:
        encoder = TableEncoder().partial_fit(orders(500), file="monday")
    assert len(caught) == 1 and "unless 'kinds' declares it" in str(caught[0].message)
    assert encoder.kinds_ == {"customer": "category", "price": "number"}
    assert encoder.report_["problem"].tolist() == ["identifier"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoder.partial_fit(orders(500))
        assert encoder.transform(orders(3)).shape == (3, 2)
        noted = TableEncoder(on_schema_change="note").fit(orders(500))
        kept = TableEncoder(kinds={"order": "category"}).fit(orders(500))
        few = TableEncoder().fit(orders(499))
        alone = TableEncoder().fit({"order": orders(500)["order"]})
    assert noted.nominal_features_ == [0] and len(noted.report_) == 1
    assert kept.kinds_["order"] == few.kinds_["order"] == alone.kinds_["order"] == "category"
    assert len(loads(dumps(encoder)).report_) == 1


def test_columns_of_many_values_are_kept():
    for n_values in (60, 500, 5_000):
        for n in (500, 2_000):
            rows = orders(n, n_values)
            del rows["order"]
            assert TableEncoder(on_schema_change="stop").fit(rows).kinds_["customer"] == "category"
