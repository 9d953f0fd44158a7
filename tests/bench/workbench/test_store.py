"""The result store: nothing is stored twice or lost, and every problem has a message."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from driftlearn import GaussianNBClassifier, LearnPPNSEClassifier
from driftlearn.bench.workbench.cell import LEARNER, Cell, Order, work
from driftlearn.bench.workbench.export import export_chunks
from driftlearn.bench.workbench.store import FORMAT, Store, StoreError, default_path
from driftlearn.bench.workbench.store_rows import SEALED, seal_of
from driftlearn.evaluate import prequential
from driftlearn.streams import SEA


def sea(seed=0, n_rows=600):
    return SEA(n_rows=n_rows, noise=0.1, chunk_size=100, random_state=seed)


def cell(seed=0, learner=None):
    return Cell.of("sea", sea(seed), "nb", learner or GaussianNBClassifier(), seed)


def filled(store, one):
    """Run a cell and store all its messages; return them."""
    message = []
    store.begin_cell(one)
    finished = work(Order(one), message.append)
    store.add_steps(one.key, message[1:])
    store.finish_cell(one.key, finished)
    return message, finished


def test_results_are_restored(tmp_path):
    learner = LearnPPNSEClassifier(random_state=0)
    direct = prequential({LEARNER: learner}, sea())
    with Store(tmp_path / "runs.sqlite") as store:
        filled(store, cell(learner=learner))
        stored = store.result(cell(learner=learner).key)
    for metric in ("accuracy", "log_loss", "members", "kappa"):
        np.testing.assert_array_equal(
            stored.scores(LEARNER, metric), direct.scores(LEARNER, metric)
        )
    np.testing.assert_array_equal(stored.rows(LEARNER), direct.rows(LEARNER))
    np.testing.assert_array_equal(
        stored.histories[LEARNER].weights, direct.histories[LEARNER].weights
    )
    assert stored.drifts == direct.drifts and stored.params == direct.params
    assert stored.settings == direct.settings


def test_a_history_of_another_format_is_left_out(tmp_path):
    learner = LearnPPNSEClassifier(random_state=0)
    one = cell(learner=learner)
    with Store(tmp_path / "runs.sqlite") as store:
        filled(store, one)
        whole = store.result(one.key)
        store.query("UPDATE cells SET histories = ?", [b"of another format"])
        found = store.result(one.key)
    assert whole.histories and not found.histories
    np.testing.assert_array_equal(found.scores(LEARNER), whole.scores(LEARNER))


def test_string_labels_survive(tmp_path):
    stream = SEA(n_rows=300, labels=("no", "yes"), chunk_size=100, random_state=0)
    one = Cell.of("sea", stream, "nb", GaussianNBClassifier(), 0)
    with Store(tmp_path / "runs.sqlite") as store:
        filled(store, one)
        assert store.result(one.key).classes.tolist() == ["no", "yes"]


def test_nothing_can_be_doubled(tmp_path):
    with Store(tmp_path / "runs.sqlite") as store:
        message, finished = filled(store, cell())
        store.add_steps(cell().key, message[1:])
        store.finish_cell(cell().key, finished)
        assert store.query("SELECT count(*) FROM chunks") == [(6,)]
        assert store.query("SELECT count(*) FROM cells") == [(1,)]


def test_chunks_of_an_earlier_longer_attempt_are_dropped(tmp_path):
    with Store(tmp_path / "runs.sqlite") as store:
        _, finished = filled(store, cell())
        store.finish_cell(cell().key, finished._replace(n_chunks=4))
        assert store.query("SELECT max(chunk) FROM chunks") == [(3,)]


def test_a_done_cell_stays_done_when_it_is_begun_again(tmp_path):
    with Store(tmp_path / "runs.sqlite") as store:
        filled(store, cell())
        store.begin_cell(cell())
        assert store.is_done(cell().key)
        store.remove_cells([cell().key])
        assert not store.is_done(cell().key)
        with pytest.raises(StoreError, match="no finished cell"):
            store.result(cell().key)


def test_runs_and_their_cells_are_listed(tmp_path):
    with Store(tmp_path / "runs.sqlite") as store:
        assert len(store.runs()) == 0
        cells = [cell(0), cell(1)]
        run = store.begin_run("a title", "driftlearn run ...", {"cores": "2"}, cells)
        filled(store, cells[0])
        store.begin_cell(cells[1])
        store.fail_cell(cells[1].key, "ValueError: no\ntrace")
        store.end_run(run, "failed")
        (row,) = store.runs()
        assert row["cells"] == "1 of 2" and row["status"] == "failed"
        assert [c["status"] for c in store.cells(run)] == ["done", "failed"]
        assert store.cells(run)[0]["wall"] > 0
        assert store.run(run)["machine"] == {"cores": "2"}
        with pytest.raises(StoreError, match="has no run 7: its runs are 1 to 1"):
            store.cells(7)


def test_newer_stores_are_rejected_and_not_changed(tmp_path):
    path = tmp_path / "runs.sqlite"
    Store(path).close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {FORMAT + 1}")
    with pytest.raises(StoreError, match=f"newer version of driftlearn .format {FORMAT + 1}"):
        Store(path)


@pytest.mark.parametrize("what", ["a text", ""], ids=["text", "empty"])
def test_a_file_of_something_else(tmp_path, what):
    path = tmp_path / "runs.sqlite"
    path.write_text(what * 200)
    if what:
        with pytest.raises(StoreError, match="cannot be used as a store: file is not a database"):
            Store(path)
        assert path.read_text() == what * 200
    else:
        Store(path).close()


def test_a_store_below_a_file_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be created"):
        Store(tmp_path / "file" / "runs.sqlite")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_leave_to_write(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="cannot"):
        Store(tmp_path / "runs.sqlite")


FULL_DISK = """
import resource, sys
from driftlearn.bench.workbench.store import Store, StoreError
sys.path.insert(0, sys.argv[2])
from tests.bench.workbench.test_store import cell, filled
store = Store(sys.argv[1])
filled_steps, finished = filled(store, cell(0))
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    for k in range(10_000):
        store.add_steps(f"cell {k}", filled_steps[1:])
