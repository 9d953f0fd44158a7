"""CSV files: all spellings of a file give the same rows, and reading continues at any position."""

import gzip
import sys

import numpy as np
import pytest

from driftlearn.ops.sources import BrokenLine, ChangedFile, CSVFile
from driftlearn.tables import csv_parser
from driftlearn.tables.frames import frame_of

ROWS = [["1", "red", "yes"], ["2.5", 'a, "b"\nc', "no"], ["", "blue", "yes"], ["4", "", "no"]]
PLAIN = 'size,colour,label\n1,red,yes\n2.5,"a, ""b""\nc",no\n,blue,yes\n4,,no\n'


def values(pieces):
    """Return all rows as lists of text, from any reader."""
    found = []
    for piece in pieces:
        if piece.n_rows:
            columns = [column.values for column in frame_of(piece.table).columns]
            found += [["" if v is None or v != v else str(v) for v in row] for row in zip(*columns)]
    return found


def read(path, at=None, **how):
    skip = how.pop("skip", False)
    return [*CSVFile(str(path), **how).pieces(at, set, skip=skip)]


@pytest.fixture(params=["pyarrow", "csv"])
def reader(request, monkeypatch):
    """Read with pyarrow, and as if it were not installed."""
    if request.param == "csv":
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    else:
        pytest.importorskip("pyarrow")


@pytest.mark.parametrize(
    "content, how",
    [
        (PLAIN.encode(), {}),
        (b"\xef\xbb\xbf" + PLAIN.encode(), {}),
        (PLAIN.replace("\n", "\r\n").replace("\r\nc", "\nc").encode(), {}),
        (PLAIN.rstrip("\n").encode(), {}),
        (("\n" + PLAIN + "\n\n").encode(), {}),
        (PLAIN.replace(",", ";").replace("a;", "a,").encode(), {}),
        (PLAIN.replace(",", "\t").replace("a\t", "a,").encode(), {"sep": "\t"}),
        (PLAIN.replace(",blue", "?,blue").encode(), {"missing": ("?",)}),
    ],
    ids=["plain", "bom", "crlf", "no end", "blank lines", "semicolons", "tabs", "na"],
)  # fmt: skip
def test_however_it_is_written(tmp_path, reader, content, how):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert values(read(path, **how)) == ROWS


def test_packed_and_encoded(tmp_path, reader):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress("größe,label\n1,süß\n".encode("latin-1")))
    assert values(read(path, encoding="latin-1")) == [["1", "süß"]]
    assert CSVFile(str(path), encoding="latin-1").columns() == ["größe", "label"]
    with pytest.raises(ValueError, match=r"first line is not valid UTF-8: .*--encoding"):
        read(path)
    for problem, encoding in (
        ("unknown encoding 'latin-x'", "latin-x"),
        ("utf-16 is not supported", "utf-16"),
    ):
        with pytest.raises(ValueError, match=problem):
            CSVFile(str(path), encoding=encoding)


def test_numbers_are_numbers(tmp_path):
    """The bits are those of Python, whether pyarrow parses the numbers or cannot."""
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    texts = [repr(float(x)) for x in rng.normal(size=50) * 10.0 ** rng.integers(-20, 20, 50)]
    path = tmp_path / "a.csv"
    path.write_text("x,label\n" + "".join(f"{t},a\n" for t in texts))
    piece, _ = CSVFile(str(path)).pieces(None, lambda: {"x"})
    assert str(piece.table["x"].type) == "double"
    assert piece.table["x"].to_pylist() == [float(t) for t in texts]
    path.write_text("x,label\n1,a\nbad,a\n")
    piece, _ = CSVFile(str(path)).pieces(None, lambda: {"x"})
    assert piece.table["x"].tolist() == ["1", "bad"]


def test_reading_continues_from_every_position(tmp_path, reader, monkeypatch):
    """Reading from the position after any row returns the remaining rows; blocks are tiny."""
    monkeypatch.setattr(csv_parser, "BLOCK", 16)
    path = tmp_path / "a.csv"
    path.write_text(PLAIN * 1 + '5,x,yes\n\n6,"y\n\nz",no\n')
    pieces = read(path)
    whole = values(pieces)
    assert len(whole) == 6 and len(pieces) > 3
    for piece in pieces:
        for k in range(piece.n_rows + 1):
            at = piece.after(k)
            rest = read(path, at)
            assert at["rows"] == piece.row + k
            assert values(rest) == whole[piece.row + k :]
            assert rest[-1].after(0) == pieces[-1].after(0)


