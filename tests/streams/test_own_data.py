"""A user's own data."""

import bz2
import gzip
import lzma
import pickle
import sys
import tracemalloc
import zipfile

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftlearn.streams import RecordedStream, from_arrays, from_csv, from_frame, from_parquet

N = 25_000
RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=(N, 2))
COUNTS = RNG.integers(0, 9, N)
LABELS = RNG.choice(["low", "middle", "high"], N)


def frame(n=N):
    return pd.DataFrame(
        {"a": VALUES[:n, 0], "b": VALUES[:n, 1], "count": COUNTS[:n], "class": LABELS[:n]}
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    frame().to_csv(folder / "rows.csv", index=False)
    frame().to_parquet(folder / "rows.parquet", row_group_size=6_000)
    return folder


def streams(folder):
    return {
        "arrays": from_arrays(np.column_stack([VALUES, COUNTS]), LABELS, ["a", "b", "count"]),
        "pandas": from_frame(frame(), target="class"),
        "polars": from_frame(pl.from_pandas(frame()), target="class"),
        "pyarrow": from_frame(pa.Table.from_pandas(frame()), target="class"),
        "csv": from_csv(folder / "rows.csv", target="class"),
        "parquet": from_parquet(folder / "rows.parquet", target="class"),
    }


KINDS = ["arrays", "pandas", "polars", "pyarrow", "csv", "parquet"]


@pytest.mark.parametrize("kind", KINDS)
def test_all_readers_give_the_same_rows(folder, kind):
    stream = streams(folder)[kind]
    assert isinstance(stream, RecordedStream)
    X, y = stream.take(N)
    np.testing.assert_array_equal(X, np.column_stack([VALUES, COUNTS]))
    np.testing.assert_array_equal(y, LABELS)
    assert X.flags.c_contiguous and X.dtype == np.float64
    assert stream.feature_names == ["a", "b", "count"] and stream.n_features == 3
    assert stream.n_rows == N
    assert stream.classes.tolist() == ["high", "low", "middle"]
    with pytest.raises(ValueError, match="recorded data, for which no additional test rows"):
        stream.test_set(0, 10)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_do_not_depend_on_how_they_are_read(folder, kind):
    stream = streams(folder)[kind]

    @settings(max_examples=6)
    @given(st.integers(300, N + 1), st.integers(0, N - 1))
    def check(size, start):
        row = start
        for batch in stream.chunks(size, start):
            assert batch.start == row
            row += len(batch.y)
            np.testing.assert_array_equal(batch.X[:, 2], COUNTS[batch.start : row])
            np.testing.assert_array_equal(batch.y, LABELS[batch.start : row])
        assert row == N

    check()


@pytest.mark.parametrize("kind", KINDS)
def test_recorded_streams_are_pickled(folder, kind):
    stream = streams(folder)[kind]
    copy = pickle.loads(pickle.dumps(stream))
    np.testing.assert_array_equal(copy.take(100)[0], stream.take(100)[0])
    assert copy.name == stream.name and copy.n_rows == N
    if kind in ("csv", "parquet"):
        assert len(pickle.dumps(stream)) < 1_000
        assert "rows." in repr(stream) and "target='class'" in repr(stream)


def test_what_is_read_may_be_written_into():
    X = np.arange(6.0).reshape(3, 2)
    stream = from_arrays(X, [0, 1, 0])
    batch = next(iter(stream))
    batch.X[:] = -1
    batch.y[:] = 7
    np.testing.assert_array_equal(stream.take(3)[0], np.arange(6.0).reshape(3, 2))
    assert stream.take(3)[1].tolist() == [0, 1, 0]


def test_given_drifts_and_holdout():
    X = np.arange(1_000.0)[:, None]
    stream = from_arrays(X, np.arange(1_000) % 3, drifts=(400, 900), holdout=0.2, random_state=1)
    assert stream.n_rows == 800
    rows = stream.take(800)[0].ravel()
    held = stream.test_set(0)[0].ravel()
    assert sorted([*rows, *held]) == list(range(1_000))
    assert np.all(np.diff(rows) > 0)
    first, second = stream.drifts
    assert rows[first] >= 400 > rows[first - 1] and rows[second] >= 900 > rows[second - 1]
    assert [stream.concept_at(row) for row in (first - 1, first, second)] == [0, 1, 2]
    some = stream.test_set(0, 50)[0].ravel()
    assert len(set(some)) == 50 and set(some) < set(held)
    assert stream.params()["drifts"] == (400, 900)
    with pytest.raises(ValueError, match=r"'n' parameter must be at most 200, .* rows. Got 201"):
        stream.test_set(0, 201)


@pytest.mark.parametrize("holdout", [-1, 10, 1.0, 2.0, -0.5])
def test_bad_holdout_is_refused(holdout):
    with pytest.raises(
        ValueError, match="'holdout' parameter must be an int in the range \\[0, 10\\)"
    ):
        from_arrays(np.zeros((10, 1)), np.zeros(10), holdout=holdout)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([1, 2, 3], [1, 2, 3]),
        ([True, False, True], [True, False, True]),
        ([0.5, 1.5, 0.5], [0.5, 1.5, 0.5]),
        (np.array(["a", "b", "a"], dtype=object), ["a", "b", "a"]),
        (pd.Series(["a", "b", "a"], dtype="category"), ["a", "b", "a"]),
        (pd.Series([1, 2, 1], dtype="Int64"), [1, 2, 1]),
        (pl.Series(["a", "b", "a"]), ["a", "b", "a"]),
        (np.array(["a", "b", "a"], dtype=np.dtypes.StringDType()), ["a", "b", "a"]),
    ],
)
def test_labels_of_any_type(labels, expected):
    stream = from_arrays(np.zeros((3, 1)), labels)
    assert stream.take(3)[1].tolist() == expected
    assert stream.classes.tolist() == sorted(set(expected))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1.0, np.nan, 2.0], "y has a missing label in row 1"),
        (np.array(["a", None, "b"], dtype=object), "y has a missing label in row 1"),
        (np.array(["a", 1, "b"], dtype=object), "several types: int, str"),
        ([[1], [2], [3]], r"shape \(3, 1\)"),
        (np.array(["2020-01-01"] * 3, dtype="datetime64[D]"), "numbers or strings"),
        ([1, 2], "X has 3 rows, but y has 2 labels"),
    ],
)
def test_bad_labels_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        from_arrays(np.zeros((3, 1)), labels)


