"""Real data sets: search path, download, and content."""

import functools
import gzip
import http.server
import os
import pickle
import socket
import threading
import zipfile
from http.client import IncompleteRead
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from driftlearn.streams import Laser, from_arrays, load
from driftlearn.streams._data_sets import (
    DATA_SETS,
    TIMEOUT,
    DataSet,
    Source,
    cache_folder,
    digest,
    fetch,
    narrow,
    read_data_set,
)


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serve a folder; files named broken end before their announced length."""

    def do_GET(self):
        if self.path == "/broken":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"x" * 10)
            return
        super().do_GET()

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(folder))
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """Set neither a data folder nor a cache."""
    monkeypatch.setenv("DRIFTLEARN_DATA", "")
    monkeypatch.setenv("DRIFTLEARN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_fetch_returns_the_content(site):
    folder, url = site
    content = os.urandom(300_000)
    (folder / "good").write_bytes(content)
    assert fetch(f"{url}/good") == content


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", "the connection broke after 10 of 1,000 bytes"),
        ("missing", "HTTP Error 404"),
    ],
)
def test_fetch_names_the_address_when_it_fails(site, name, message):
    _, url = site
    with pytest.raises(OSError, match=rf"{url}/{name}: .*{message}"):
        fetch(f"{url}/{name}")


@pytest.mark.parametrize(
    ("limit", "message"),
    [("LARGEST", "exceeds the maximum size of 5 bytes"), ("LONGEST", "not complete")],
)
def test_fetch_has_limits(site, monkeypatch, limit, message):
    folder, url = site
    (folder / "long").write_bytes(b"x" * 200_000)
    monkeypatch.setattr(f"driftlearn.streams._data_sets.{limit}", 5 if limit == "LARGEST" else -1)
    with pytest.raises(OSError, match=rf"{url}/long: .*{message}"):
        fetch(f"{url}/long")


@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz"])
def test_an_archive_that_unpacks_without_end_is_refused(site, monkeypatch, name):
    folder, url = site
    content = b"1,2\n" * 10_000
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, gzip.compress(content) if name.endswith(".gz") else content)
    monkeypatch.setattr("driftlearn.streams._data_sets.LARGEST", 20_000)
    bomb = Source(10_000, ("x",), (), "0" * 64, f"{url}/bomb.zip", (name,))
    with pytest.raises(OSError, match=r"bomb\.zip cannot be read: .*maximum size of 20,000 bytes"):
        bomb.download()


def test_fetch_without_a_server():
    with pytest.raises(OSError, match="refused"):
        fetch("http://127.0.0.1:9/file")


ROWS = np.array([[1.0, 2], [300, 4]])


def archive(site, members=("rows.data",), content=b"1,2,0\n300,4,1\n"):
    folder, url = site
    with zipfile.ZipFile(folder / "some.zip", "w") as file:
        for member in members:
            file.writestr(member, content)
    n = 2 * len(members)
    rows, labels = np.tile(ROWS, (len(members), 1)), np.tile([0, 1], len(members))
    known = ((0, n),)
    sum_ = digest(rows, labels, known)
    return Source(n, ("a", "b"), known, sum_, f"{url}/some.zip", members)


@pytest.mark.parametrize(
    ("members", "content"),
    [
        (("rows.data",), b"1,2,0\n300,4,1\n"),
        (("data/rows.tra", "data/rows.tes"), b"1,2,0\n300,4,1\n"),
        (("rows.data.gz",), gzip.compress(b"1,2,0\n300,4,1\n", mtime=0)),
    ],
    ids=["one file", "two files", "compressed"],
)
def test_archive_is_downloaded_once_and_kept(site, nowhere, monkeypatch, members, content):
    source = archive(site, members, content)
    entry = DataSet("a small one", "small.parquet", "", source)
    monkeypatch.setitem(DATA_SETS, "small", entry)
    stream = load("small")
    X, y = stream.arrays()
    assert X[:2].tolist() == [[1, 2], [300, 4]] and y[:2].tolist() == [0, 1]
    assert stream.feature_names == ["a", "b"] and len(y) == 2 * len(members)
    (site[0] / "some.zip").unlink()
    again = load("small")
    np.testing.assert_array_equal(again.arrays()[0], X)
    assert [path.name for path in nowhere.iterdir() if path.suffix == ".npz"] == ["small.npz"]
    assert not (nowhere / "some.zip").exists()


def test_archive_with_other_content_is_refused(site):
    source = archive(site, content=b"1,2,0\n300,5,1\n")
    with pytest.raises(OSError, match="does not have the expected checksum of its values"):
        source.download()
    source = archive(site, content=b"1,2,0\n")
    with pytest.raises(OSError, match=r"has shape \(1, 2\); expected \(2, 2\)"):
        source.download()
    with pytest.raises(OSError, match="cannot be read"):
        archive(site)._replace(members=("absent.data",)).download()
    (site[0] / "some.zip").write_bytes(b"no zip file")
    with pytest.raises(OSError, match="cannot be read"):
        source.download()


def test_damaged_cache_is_noticed(site, nowhere, monkeypatch):
    source = archive(site)
    monkeypatch.setitem(DATA_SETS, "small", DataSet("a small one", "small.parquet", "", source))
    load("small")
    with open(nowhere / "small.npz", "ab") as file:
        file.write(b"!")
    with pytest.raises(FileNotFoundError, match=r"small\.npz was modified or damaged.*delete it"):
        load("small")
    (nowhere / "small.npz").unlink()
    assert load("small").n_rows == 2


def openml(monkeypatch, data, target):
    requested = []

    def fake(**options):
        requested.append(options["data_id"])
        return Bunch(data=data, target=target)

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fake)
    return requested


def small_openml():
    data = pd.DataFrame({"V1": [0.5, 1.5, 2.5], "V2": pd.Categorical(["3", "1", "2"])})
    target = pd.Series(pd.Categorical(["1", "2", "1"]))
    X = np.array([[0.5, 3], [1.5, 1], [2.5, 2]])
    source = Source(
        n_rows=3,
        names=("a", "b"),
        verified=((1, 2),),
        values_sha256=digest(X, np.array([1, 2, 1]), ((1, 2),)),
        openml_id=99,
        drifts=(1,),
    )
    return data, target, source


def test_openml_values_are_checked_and_kept(nowhere, monkeypatch):
    data, target, source = small_openml()
    requested = openml(monkeypatch, data, target)
    monkeypatch.setitem(DATA_SETS, "small", DataSet("a small one", "small.parquet", "", source))
    for _ in range(2):
        stream = load("small")
        X, y = stream.arrays()
        assert X.tolist() == [[0.5, 3], [1.5, 1], [2.5, 2]] and y.tolist() == [1, 2, 1]
        assert stream.drifts == [1]
    assert requested == [99]


def test_openml_with_other_values_is_refused(nowhere, monkeypatch):
    data, target, source = small_openml()
    openml(monkeypatch, data.assign(V1=[0.5, 1.6, 2.5]), target)
    with pytest.raises(
        OSError, match="data set 99 does not have the expected checksum of its values"
    ):
        source.download()
    openml(monkeypatch, data[:1], target[:1])
    with pytest.raises(OSError, match=r"data set 99 has shape \(1, 2\); expected \(3, 2\)"):
        source.download()


@pytest.mark.parametrize("problem", [ValueError, TimeoutError, IncompleteRead])
def test_openml_that_fails(nowhere, monkeypatch, problem):
    waits = []

    def fail(**options):
        waits.append(socket.getdefaulttimeout())
        raise problem("no such data set")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fail)
    before = socket.getdefaulttimeout()
    with pytest.raises(OSError, match="OpenML data set 99: ") as reported:
        small_openml()[2].download()
    assert isinstance(reported.value.__cause__, problem)
    assert waits == [TIMEOUT] and socket.getdefaulttimeout() == before


def test_unavailable_data_sets_list_the_attempts(nowhere, monkeypatch):
    with pytest.raises(FileNotFoundError) as reported:
        load("spam")
    assert "DRIFTLEARN_DATA is not set; it cannot be downloaded." in str(reported.value)
    assert "Put spam_corpus.parquet into a folder and set" in str(reported.value)
    source = Source(1, ("a",), ((0, 1),), "", "http://127.0.0.1:9/some.zip", ("rows",))
    monkeypatch.setitem(DATA_SETS, "small", DataSet("a small one", "small.parquet", "", source))
    monkeypatch.setenv("DRIFTLEARN_DATA", str(nowhere.parent))
    with pytest.raises(FileNotFoundError) as reported:
        load("small")
    for part in ("there is no small.parquet in", str(nowhere), "127.0.0.1:9/some.zip", "refused"):
        assert part in str(reported.value)


def test_unknown_names_and_options():
    with pytest.raises(ValueError, match=r"Got 'electrisity' \(did you mean 'electricity'\?\)"):
        load("electrisity")
    with pytest.raises(ValueError, match=r"wine.*has fixed columns"):
        load("wine", n_features=3)
    with pytest.raises(ValueError, match=r"n_rows must be an int in the range .1, inf.. Got 0"):
        load("wine", n_rows=0)


def test_cache_folder(monkeypatch):
    monkeypatch.setenv("DRIFTLEARN_CACHE", "/own")
    assert cache_folder() == Path("/own")
    monkeypatch.setenv("DRIFTLEARN_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "/user")
    assert cache_folder() == Path("/user/driftlearn")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "driftlearn"


def test_narrow_keeps_values():
    for X in ([[0, 255]], [[-1, 3]], [[70_000]], [[1.5]], [[2**40]]):
        X = np.array(X, dtype=np.float64)
        np.testing.assert_array_equal(narrow(X), X)
    assert narrow(np.array([[0.0, 255.0]])).dtype == np.uint8


def test_wine_comes_with_scikit_learn(nowhere):
    stream = load("wine", n_rows=100, random_state=3)
    assert stream.n_rows == 100 and stream.n_features == 13
    assert repr(stream) == "load('wine', n_rows=100, random_state=3)"
    np.testing.assert_array_equal(eval(repr(stream)).arrays()[0], stream.arrays()[0])
    assert len(pickle.dumps(stream)) < 1_000
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(stream)).take(9)[0], stream.take(9)[0])


SHAPES = {
    "electricity": (45_312, 8, 2),
    "covertype": (581_012, 54, 7),
    "optdigits": (5_620, 64, 10),
    "weather": (18_159, 8, 2),
    "gas": (6_697, 128, 6),
    "poker": (99_998, 10, 8),
    "poker-training": (25_010, 10, 10),
    "spam": (9_324, 500, 2),
    "alcohol": (125, 10, 5),
    "laser": (9_259, 9, 2),
}


@pytest.mark.data
@pytest.mark.parametrize("name", SHAPES)
def test_recorded_sets_are_as_described(name):
    stream = load(name) if name == "laser" else load(name, verify=True)
    assert (stream.n_rows, stream.n_features, len(stream.classes)) == SHAPES[name]
    X, y = stream.take(100)
    assert (
        X.dtype == np.float64
        and np.isfinite(X).all()
        and (y.dtype == np.int64 or y.dtype.kind == "U")
    )


@pytest.mark.data
def test_known_changes_of_recorded_sets():
    assert load("alcohol").drifts == [25, 50, 75, 100]
    assert load("gas").drifts == [445, 1_689, 3_275, 3_436, 3_633, 5_933, 6_227]
    assert load("electricity").drifts == []
    assert isinstance(load("laser"), Laser)
    assert load("optdigits", drop_constant=True).n_features == 62


@pytest.mark.data
def test_words_of_the_spam_set():
    import pyarrow.parquet as pq

    table = pq.read_table(Path(os.environ["DRIFTLEARN_DATA"]) / "spam_corpus.parquet")
    mails = table["indices"].to_pylist()
    stream = load("spam", n_features=30)
    kept = [int(name.removeprefix("word")) for name in stream.feature_names]
    frequency = np.zeros(39_916, dtype=int)
    for mail in mails[:1_000]:
        frequency[mail] += 1
    assert sorted(frequency[kept])[0] >= np.sort(frequency)[-30]
    X, y = stream.arrays()
    for row in (0, 999, 5_000, 9_323):
        assert X[row].tolist() == [float(word in set(mails[row])) for word in kept]
    assert np.bincount(y).tolist() == [6_937, 2_387]
    with pytest.raises(ValueError, match="n_features must be an int in the range \\[1, 39916\\]"):
        load("spam", n_features=50_000)


@pytest.mark.data
def test_wrong_file_is_noticed_on_request(tmp_path, monkeypatch):
    original = Path(os.environ["DRIFTLEARN_DATA"]) / "alcohol_qcm.csv"
    (tmp_path / "alcohol_qcm.csv").write_text(original.read_text().replace("-10.06", "-10.07"))
    monkeypatch.setenv("DRIFTLEARN_DATA", str(tmp_path))
    assert load("alcohol").arrays()[0][0, 0] == -10.07
    with pytest.raises(ValueError, match="does not have the expected SHA-256 6057ab77"):
        load("alcohol", verify=True)


@pytest.mark.data
@pytest.mark.parametrize("name", ["electricity"])
def test_known_values_of_openml_sets_are_those_of_the_files(name, monkeypatch, nowhere, request):
    monkeypatch.undo()
    table = read_data_set(name)
    data = pd.DataFrame(table.X.astype(float), columns=table.feature_names)
    openml(monkeypatch, data, pd.Series(table.y).astype(str).astype("category"))
    downloaded = DATA_SETS[name].source.download()
    np.testing.assert_array_equal(downloaded.X, table.X)
    np.testing.assert_array_equal(downloaded.y, table.y)


@pytest.mark.data
@pytest.mark.parametrize("name", ["gas", "poker", "poker-training", "optdigits", "covertype"])
def test_known_parts_of_downloaded_sets_are_those_of_the_files(name):
    source = DATA_SETS[name].source
    table = read_data_set(name)
    n = sum(stop - start for start, stop in source.verified)
    assert n == len(table.y)
    gaps = np.full((source.verified[-1][1], table.X.shape[1]), np.nan)
    labels = np.zeros(len(gaps), dtype=int)
    inside = np.concatenate([np.arange(*part) for part in source.verified])
    gaps[inside], labels[inside] = table.X, table.y
    assert digest(gaps, labels, source.verified) == source.values_sha256
    assert list(source.names) == table.feature_names


def test_array_stream_repr_is_short():
    assert repr(from_arrays(np.zeros((3, 2)), [0, 1, 0])) == "<ArrayStream arrays: 3 rows x 2>"
