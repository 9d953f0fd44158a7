"""Files, folders, globs, standard input: each row once, in order."""

import io
import sys

import pytest

from driftlearn.sources import ChangedFile, FileSource, TableFile


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


def test_parquet_from_any_row(tmp_path, monkeypatch):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    from driftlearn.sources import parquet_file

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
    path.write_bytes(b"no parquet at all")
    with pytest.raises(ValueError, match="cannot be read as Parquet"):
        FileSource([str(path)]).file(str(path)).columns()


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
    """`driftlearn run --stream data.csv:target=label`; what was stored belongs to the content."""
    path = tmp_path / "data.csv"
    path.write_text("colour,size,label\nred,1,1\nblue,,2\nred,3,\ngreen,4,2\n")
    stream = TableFile(str(path), target="label", drop=["size"])
    X, y = stream.take(3)
    assert X.ravel().tolist() == [0.0, 0.0, 0.0] and y.tolist() == [1, 2, 2]
    assert stream.params()["digest"] == stream.digest
    with pytest.raises(ValueError, match=r"no column 'labl' \(did you mean 'label'"):
        TableFile(str(path), target="labl")
    path.write_text("colour,size,label\nred,1,1\n")
    with pytest.raises(ValueError, match="is not the file that it was"):
        TableFile(str(path), target="label", digest=stream.digest)