def test_bad_arrays_are_refused():
    with pytest.raises(ValueError, match=r"two-dimensional. Got an array of shape \(3,\)"):
        from_arrays([1, 2, 3], [1, 2, 3])
    with pytest.raises(ValueError, match="X must be numeric"):
        from_arrays([["a"], ["b"]], [0, 1])
    with pytest.raises(ValueError, match="1 columns, but 'feature_names' has 2 names"):
        from_arrays([[1.0]], [0], ["a", "b"])


def test_frames_of_many_types():
    nullable = pd.DataFrame(
        {
            "whole": pd.array([1, None, 3], dtype="Int64"),
            "yes": [True, False, True],
            "small": np.array([1, 2, 3], dtype=np.float32),
            7: [1, 2, 3],
            "class": [0, 1, 0],
        }
    )
    stream = from_frame(nullable, target="class", drop=["small"])
    assert stream.feature_names == ["whole", "yes", "7"]
    np.testing.assert_array_equal(stream.take(3)[0], [[1, 1, 1], [np.nan, 0, 2], [3, 1, 3]])
    gaps = pl.DataFrame({"whole": [1, None, 3], "class": ["a", "b", "a"]})
    np.testing.assert_array_equal(
        from_frame(gaps, target="class").take(3)[0].ravel(), [1, np.nan, 3]
    )


def test_missing_and_unfit_columns_are_named(folder):
    for make in (
        lambda **options: from_frame(frame(10), **options),
        lambda **options: from_frame(pl.from_pandas(frame(10)), **options),
        lambda **options: from_csv(folder / "rows.csv", **options),
        lambda **options: from_parquet(folder / "rows.parquet", **options),
    ):
        with pytest.raises(ValueError, match=r"no column 'klass' \(did you mean 'class'\?\)"):
            make(target="klass")
        with pytest.raises(ValueError, match="no column 'd'"):
            make(target="class", drop=["d"])
        with pytest.raises(ValueError, match="only the label column 'class'"):
            make(target="class", drop=["a", "b", "count"])
        with pytest.raises(ValueError, match="'class' must contain numbers, but row 0"):
            make(target="a").take(5)


