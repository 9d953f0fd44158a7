"""Damaged stores: never wrong numbers, always a message."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from driftlearn import GaussianNBClassifier, LearnPPNSEClassifier
from driftlearn.bench.workbench.cell import cells_of
from driftlearn.bench.workbench.grid import Grid
from driftlearn.bench.workbench.store import Store, StoreError, StoreLost
from driftlearn.cli import main
from driftlearn.streams import SEA

COPIES = 150
OLD = Path(__file__).parents[2] / "cli" / "store_0.1.sql"


def cells(seeds=(0, 1)):
    return cells_of(
        {"sea": lambda seed: SEA(n_rows=800, noise=0.1, chunk_size=100, random_state=seed)},
        {"nb": GaussianNBClassifier(), "nse": LearnPPNSEClassifier()},
        seeds,
    )


def made(path):
    with Store(path) as store:
        Grid(store).run(cells(), "a title", "a command")
        store.query("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def shown(path, folder):
    """Return the outputs of commands on a store, with the exit codes."""
    found = {}
    for words in (("runs", "--json"), ("runs", "1", "--json"), ("export", str(folder / "a.csv"))):
        done = CliRunner().invoke(main, [*words, "--store", str(path)])
        text = (folder / "a.csv").read_text() if words[0] == "export" and not done.exit_code else ""
        found[words[:2]] = done.exit_code, done.output + text
    return found


def test_a_flipped_byte_never_shows_other_numbers(tmp_path):
    whole = made(tmp_path / "runs.sqlite").read_bytes()
    path = tmp_path / "damaged.sqlite"
    path.write_bytes(whole)
    right = shown(path, tmp_path)
    assert all(code == 0 for code, _ in right.values()), right
    rng = np.random.default_rng(0)
    refused = 0
    page = whole[16] * 256 + whole[17]  # the first page holds the schema, and it is text
    places = [*rng.choice(page, COPIES // 3), *rng.choice(len(whole), COPIES)]
    for place in places:
        content = bytearray(whole)
        content[place] ^= int(rng.integers(1, 256))
        path.write_bytes(content)
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        for words, (code, text) in shown(path, tmp_path).items():
            if code == 0:
                assert text == right[words][1], (place, words)
            else:
                assert code == 2 and str(path) in text.replace("\n", ""), (place, words, text)
                refused += 1
    assert refused > COPIES // 10


def test_rows_that_are_missing_or_changed_are_named(tmp_path):
    path = made(tmp_path / "runs.sqlite")
    for change, message in (
        (
            "UPDATE chunks SET accuracy = 1.0 WHERE chunk = 3",
            "a row of chunks does not match its checksum",
        ),
        ("DELETE FROM chunks WHERE chunk = 7", "7 of 8 chunks of a cell"),
        ("UPDATE run_cells SET learner = 'nse'", "a row of run_cells does not match its checksum"),
        ("DELETE FROM run_cells WHERE place = 2", "3 of 4 cells of run 1"),
        ("UPDATE cells SET wall = 1.0", "a row of cells does not match its checksum"),
        ("UPDATE runs SET title = 'another'", "a row of runs does not match its checksum"),
    ):
        copy = tmp_path / "copy.sqlite"
        copy.write_bytes(path.read_bytes())
        with closing(sqlite3.connect(copy)) as db:
            db.execute("PRAGMA journal_mode = DELETE")
            db.execute(change)
            db.commit()
        with (
            Store(copy, to_read=True) as store,
            pytest.raises(StoreError, match=message) as reported,
        ):
            store.runs()
            for cell in store.cells(1):
                store.result(cell["cell"])
        assert str(copy) in str(reported.value) and "Restore an earlier copy" in str(reported.value)


def test_stores_without_checksums_are_read_and_written(tmp_path):
    path = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(OLD.read_text())
    with Store(path, to_read=True) as store:
        assert store.format == 1 and len(store.runs()) == 1
        before = [store.result(cell["cell"]).scores("learner") for cell in store.cells(1)]
    with Store(path) as store:
        Grid(store).run(cells((0,)))
        after = [store.result(cell["cell"]).scores("learner") for cell in store.cells(1)]
        assert [cell["status"] for cell in store.cells(2)] == ["done"] * 2
    np.testing.assert_array_equal(before, after)


def test_a_medium_that_cannot_be_written(tmp_path, monkeypatch):
    path = made(tmp_path / "runs.sqlite")
    content = sorted(tmp_path.iterdir())
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with Store(path, to_read=True) as store:
        assert store.runs()["cells"].tolist() == ["4 of 4"]
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            store._db.execute("DELETE FROM runs")
    assert sorted(tmp_path.iterdir()) == content
    (tmp_path / "runs.sqlite-wal").write_bytes(b"something")
    with pytest.raises(StoreError, match=r"newest rows are in .*copy both files"):
        Store(path, to_read=True)


def started(path, *more):
    words = ["run", "-s", "sea:n_rows=5000000", "-l", "naive-bayes", "--on", "serial", *more]
    process = subprocess.Popen(
        [sys.executable, "-m", "driftlearn", *words, "--store", str(path)],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not list(path.with_name(path.name + ".work").glob("[0-9a-f]*.lock")):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    return process


def test_a_killed_run_is_not_running(tmp_path):
    path = tmp_path / "runs.sqlite"
    process = started(path)
    with Store(path, to_read=True) as store:
        assert store.runs()["status"].tolist() == ["running"] == [store.run(1)["status"]]
        process.kill()
        process.communicate()
        assert store.runs()["status"].tolist() == ["stopped"] == [store.run(1)["status"]]
    with Store(path) as store:
        Grid(store).run(cells((0,)))
    assert not list(path.with_name(path.name + ".work").iterdir())


@pytest.mark.skipif(os.name == "nt", reason="Windows deletes no file that is open")
@pytest.mark.parametrize("replaced", [False, True])
def test_a_store_that_is_deleted_in_the_middle(tmp_path, replaced):
    path = tmp_path / "runs.sqlite"
    process = started(path)
    path.unlink()
    if replaced:
        path.write_bytes(b"")
    _, expected = process.communicate(timeout=60)
    assert process.returncode == 1, expected
    assert f"{path} was deleted or replaced during this run" in expected.replace("\n", " ")


@pytest.mark.skipif(os.name == "nt", reason="Windows deletes no file that is open")
def test_a_store_that_is_deleted_before_the_last_word(tmp_path):
    store = Store(tmp_path / "runs.sqlite")
    run = store.begin_run("", "", {}, cells())
    (tmp_path / "runs.sqlite").unlink()
    with pytest.raises(StoreLost, match="start the command again"):
        store.end_run(run, "done")


def test_unknown_run_numbers(tmp_path):
    store = Store(made(tmp_path / "runs.sqlite"), to_read=True)
    with store, pytest.raises(StoreError, match="its runs are 1 to 1"):
        store.run(10**30)


EARLY = """
import os, signal, sys
import driftlearn.cli as cli
class Slow(type(cli.main)):
    def get_command(self, ctx, name):
        os.kill(os.getpid(), signal.SIGINT)
        return super().get_command(ctx, name)
cli.main.__class__ = Slow
cli.main(["versions"])
"""


@pytest.mark.skipif(os.name == "nt", reason="needs a signal that a process sends itself")
def test_an_early_ctrl_c_gives_130():
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True)
    assert done.returncode in (130, -signal.SIGINT), done.stderr
    assert done.stderr == "stopped\n"


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from driftlearn.bench.workbench.export import export_chunks
from driftlearn.bench.workbench.store import Store
store = Store(sys.argv[1], to_read=True)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    export_chunks(store, Path(sys.argv[2]))
except OSError as problem:
    print("refused", problem.filename)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on the size of files")
@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_an_export_is_whole_or_absent_also_on_a_full_disk(tmp_path, name):
    path = made(tmp_path / "runs.sqlite")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / name).write_text("as it was")
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path), str(folder / name)],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout == f"refused {folder / name}\n", done.stderr
    assert [file.name for file in folder.iterdir()] == [name]
    assert (folder / name).read_text() == "as it was"
