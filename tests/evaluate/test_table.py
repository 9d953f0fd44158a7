import csv

import numpy as np
import pytest

from driftlearn.utils.table import Table


def make():
    return Table(
        {"learner": ["b", "a", "c"], "accuracy": [0.5, np.nan, 0.25], "members": [10, 2, 300]},
        marked={"accuracy": [0]},
    )


def test_prints_aligned_with_numbers_to_the_right_and_the_best_marked():
    assert repr(make()).splitlines() == [
        "learner  accuracy   members",
        "b          0.5000*       10",
        "a               -         2",
        "c          0.2500       300",
    ]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1.0, 2.0], ["1", "2"]),
        ([0.12345, 0.9], ["0.1235", "0.9000"]),
        ([0.012345, 0.05], ["0.0123", "0.0500"]),
        ([0.00012345], ["0.000123"]),
        ([12.345, 1.0], ["12.35", "1.00"]),
        ([123456.7, 1.25], ["123457", "1"]),
        ([True, False], ["True", "False"]),
        ([None, 3], ["-", "3"]),
        ([[0, 1], [2]], ["[0, 1]", "[2]"]),
    ],
)
def test_number_of_digits(values, texts):
    assert [line.strip() for line in repr(Table({"x": values})).splitlines()[1:]] == texts


def test_rows_are_plain_values():
    rows = make().to_dicts()
    assert rows[2] == {"learner": "c", "accuracy": 0.25, "members": 300}
    assert [type(value) for value in rows[2].values()] == [str, float, int]
    assert len(make()) == 3 == len(list(make()))


def test_sort_puts_nan_last_and_moves_the_marks():
    ascending = make().sort("accuracy")
    assert ascending["learner"].tolist() == ["c", "b", "a"]
    assert ascending.marked == {"accuracy": {1}}
    assert make().sort("accuracy", descending=True)["learner"].tolist() == ["b", "c", "a"]
    assert make().sort("learner")["members"].tolist() == [2, 10, 300]


def test_slices_are_tables_and_numbers_are_rows():
    table = make()
    assert table[1:]["learner"].tolist() == ["a", "c"] and table[1:].marked == {"accuracy": set()}
    assert table[::-1].marked == {"accuracy": {2}} and len(table[5:]) == 0
    assert table[-1] == table[2] == {"learner": "c", "accuracy": 0.25, "members": 300}
    with pytest.raises(IndexError, match="row 3 is out of range: the table has 3 rows"):
        table[3]
    with pytest.raises(KeyError, match="The columns are"):
        table[["learner"]]


def test_long_tables_are_truncated_with_a_note():
    table = Table({"n": range(5000), "text": ["x" * 1000] * 5000}, {"n": [0, 2500]})
    lines = repr(table).splitlines()
    assert len(lines) == 62 and lines[31] == "… 4,940 more rows …"
    assert lines[1].split()[0] == "0*" and lines[-1].split()[0] == "4999"
    html = table._repr_html_()
    assert "4,980 more rows" in html and "<strong>0</strong>" in html and len(html) < 5_000
    assert len(table.text().splitlines()) == 5001
    wide = Table({f"c{k}": [k] for k in range(100)})._repr_html_()
    assert "76 more columns" in wide and wide.count("<td") == 24


def test_html_escapes_and_marks():
    html = Table({"<x>": ["a&b"], "n": [1]}, {"n": [0]})._repr_html_()
    assert "&lt;x&gt;" in html and "a&amp;b" in html and "<strong>1</strong>" in html


def test_to_frame():
    frame = make().to_frame()
    assert frame.columns.tolist() == ["learner", "accuracy", "members"]
    assert frame["members"].tolist() == [10, 2, 300]


def test_to_csv_keeps_every_digit(tmp_path):
    Table({"x": [1 / 3, np.nan], "y": ["a,b", "c"]}).to_csv(tmp_path / "t.csv")
    with open(tmp_path / "t.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [["x", "y"], [repr(1 / 3), "a,b"], ["", "c"]]


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="must have the same length"):
        Table({"a": [1], "b": [1, 2]})
    with pytest.raises(ValueError, match="'z'"):
        Table({"a": [1]}, {"z": [0]})
    with pytest.raises(KeyError, match="accuracy"):
        make()["kappa"]


def test_empty_tables_print():
    assert repr(Table({"a": []})) == "a"
    assert len(Table({})) == 0 and repr(Table({})) == "Table({})"