def write(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def test_csv_labels_are_numbers_or_names(tmp_path):
    def labels(*texts):
        body = "\n".join(f"1,{text}" for text in texts)
        path = write(tmp_path, "labels.csv", f"x,class\n{body}\n")
        return from_csv(path, target="class").take(len(texts))[1].tolist()

    assert labels("1", "2", "-3") == [1, 2, -3]
    assert labels("1.0", "2.5", "1.0") == [1.0, 2.5, 1.0]
    assert labels("01", "02", "10x") == ["01", "02", "10x"]
    assert labels("NA", "None", "null") == ["NA", "None", "null"]
    for texts in (("00", "01"), ("nan", "1.5"), ("inf", "1.5"), ("1", "1.0"), (" 1", "1"),
                  ("1e3", "2.0"), ("+1", "2"), ("1_0", "2"), ("-0", "0")):  # fmt: skip
        assert labels(*texts) == list(texts)


def test_csv_labels_keep_their_text_whatever_comes_late(tmp_path):
    rows = ["x,class", *(f"{i},{i % 2}" for i in range(10_000)), "1,maybe", "2,01"]
    stream = from_csv(write(tmp_path, "late.csv", "\n".join(rows)), target="class")
    assert stream.classes.tolist() == ["0", "01", "1", "maybe"]
    y = np.concatenate([batch.y for batch in stream])
    assert y[:2].tolist() == ["0", "1"] and y[-2:].tolist() == ["maybe", "01"]


def test_csv_that_changes_while_it_is_read(tmp_path):
    path = write(tmp_path, "changing.csv", "x,class\n1,a\n")
    stream = from_csv(path, target="class")
    assert stream.n_rows == 1
    write(tmp_path, "changing.csv", "x,class\n1,b\n")
    with pytest.raises(ValueError, match="modified while it was read: label 'b' is new"):
        stream.take(1)


def test_csv_columns_that_are_no_classes(tmp_path, monkeypatch):
    path = write(tmp_path, "long.csv", f"x,class\n1,a\n2,{'b' * 1_001}\n")
    with pytest.raises(ValueError, match="label in row 1 of column 'class' has 1,001 characters"):
        from_csv(path, target="class").take(1)
    monkeypatch.setattr("driftlearn.streams._own_data.MOST_LABELS", 99)
    path = write(tmp_path, "many.csv", "x,y\n" + "".join(f"1,{i}\n" for i in range(100)))
    with pytest.raises(ValueError, match="column 'y' has more than 99 distinct labels"):
        from_csv(path, target="y").take(1)


PACKED = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}


@pytest.mark.parametrize("kind", [*PACKED, "zip"])
def test_packed_csv_is_bounded(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("driftlearn.streams._own_data.LARGEST", 1 << 20)
    content = b"x,class\n" + b"0,a\n" * 1_000_000
    path = tmp_path / f"zeros.csv.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("zeros.csv", content)
    else:
        with PACKED[kind](path, "wb") as file:
            file.write(content)
    assert from_csv(path, target="class").feature_names == ["x"]
    with pytest.raises(ValueError, match=r"more than 300 times its size. .*limits=False"):
        from_csv(path, target="class").take(1)
    assert from_csv(path, target="class", limits=False).n_rows == 1_000_000
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match="cannot be read as CSV"):
        assert from_csv(path, target="class", limits=False).n_rows


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        ('x,class\n1,"a', "unclosed quotation mark. To read such rows, set limits=False"),
        ('x,"class', "its first line has an unclosed quotation mark"),
    ],
    ids=["a row", "the head"],
)
def test_csv_with_an_open_quotation_is_bounded(tmp_path, monkeypatch, head, problem):
    monkeypatch.setattr("driftlearn.streams._own_data.LARGEST", 1 << 20)
    path = write(tmp_path, "open.csv", head + "\n1,b\n" * 500_000)
    with pytest.raises(ValueError, match=problem):
        from_csv(path, target="class").take(1)


def test_packed_files_that_are_not_read(tmp_path):
    with pytest.raises(ValueError, match=r"\.zst files are not supported; unpack the file first"):
        from_csv(write(tmp_path, "rows.csv.zst", "x"), target="class")
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a", "x")
        archive.writestr("b", "x")
    with pytest.raises(ValueError, match="must contain exactly one file, not 2"):
        from_csv(tmp_path / "two.zip", target="class")


def test_text_in_late_csv_rows_is_reported(tmp_path):
    rows = ["x,class", *(f"{i},a" for i in range(12_000)), "oops,a"]
    path = write(tmp_path, "late.csv", "\n".join(rows))
    stream = from_csv(path, target="class")
    assert len(next(iter(stream)).y) == 1_000
    with pytest.raises(ValueError, match="but row 12000 contains 'oops'"):
        list(stream)