def test_a_file_that_grows_shrinks_or_changes(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,label\n1,a\n2,b\n")
    end = read(path)[-1].after(0)
    path.write_text("x,label\n1,a\n2,b\n3,a\n")
    assert values(read(path, end)) == [["3", "a"]]
    for content, problem in (
        ("x,label\n1,a\n", "has become shorter"),
        ("x,label\n1,b\n2,b\n3,a\n", "was changed"),
    ):
        path.write_text(content)
        with pytest.raises(ChangedFile, match=f"{problem} since it was read.*--reprocess"):
            read(path, end)
    path.write_text("x,label\n1,a\n2,b")
    end = read(path)[-1].after(0)
    path.write_text("x,label\n1,a\n2,b\n3,a\n")
    assert values(read(path, end)) == [["3", "a"]]
    path.write_text("x,label\n1,a\n2,bc\n")
    with pytest.raises(ChangedFile, match="was extended in its last line"):
        read(path, end)


@pytest.mark.parametrize(
    "content, line, why",
    [
        (b"x,label\n1,a\n2\n3,a\n", 3, "it has 1 field where the first line has 2"),
        (b"x,label\n\n1,\"a\nb\"\n2,a,c\n3,a\n", 5, "it has 3 fields where the first line has 2"),
        (b"x,label\n1,a\n2,\xff\n3,a\n", 3, "byte 0xff is not UTF-8"),
        (b"x,label\n1,a\n2,\"a\n3,a\n", 3, "it has an unclosed quotation mark"),
    ],
)  # fmt: skip
def test_broken_lines(tmp_path, reader, content, line, why):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(BrokenLine, match=f"line {line} of .*a.csv is broken: {why}.*--on-error"):
        read(path)
    pieces = read(path, skip=True)
    assert values(pieces)[-1] == ["3", "a"]
    message = [each for piece in pieces for _, each in piece.broken]
    assert len(message) == 1 and why in message[0]
    first = pieces[0]
    row_by_row = [each for k in range(first.n_rows) for each in first.skipped(k, k + 1)]
    assert row_by_row == [each for _, each in first.broken]


@pytest.mark.parametrize(
    "content, problem",
    [
        (b"x,x,label\n1,2,a\n", "two columns have the name 'x'"),
        ("x,label\n1,a\n".encode("utf-16"), "UTF-16 is not supported"),
        (b"x,label\r1,a\r2,b\r", "carriage return only"),
    ],
)
def test_files_that_are_none(tmp_path, content, problem):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"a.csv cannot be read as CSV: .*{problem}"):
        read(path)


def test_nothing_in_it(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"")
    assert read(path) == []
    path.write_bytes(b"x,label\n")
    (end,) = read(path)
    assert end.is_last and end.after(0)["rows"] == 0


def test_gz_cut_short(tmp_path):
    path = tmp_path / "a.csv.gz"
    content = gzip.compress(b"x,label\n" + b"".join(b"%d,a\n" % i for i in range(5000)))
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"a.csv.gz cannot be read as CSV: .*ended before"):
        read(path)


def test_quotation_marks_inside_of_fields_are_signs_like_any_other(tmp_path):
    path = tmp_path / "disks.csv"
    rows = ['5" disk' if i in (3, 40) else '"a ""b""\nc, d"' if i == 20 else "x" for i in range(60)]
    path.write_text("size,n\n" + "".join(f"{size},{i}\n" for i, size in enumerate(rows)))
    pieces = [*CSVFile(str(path)).pieces(None, set)]
    assert sum(piece.n_rows for piece in pieces) == 60
    found = [str(each) for each in pieces[0].table["size"]]
    assert (found[3], found[20], found[40]) == ('5" disk', 'a "b"\nc, d', '5" disk')


def test_long_header_lines(tmp_path):
    """With a wrong separator, the line is one field, and too long for the module `csv`."""
    names = [f"column {j:05}" for j in range(15_000)]
    path = tmp_path / "a.csv"
    path.write_text(f"{';'.join(names)}\n{';'.join('1' for _ in names)}\n")
    assert CSVFile(str(path)).columns() == names


@pytest.mark.parametrize("quoted", [False, True])
def test_long_lines(tmp_path, quoted):
    path = tmp_path / "a.csv"
    path.write_text("x,label\n1,a\n" + '"' * quoted + "1" * 5_000)
    file = CSVFile(str(path), largest=1_000)
    with pytest.raises(BrokenLine, match=r"line 3 of .*: it is too large") as problem:
        [*file.pieces(None, lambda: (), size=100)]
    assert ("quotation mark" in str(problem.value)) == quoted
