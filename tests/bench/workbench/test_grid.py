"""A grid runs missing cells, alone or with other processes, and reports failures."""

import io
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from driftlearn import DTELClassifier, GaussianNBClassifier, IBoostClassifier, LearnPPNSEClassifier
from driftlearn.bench.workbench.cell import (
    LEARNER,
    Begun,
    Cell,
    Finished,
    Order,
    cells_of,
    work,
)
from driftlearn.bench.workbench.grid import Grid
from driftlearn.bench.workbench.progress import Bars, Display, Lines, make_display
from driftlearn.bench.workbench.store import Store
from driftlearn.evaluate import prequential, repeat
from driftlearn.streams import SEA
from driftlearn.utils.atomic_files import _host
from driftlearn.utils.locks import Locks
from tests.workbench_tasks import Deadly

LEARNERS = {"nse": LearnPPNSEClassifier(), "nb": GaussianNBClassifier()}


def sea(seed, n_rows=600):
    return SEA(n_rows=n_rows, noise=0.1, chunk_size=100, random_state=seed)


class Log(Display):
    """Display that records all calls."""

    def __init__(self):
        super().__init__()
        self.output = []

    def cell_at(self, key, row):
        pass

    def begin(self, run, total, done):
        self.output.append(("begin", total, done))

    def cell_started(self, key, name):
        self.output.append(("started", name))

    def cell_begun(self, key, n_rows, row):
        self.output.append(("begun", n_rows, row))

    def cell_done(self, key):
        self.output.append(("done",))

    def cell_failed(self, key):
        self.output.append(("failed",))

    def note(self, text):
        self.output.append(("note", text))

    def of(self, kind):
        return [entry[1:] for entry in self.output if entry[0] == kind]


def test_a_grid_gives_what_a_plain_repetition_gives():
    direct = repeat(prequential, LEARNERS, sea, seeds=(0, 1))
    found = Grid().run(cells_of({"sea": sea}, LEARNERS, (0, 1))).results()["sea"]
    assert found.names == direct.names and found.seeds == direct.seeds
    for name in LEARNERS:
        np.testing.assert_array_equal(found.scores(name), direct.scores(name))
        np.testing.assert_array_equal(
            found.scores(name, "log_loss"), direct.scores(name, "log_loss")
        )


def test_only_what_is_missing_is_run(tmp_path):
    store = Store(tmp_path / "runs.sqlite")
    Grid(store).run(cells_of({"sea": sea}, LEARNERS, (0,)))
    log = Log()
    Grid(store, display=log).run(cells_of({"sea": sea}, LEARNERS, (0, 1)))
    assert log.of("begin") == [(4, 2)]
    assert len(log.of("started")) == 2 and all("seed 1" in name for (name,) in log.of("started"))
    log = Log()
    Grid(store, display=log, fresh=True).run(cells_of({"sea": sea}, LEARNERS, (0,)))
    assert len(log.of("started")) == 2
    assert list(store.workplace.iterdir()) == []


def test_equal_work_under_two_names_is_done_once():
    log = Log()
    twice = {"a": GaussianNBClassifier(), "b": GaussianNBClassifier()}
    found = Grid(display=log).run(cells_of({"sea": sea}, twice, (0,))).results()["sea"]
    assert found.names == ["a", "b"] and len(log.of("started")) == 1
    np.testing.assert_array_equal(found.scores("a"), found.scores("b"))


def test_the_key_depends_on_what_is_computed_and_on_nothing_else():
    def key(**changes):
        given = {"stream_name": "s", "stream": sea(0), "learner_name": "l",
                 "learner": DTELClassifier(), "seed": 0, **changes}  # fmt: skip
        return Cell.of(**given).key

    assert key() == key(stream_name="other", learner_name="names")
    different = [
        key(), key(seed=1), key(stream=sea(1)), key(learner=DTELClassifier(n_estimators=3)),
        key(protocol="holdout"), key(options={"chunk_size": 7}),
    ]  # fmt: skip
    assert len(set(different)) == len(different)