def test_csv_gaps(tmp_path):
    path = write(tmp_path, "gaps.csv", "x;z;class\n1;?;a\n;2;b\n")
    stream = from_csv(path, target="class", sep=";", na_values=["?"])
    np.testing.assert_array_equal(stream.take(2)[0], [[1, np.nan], [np.nan, 2]])
    path = write(tmp_path, "nolabel.csv", "x,class\n1,a\n2,\n")
    with pytest.raises(ValueError, match="the label in row 1 of column 'class' is empty"):
        from_csv(path, target="class").take(2)


def test_compressed_csv(tmp_path):
    with gzip.open(tmp_path / "rows.csv.gz", "wt") as file:
        file.write("x,class\n1,a\n2,b\n")
    stream = from_csv(tmp_path / "rows.csv.gz", target="class", drifts=(1,), name="mine")
    assert stream.n_rows == 2 and stream.drifts == [1] and stream.name == "mine"
    assert stream.concept_at(1) == 1


def test_unreadable_files(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"File not found: .*none\.csv"):
        from_csv(tmp_path / "none.csv", target="class")
    with pytest.raises(FileNotFoundError, match=r"File not found: .*none\.parquet"):
        from_parquet(tmp_path / "none.parquet", target="class")
    with pytest.raises(ValueError, match=r"empty\.csv cannot be read as CSV"):
        from_csv(write(tmp_path, "empty.csv", ""), target="class")
    ragged = write(tmp_path, "ragged.csv", "x,class\n1,a\n1,2,3,4\n")
    with pytest.raises(ValueError, match=r"ragged\.csv cannot be read as CSV"):
        from_csv(ragged, target="class").take(2)
    for text in ("x,class\n1,2,a\n", "x,class\n" + "1,a\n" * 20 + "1,2,a\n"):
        with pytest.raises(ValueError, match=r"wide\.csv cannot be read as CSV"):
            list(from_csv(write(tmp_path, "wide.csv", text), target="class"))
    (tmp_path / "binary.csv").write_bytes(b"x,class\n\xff\xfe\x00,a\n")
    with pytest.raises(ValueError, match=r"binary\.csv"):
        from_csv(tmp_path / "binary.csv", target="class").take(1)
    with pytest.raises(ValueError, match=r"fake\.parquet cannot be read as Parquet"):
        from_parquet(write(tmp_path, "fake.parquet", "no parquet"), target="class")


def test_parquet_types(tmp_path):
    table = pa.table(
        {
            "whole": pa.array([1, None, 3]),
            "yes": [True, False, True],
            "class": pa.array(["a", "b", "a"]).dictionary_encode(),
        }
    )
    pa.parquet.write_table(table, tmp_path / "types.parquet")
    X, y = from_parquet(tmp_path / "types.parquet", target="class").take(3)
    np.testing.assert_array_equal(X, [[1, 1], [np.nan, 0], [3, 1]])
    assert y.tolist() == ["a", "b", "a"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_long_file_is_not_held_in_memory(tmp_path, kind):
    path = tmp_path / f"long.{kind}"
    frame = pd.DataFrame({"x": np.arange(600_000.0), "class": np.arange(600_000) % 2})
    if kind == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path, row_group_size=20_000)
    make = from_csv if kind == "csv" else from_parquet
    make(path, target="class").take(1)
    tracemalloc.start()
    n = sum(len(batch.y) for batch in make(path, target="class"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n == 600_000 and peak < 4_000_000


def test_missing_library_is_named(monkeypatch, folder):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match="needs pyarrow: pip install pyarrow"):
        from_parquet(folder / "rows.parquet", target="class")


def test_csv_needs_no_library(monkeypatch, tmp_path):
    path = write(tmp_path, "rows.csv", "a;b;c;class\n1e-3;?;true;NA\n;4;False;01\n")
    expected = [[1e-3, np.nan, 1], [np.nan, 4, 0]]
    for missing in ((), ("pandas", "pyarrow")):
        for name in missing:
            monkeypatch.setitem(sys.modules, name, None)
        X, y = from_csv(path, target="class", sep=";", na_values=["?"]).take(2)
        np.testing.assert_array_equal(X, expected)
        assert y.tolist() == ["NA", "01"]
