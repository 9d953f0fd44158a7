"""Files, folders, globs, standard input: each row once, in order."""

import gzip
import io
import os
import sys

import numpy as np
import pytest

from driftlearn.ops.sources import ChangedFile, FileSource, TableFile
from driftlearn.preprocessing import TableEncoder
from driftlearn.tables.csv_file import CSVFile


def write(path, *rows):
    path.write_text("x,label\n" + "".join(f"{x},{y}\n" for x, y in rows))


def texts(pieces):
    found = []
    for piece in pieces:
        if piece.n_rows:
            column = piece.table["x"]
            values = column.tolist() if hasattr(column, "tolist") else column.to_pylist()
            found += [str(v) for v in values]
    return found


def all_of(source, position):
    found = []
    for piece in source.pieces(position):
        found += texts([piece])
        position[piece.path] = piece.after(piece.n_rows)
    return found


def test_a_folder_by_name_and_only_what_is_new(tmp_path):
    write(tmp_path / "b.csv", (2, "a"))
    write(tmp_path / "a.csv", (1, "a"))
    (tmp_path / "notes.md").write_text("no table")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "c.csv").mkdir()
    position = {}
    source = FileSource([str(tmp_path)])
    assert all_of(source, position) == ["1", "2"]
    assert all_of(source, position) == []
    write(tmp_path / "b.csv", (2, "a"), (3, "b"))
    write(tmp_path / "aa.csv", (4, "a"))
    write(tmp_path / "c.csv" / "d.csv", (5, "a"))
    assert all_of(source, position) == ["4", "3"]
    more = FileSource([str(tmp_path / "*.csv"), str(tmp_path / "c.csv"), str(tmp_path / "a.csv")])
    assert all_of(more, position) == ["5"]
    source = FileSource([str(tmp_path)])
    source.check(position)
    write(tmp_path / "a.csv", (7, "a"))
    with pytest.raises(ChangedFile, match="was changed"):
        source.check(position)


def test_rows_that_are_appended_while_the_file_is_read(tmp_path):
    """Rows written after the last block was read are found by the next run."""
    path = tmp_path / "a.csv"
    write(path, (1, "a"))
    source, position = FileSource([str(path)]), {}
    for piece in source.pieces(position):
        if piece.is_last:
            write(path, (1, "a"), (2, "b"))
        position[piece.path] = piece.after(piece.n_rows)
    assert all_of(source, position) == ["2"]