except StoreError as problem:
    print(problem)
"""


def test_full_disk_loses_nothing(tmp_path):
    path = tmp_path / "runs.sqlite"
    tests = str(Path(__file__).parents[3])
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path), tests], capture_output=True, text=True
    )
    assert "writing to" in done.stdout and "stored before is safe" in done.stdout, done.stderr
    with Store(path) as store:
        assert store.is_done(cell(0).key)
        assert store.result(cell(0).key).scores(LEARNER).shape == (6,)
        assert store.query("PRAGMA integrity_check") == [("ok",)]


WRITER = """
import sys
sys.path.insert(0, sys.argv[2])
from driftlearn.bench.workbench.store import Store
from tests.bench.workbench.test_store import cell, filled
store = Store(sys.argv[1])
for seed in range(int(sys.argv[3]), int(sys.argv[4])):
    filled(store, cell(seed))
"""


def test_two_processes_may_write_at_a_time(tmp_path):
    path = tmp_path / "runs.sqlite"
    tests = str(Path(__file__).parents[3])
    words = [sys.executable, "-c", WRITER, str(path), tests]
    both = [subprocess.Popen([*words, *seeds]) for seeds in (("0", "12"), ("6", "18"))]
    assert [process.wait() for process in both] == [0, 0]
    with Store(path) as store:
        assert all(store.is_done(cell(seed).key) for seed in range(18))
        assert store.query("SELECT count(*) FROM chunks") == [(18 * 6,)]


def test_export_to_csv_and_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    import pandas as pd

    with Store(tmp_path / "runs.sqlite") as store:
        for title in ("one", "two"):
            store.begin_run(title, "", {}, [cell()])
        with pytest.raises(StoreError, match="no finished cell to export"):
            export_chunks(store, tmp_path / "a.csv")
        filled(store, cell())
        assert export_chunks(store, tmp_path / "a.csv", [2]) == 6
        assert export_chunks(store, tmp_path / "a.parquet") == 12
        with pytest.raises(ValueError, match=r"must end in .csv or .parquet"):
            export_chunks(store, tmp_path / "a.xls")
    read = pd.read_csv(tmp_path / "a.csv")
    again = pd.read_parquet(tmp_path / "a.parquet")
    assert read["run"].unique().tolist() == [2] and again["run"].unique().tolist() == [1, 2]
    np.testing.assert_array_equal(again["accuracy"][:6], read["accuracy"])
    counts = np.array(json.loads(read["confusion"][3]))
    assert counts.trace() / counts.sum() == read["accuracy"][3]


def test_the_default_place_is_the_users_data_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path() == tmp_path / "driftlearn" / "runs.sqlite"


OLDER = ("unchanged", "brier", "auc", "calibration")  # which a store of format 2 does not have


@pytest.fixture
def format_2(tmp_path):
    """A store of the format before probability metrics, and its content."""
    path = tmp_path / "runs.sqlite"
    with Store(path) as store:
        filled(store, cell())
        result = store.result(cell().key)
    names = [name for name in SEALED["chunks"] if name not in OLDER]
    db = sqlite3.connect(path)
    db.create_function("seal", -1, seal_of)
    db.execute(f"UPDATE chunks SET seal = seal({', '.join(names)})")
    for name in OLDER:
        db.execute(f"ALTER TABLE chunks DROP COLUMN {name}")
    db.execute("PRAGMA user_version = 2")
    db.commit()
    db.close()
    return path, result


@pytest.mark.parametrize("to_read", [True, False])
def test_a_store_of_format_2_is_read(format_2, to_read):
    path, result = format_2
    with Store(path, to_read=to_read) as store:
        old = store.result(cell().key)
        assert store.format == (2 if to_read else FORMAT)
        np.testing.assert_array_equal(old.scores(LEARNER), result.scores(LEARNER))
        for metric in ("brier", "auc", "ece", "kappa_temporal"):
            assert np.isnan(old.scores(LEARNER, metric)).all()
        if not to_read:  # old rows and new ones beside each other
            other = cell(seed=1)
            filled(store, other)
            assert not np.isnan(store.result(other.key).total(LEARNER, "brier"))
            assert np.isnan(store.result(cell().key).total(LEARNER, "brier"))


@pytest.mark.parametrize("value", [None, "[]"])
def test_what_came_later_is_under_the_seal_too(tmp_path, value):
    with Store(tmp_path / "runs.sqlite") as store:
        filled(store, cell())
        store.query("UPDATE chunks SET calibration = ? WHERE chunk = 3", [value])
        with pytest.raises(StoreError, match="a row of chunks does not match its checksum"):
            store.result(cell().key)


def test_the_new_columns_survive(tmp_path):
    direct = prequential({LEARNER: GaussianNBClassifier()}, sea())
    with Store(tmp_path / "runs.sqlite") as store:
        filled(store, cell())
        stored = store.result(cell().key)
        export_chunks(store, tmp_path / "chunks.csv", [store.begin_run("", "", {}, [cell()])])
    for metric in ("brier", "auc", "ece", "kappa_temporal"):
        np.testing.assert_array_equal(
            stored.scores(LEARNER, metric), direct.scores(LEARNER, metric)
        )
    assert stored.concepts == direct.concepts and len(stored.concepts) == 6
    head = (tmp_path / "chunks.csv").read_text("utf-8").splitlines()[0].split(",")
    assert head[-4:] == list(OLDER)