def test_a_seed_that_was_given_stays():
    cell = Cell.of("s", sea(0), "l", DTELClassifier(random_state=5), 2)
    assert cell.descriptions["learner"]["params"]["random_state"] == 5


class Spoiled(GaussianNB):
    """Raises in the middle of the stream."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if getattr(self, "calls_", 0) == 3:
            raise ValueError("enough")
        self.calls_ = getattr(self, "calls_", 0) + 1
        return super().partial_fit(X, y, classes, sample_weight)


def test_failed_cells_are_isolated_and_retried(tmp_path):
    store = Store(tmp_path / "runs.sqlite")
    cells = cells_of({"sea": sea}, {"bad": Spoiled(), **LEARNERS}, (0, 1))
    log = Log()
    outcome = Grid(store, display=log).run(cells)
    assert len(outcome.failures) == 2 and all(
        "enough" in text for text in outcome.failures.values()
    )
    assert outcome.results()["sea"].names == ["nse", "nb"]
    assert store.runs()["status"].tolist() == ["failed"]
    assert "Traceback" in next(c["error"] for c in store.cells(1) if c["status"] == "failed")
    log = Log()
    Grid(store, display=log).run(cells)
    assert log.of("begin") == [(6, 4)] and len(log.of("failed")) == 2


def test_a_cell_that_kills_its_worker_fails_alone():
    log = Log()
    cells = cells_of({"sea": sea}, {"deadly": Deadly(), **LEARNERS}, (0,))
    outcome = Grid(executor="processes:2", display=log).run(cells)
    assert set(outcome.failures.values()) == {"the worker died (signal 9)"}
    assert outcome.results()["sea"].names == ["nse", "nb"]
    assert all("trying again" in note for (note,) in log.of("note")) and len(log.of("note")) == 2


def test_there_must_be_something_to_run():
    with pytest.raises(ValueError, match="must contain at least one cell"):
        Grid().run([])


LONG = {
    "iboost": IBoostClassifier(n_estimators=20, window_size=100),
    "dtel": DTELClassifier(n_estimators=5),
    "sklearn": GaussianNB(),
}


@pytest.mark.parametrize("name", LONG)
def test_interrupted_cells_continue(tmp_path, name):
    """The run is stopped between any two chunks; the rest runs as if it had not been."""
    cell = Cell.of("sea", sea(0, 1500), name, LONG[name], 0)
    whole = []
    work(Order(cell), whole.append)
    path = tmp_path / "c.npz"

    class Stop(Exception):
        pass

    def until(row):
        def emit(message):
            received.append(message)
            if getattr(message, "stop", 0) >= row:
                raise Stop

        return emit

    for row in (400, 900):
        received = []
        with pytest.raises(Stop):
            work(Order(cell, path, interval=0.0), until(row))
    received = []
    finished = work(Order(cell, path, interval=0.0), received.append)
    assert isinstance(finished, Finished) and received[0].steps[-1].stop == 800
    steps = [*received[0].steps, *received[1:]]
    assert [s.confusion.tolist() for s in steps] == [s.confusion.tolist() for s in whole[1:]]
    assert [s.chunk for s in steps] == list(range(15))
    assert finished.n_chunks == 15


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "other", "text"])
def test_a_damaged_checkpoint_is_named_and_the_cell_starts_again(tmp_path, damage):
    cell = Cell.of("sea", sea(0), "nse", LearnPPNSEClassifier(), 0)
    store = Store(tmp_path / "runs.sqlite")
    path = store.workplace / f"{cell.key}.npz"
    path.parent.mkdir()
    work(Order(cell, path, interval=0.0), lambda message: None)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    other = Cell.of("sea", sea(1), "nse", LearnPPNSEClassifier(), 1)
    elsewhere = tmp_path / "other.npz"
    work(Order(other, elsewhere, interval=0.0), lambda message: None)
    whole = path.read_bytes()
    path.write_bytes({"cut": whole[: len(whole) // 3], "flipped": bytes(content), "empty": b"",
                      "other": elsewhere.read_bytes(), "text": b"nonsense"}[damage])  # fmt: skip
    log = Log()
    outcome = Grid(store, display=log).run([cell])
    ((note,),) = log.of("note")
    assert "the checkpoint cannot be used, so the cell starts again" in note and str(path) in note
    assert log.of("begun") == [(600, 0)] and not outcome.failures
    assert not path.exists()


def test_unwritable_checkpoints_are_reported(tmp_path):
    output = []
    cell = Cell.of("sea", sea(0), "nb", GaussianNBClassifier(), 0)
    work(Order(cell, tmp_path / "missing" / "c.npz", interval=0.0), output.append)
    notes = [message for message in output if isinstance(message, str)]
    assert len(notes) == 1 and "continues without checkpoints" in notes[0]
    assert len([m for m in output if not isinstance(m, Begun | str)]) == 6


class Holder(GaussianNB):
    """Holds an object that cannot be saved, or raises an error of its own when saved."""

    def __init__(self, what="lock"):
        super().__init__()
        self.what = what

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        self.held_ = {"lock": threading.Lock(), "code": lambda: 1, "open": sys.stdin,
                      "state": Unspeakable()}[self.what]  # fmt: skip
        return super().partial_fit(X, y, classes, sample_weight)


class Unspeakable:
    def __reduce_ex__(self, protocol):
        raise ZeroDivisionError("not now")


@pytest.mark.parametrize("what", ["lock", "code", "open", "state"])
def test_a_learner_that_cannot_be_saved_is_evaluated_all_the_same(tmp_path, what):
    store, log = Store(tmp_path / "runs.sqlite"), Log()
    cell = Cell.of("sea", sea(0), "holder", Holder(what), 0)
    outcome = Grid(store, display=log, checkpoint_seconds=0.0).run([cell])
    ((note,),) = log.of("note")
    assert "holder on sea, seed 0: continues without checkpoints: " in note
    plain = prequential({"nb": GaussianNB()}, sea(0))
    found = outcome.results()["sea"].scores("holder")[0]
    np.testing.assert_array_equal(found, plain.scores("nb"))


def test_a_lock_is_of_one_process_and_ends_with_it(tmp_path):
    hold = (
        "import sys, time; from pathlib import Path; from driftlearn.utils.locks import "
        "Locks; c = Locks(Path(sys.argv[1])); print(c.take('k'), flush=True); time.sleep(60)"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", hold, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert other.stdout.readline().strip() == "True"
    with Locks(tmp_path) as locks:
        assert not locks.take("k") and locks.owner("k") == str(other.pid)
        assert locks.take("free")
        other.kill()
        other.wait()
        other.stdout.close()
        assert locks.take("k")
        locks.drop("k")
        assert locks.take("k")
    assert list(tmp_path.iterdir()) == []


TOGETHER = """
import sys
sys.path.insert(0, sys.argv[2])
from tests.bench.workbench.test_grid import LEARNERS, Log, sea
from driftlearn.bench.workbench.cell import cells_of
from driftlearn.bench.workbench.grid import Grid
from driftlearn.utils.locks import Locks
from driftlearn.bench.workbench.store import Store
log = Log()
cells = cells_of({"sea": lambda seed: sea(seed, 3000)}, LEARNERS, range(15))
outcome = Grid(Store(sys.argv[1]), display=log, checkpoint_seconds=0.05).run(cells)
assert not outcome.failures and len(outcome.results()["sea"].seeds) == 15
print(len(log.of("started")), len(log.of("done")))
"""


@pytest.mark.compiled
def test_two_processes_share_the_work(tmp_path):
    tests = str(Path(__file__).parents[3])
    words = [sys.executable, "-c", TOGETHER, str(tmp_path / "runs.sqlite"), tests]
    both = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    counts = [[int(n) for n in process.communicate()[0].split()] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    started = [count[0] for count in counts]
    assert sum(started) == 30, "each cell is run by one process"
    with Store(tmp_path / "runs.sqlite") as store:
        assert store.runs()["cells"].tolist() == ["30 of 30"] * 2


def test_an_interrupt_stops_at_once_and_the_run_is_marked(tmp_path):
    class Impatient(Log):
        def cell_at(self, key, row):
            raise KeyboardInterrupt

    store = Store(tmp_path / "runs.sqlite")
    cells = cells_of({"sea": sea}, LEARNERS, (0,))
    with pytest.raises(KeyboardInterrupt):
        Grid(store, display=Impatient()).run(cells)
    assert store.runs()["status"].tolist() == ["stopped"]
    assert not Grid(store).run(cells).failures


@pytest.mark.compiled
def test_ctrl_c_and_the_same_command_again(tmp_path):
    words = [
        sys.executable, "-m", "driftlearn", "run", "--stream", "sea:n_rows=200000",
        "--learner", "aue2:n_estimators=3", "--learner", "dtel:n_estimators=3",
        "--chunk-size", "500", "--store", str(tmp_path / "runs.sqlite"), "--on", "serial", "--json",
        "--no-baselines",
    ]  # fmt: skip
    first = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    store = tmp_path / "runs.sqlite"
    while not (store.exists() and _chunks(store) > 20):
        assert first.poll() is None, first.stderr.read()
        time.sleep(0.05)
    first.send_signal(signal.SIGINT)
    _, output = first.communicate(timeout=30)
    assert first.returncode == 130
    assert "finished work is saved, run the same command again to continue" in output
    assert "Traceback" not in output
    second = subprocess.run(words, capture_output=True, text=True)
    assert second.returncode == 0, second.stderr
    assert set(json.loads(second.stdout)["results"]["sea:n_rows=200000"]) == {
        "aue2:n_estimators=3", "dtel:n_estimators=3",
    }  # fmt: skip


def _chunks(path):
    with Store(path) as store:
        return store.query("SELECT count(*) FROM chunks")[0][0]


def test_lines_where_there_is_no_terminal():
    file = io.StringIO()
    show = Lines(file, interval=0.0, verbose=True)
    Grid(display=show).run(cells_of({"sea": sea}, LEARNERS, (0,)))
    output = file.getvalue()
    assert "nse on sea, seed 0 50%" in output and "nse on sea, seed 0: done" in output
    assert "2 of 2 cells" in output.splitlines()[-1] and "left" not in output.splitlines()[-1]


def test_the_remaining_time_does_not_count_the_start_of_workers(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("driftlearn.bench.workbench.progress.perf_counter", lambda: now[0])
    show = Display()
    show.begin(1, 4, 0)
    show.cell_started("a", "a")
    assert show._state().endswith("; starting the workers")
    show.cell_begun("a", 1000, 0)
    now[0] = 12.0
    show.cell_at("a", 100)
    assert "left" not in show._state()  # only the start was timed
    now[0] = 17.0
    show.cell_at("a", 500)
    assert show._state().endswith(", about 35 s left")  # half a cell took 5 s, not 17 s


def test_bars_on_a_terminal():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    file = Terminal()
    show = make_display(file=file)
    assert isinstance(show, Bars)
    Grid(display=show).run(cells_of({"sea": sea}, {"bad": Spoiled(), **LEARNERS}, (0,)))
    output = file.getvalue()
    assert (
        "run 1: 3 cells" in output and "1 of 3 cells, 1 failed" in output and "bad on sea" in output
    )
    assert isinstance(make_display(file=io.StringIO()), Lines)
    assert type(make_display(quiet=True)) is Display


def test_leftovers_of_a_killed_writer_are_swept(tmp_path):
    store = Store(tmp_path / "runs.sqlite")
    store.workplace.mkdir()
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    leftover = store.workplace / f".x.npz.{_host()}-{dead.pid}-0123abcd.part"
    leftover.write_text("half")
    Grid(store).run(cells_of({"sea": sea}, {"nb": GaussianNBClassifier()}, (0,)))
    assert not leftover.exists()


def test_the_learner_of_a_cell_is_called_learner():
    assert list(cells_of({"sea": sea}, LEARNERS, (0,))[0].evaluation().run.learners) == [LEARNER]