def test_parquet_from_any_row(tmp_path, monkeypatch):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    from driftlearn.tables import parquet_file

    monkeypatch.setattr(parquet_file, "ROWS", 7)
    path = tmp_path / "a.parquet"
    parquet.write_table(arrow.table({"x": [*range(50)]}), path, row_group_size=20)
    pieces = [*FileSource([str(path)]).pieces({})]
    assert texts(pieces) == [str(i) for i in range(50)]
    for piece in pieces:
        at = {str(path): piece.after(piece.n_rows // 2)}
        rest = [*FileSource([str(path)]).pieces(at)]
        assert texts(rest) == [str(i) for i in range(piece.row + piece.n_rows // 2, 50)]
    at = {str(path): pieces[-1].after(0)}
    parquet.write_table(arrow.table({"x": [*range(51)]}), path)
    with pytest.raises(ChangedFile, match="since it was read"):
        FileSource([str(path)]).check(at)
    twice = arrow.Table.from_arrays([arrow.array([1]), arrow.array([2])], names=["x", "x"])
    parquet.write_table(twice, path)
    with pytest.raises(ValueError, match="two columns have the name 'x'"):
        FileSource([str(path)]).file(str(path)).columns()
    path.write_bytes(b"no parquet at all")
    with pytest.raises(ValueError, match="cannot be read as Parquet"):
        FileSource([str(path)]).file(str(path)).columns()


def test_packed_files_are_bounded(tmp_path, monkeypatch):
    path = tmp_path / "zeros.csv.gz"
    path.write_bytes(gzip.compress(b"x,label\n" + b"0,a\n" * 1_000_000))
    source = FileSource([str(path)])
    assert sum(piece.n_rows for piece in source.pieces({})) == 1_000_000  # less than 64 MB
    monkeypatch.setattr("driftlearn.tables.csv_parser.LARGEST", 1 << 20)
    monkeypatch.setattr(
        CSVFile.__init__, "__kwdefaults__", {**CSVFile.__init__.__kwdefaults__, "largest": 1 << 20}
    )
    with pytest.raises(ValueError, match="more than 300 times its size"):
        [*FileSource([str(path)]).pieces({})]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_rejected(tmp_path):
    """Opening it would wait for a writer."""
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    with pytest.raises(ValueError, match=r"is not a regular file. To read from a pipe, use -"):
        FileSource([str(path)]).paths()


def test_names_that_stand_for_nothing(tmp_path):
    write(tmp_path / "monday.csv", (1, "a"))
    for name, problem in (("munday.csv", "did you mean 'monday.csv'"), ("*.parquet", "no file")):
        with pytest.raises(FileNotFoundError, match=problem):
            FileSource([str(tmp_path / name)]).paths()


def test_parquet_needs_an_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "a.parquet").write_bytes(b"")
    with pytest.raises(ImportError, match="pip install pyarrow"):
        FileSource([str(tmp_path)]).check({})


def test_standard_input(monkeypatch):
    class Piped:
        buffer = io.BytesIO(b"x,label\n1,a\n2,b\n")

    monkeypatch.setattr(sys, "stdin", Piped())
    assert texts(FileSource(["-"]).pieces({})) == ["1", "2"]
    assert not Piped.buffer.closed


def test_a_table_is_a_stream(tmp_path):
    """Results of `driftlearn run --stream data.csv:target=label` depend on the file's content."""
    path = tmp_path / "data.csv"
    path.write_text("colour,size,label\nred,1,1\nblue,,2\nred,3,\ngreen,4,2\n")
    stream = TableFile(str(path), target="label", drop=["size"])
    X, y = stream.take(3)
    assert X.ravel().tolist() == [0.0, 0.0, 0.0] and y.tolist() == [1, 2, 2]
    assert stream.params()["digest"] == stream.digest
    with pytest.raises(ValueError, match=r"no column 'labl' \(did you mean 'label'"):
        TableFile(str(path), target="labl")
    path.write_text("colour,size,label\nred,1,1\n")
    with pytest.raises(ValueError, match="has changed since this run started"):
        TableFile(str(path), target="label", digest=stream.digest)


def days(folder):
    """Return a folder of three days: one is compressed, one has a new column."""
    folder.mkdir()
    first = "when,colour,size,label\n2024-01-01,red,1,a\n2024-01-02,blue,,b\n"
    (folder / "1.csv").write_text(first)
    (folder / "2.csv.gz").write_bytes(gzip.compress(first.replace("-01,", "-08,").encode()))
    (folder / "3.csv").write_text("when,colour,more,label\n2024-01-03,red,9,b\n,green,7,a\n")
    (folder / "4.csv").write_text("")
    (folder / "notes.md").write_text("no table")
    return folder


def test_a_folder_is_a_stream(tmp_path):
    """The rows of a folder stream are those that `learn` uses: same encoder, same slices."""
    folder = days(tmp_path / "days")
    X, y = TableFile(f"{folder}/", target="label").arrays()
    encoder, rows = TableEncoder(on_schema_change="note"), []
    for piece in FileSource([str(folder)]).pieces({}):
        if piece.n_rows:
            table = piece.table
            named = table.column_names if hasattr(table, "column_names") else [*table]
            columns = {name: table[name] for name in named if name != "label"}
            rows.append(encoder.transform_then_learn(columns, file=piece.file))
    np.testing.assert_array_equal(X, np.concatenate(rows))
    assert y.tolist() == ["a", "b", "a", "b", "b", "a"]
    every = TableFile(str(folder / "*.csv*"), target="label")
    again = TableFile(str(folder / "*.csv*"), target="label", digest=every.digest)
    for one, other in zip(every.arrays(), again.arrays()):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(every.arrays()[0], X)


def test_files_of_parquet_are_a_stream(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    pyarrow = pytest.importorskip("pyarrow")
    for name, sizes in (("b", [3.0, None]), ("a", [1.0, 2.0])):
        parquet.write_table(pyarrow.table({"size": sizes, "label": ["x", "y"]}),
                            tmp_path / f"{name}.parquet")  # fmt: skip
    X, y = TableFile(str(tmp_path), target="label").arrays()
    assert X[:, 0].tolist() == [1.0, 2.0, 3.0, 2.0]  # the gap: the mean of earlier values
    assert y.tolist() == ["x", "y", "x", "y"]


def test_what_was_stored_belongs_to_all_files(tmp_path):
    """A new, changed or removed table makes another stream; files of other formats are ignored."""
    folder = days(tmp_path / "days")
    before = TableFile(str(folder), target="label").digest
    (folder / "notes.md").write_text("more of it")
    assert TableFile(str(folder), target="label").digest == before
    found = {before}
    changes = (
        lambda: (folder / "3.csv").write_text("colour,label\nred,b\n"),
        lambda: (folder / "5.csv").write_text("colour,label\nred,b\n"),
        lambda: (folder / "1.csv").unlink(),
    )
    for n, change in enumerate(changes, 2):
        change()
        found.add(TableFile(str(folder), target="label").digest)
        assert len(found) == n
    with pytest.raises(ValueError, match="has changed since this run started"):
        TableFile(str(folder), target="label", digest=before)


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("3.csv", "colour,lable\nred,a\n", {}, r"3\.csv has no column 'label' \(did you mean"),
        ("3.csv", "else,label\nred,a\n", {}, r"3\.csv has none of the columns of the prec"),
        ("3.csv", "colour,label\nred\n", {}, r"line 2 of .*3\.csv is broken.*on_error=skip"),
        ("3.csv", b"colour,label\n\xf6,b\n", {}, r"byte 0xf6.*the option encoding"),
        ("1.csv", "colour,label\nred,a\n", {"drop": "colur"}, r"1\.csv has no column 'colur'"),
        ("1.csv", "colour,label\nred,a\n", {"on_error": "go"}, "on_error must be one of 'stop'"),
    ],
)
def test_a_folder_that_is_no_stream(tmp_path, name, content, options, message):
    folder = days(tmp_path / "days")
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=message) as reported:
        TableFile(str(folder), target="label", **options).read()
    assert "--" not in str(reported.value)


def test_a_folder_without_tables_is_no_stream(tmp_path):
    with pytest.raises(FileNotFoundError, match="no CSV or Parquet file in"):
        TableFile(str(tmp_path), target="label")
    (tmp_path / "a.csv").write_text("x,label\n1,a\n,\n2\n?,b\n")
    read = TableFile(str(tmp_path), target="label", on_error="skip", missing="?").arrays()[0]
    assert read.tolist() == [[1.0], [1.0]]
