"""Keys on a Dask cluster of real processes: states equal those of one process, also after kills."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from driftlearn.bench.workbench.dask_executor import NoCluster, local_cluster
from driftlearn.ops.keyed import dask
from driftlearn.ops.keyed.predictions import predict_keyed
from driftlearn.ops.keyed.settings import Request, run
from tests.ops.keyed.in_one_process import ROLES, InOneProcess
from tests.ops.keyed.killing import write_files

KINDS = {"x": "number", "size": "number", "colour": "category", "day": "date"}
GIVEN = {**ROLES, "learner": "hoeffding:grace_period=20", "kinds": {"x": "number"}}


@pytest.fixture(scope="module")
def on():
    with local_cluster(2) as executor:
        yield executor._client.scheduler.address


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    write_files(folder, 1_200, 0)
    return folder


@pytest.fixture
def reference():
    return InOneProcess(GIVEN["learner"], KINDS)


def learn(state, data, on, **more):
    run(Request(state, [str(data)], GIVEN, on=on, **more)).store.close()


def test_two_runs_and_predictions(on, data, tmp_path, reference):
    """The second run continues with the states; predictions equal those of one process."""
    last = data / "2.csv"
    later = last.read_text()
    last.unlink()
    state, out = tmp_path / "state", tmp_path / "out"
    learn(state, data, on, out=str(out))
    reference.run(data).check(state).store.close()
    with open(data / "1.csv", "a") as file:  # reading continues at the old end of the file
        file.write("0.5,1.5,red,2024-02-28,7,yes\n")
    learn(state, data, on, out=str(out))
    reference.run(data).check(state).store.close()
    assert reference.clock.n_rows == 801
    last.write_text(later)
    learn(state, data, on, out=str(out))
    reference.run(data).check(state).store.close()
    learn(state, data, on, out=str(out))  # no new rows: nothing is done
    models = reference.check(state)
    assert not (state / "dask").exists() and models.store.about("runs") == b"3"
    models.store.close()
    lines = [line for path in out.iterdir() for line in path.read_text().splitlines()[1:]]
    assert sorted(lines) == reference.lines()
    assert {"global", "own"} <= {line.rpartition(",")[2] for line in lines}

    n = dask.predict(state, [str(data)], str(tmp_path / "predictions"), on, passthrough=["day"])
    found = "".join(
        path.read_text().partition("\n")[2] for path in sorted((tmp_path / "predictions").iterdir())
    )
    predict_keyed(state, [str(data)], str(tmp_path / "predictions.csv"), passthrough=["day"])
    assert n == 1_201 and found == (tmp_path / "predictions.csv").read_text().partition("\n")[2]
    assert not [*state.glob(".predict*")]


def test_runs_continue_after_a_kill(on, data, tmp_path, monkeypatch, reference):
    """A run continues with the unfinished tasks, whenever the client was ended."""
    state = tmp_path / "state"
    request = Request(state, [str(data)], GIVEN, on=on)
    ran = dask.run_tasks

    def killed(executor, function, tasks, note):
        ran(executor, function, tasks[:2], note)
        if len(tasks) > 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(dask, "run_tasks", killed)
    for what in ("rows", "trained"):
        with pytest.raises(KeyboardInterrupt):
            run(request)
        assert len([*(state / "dask").glob(f"{what}-*.json")]) == 2
    with pytest.raises(ValueError, match=r"an unfinished run on tcp://.*Finish it first"):
        run(Request(state, [str(data)], GIVEN, on="local"))
    again = []

    def noted(executor, function, tasks, note):
        again.extend((function.__name__, key) for key, _ in tasks)
        return ran(executor, function, tasks, note)

    monkeypatch.setattr(dask, "run_tasks", noted)
    learn(state, data, on)
    reference.run(data).check(state).store.close()
    assert [name for name, _ in again] == ["learn"] * 6


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_client_and_workers_are_killed(data, tmp_path, reference):
    """A worker is killed while it learns, then the client; the same command continues."""
    state = tmp_path / "state"
    words = [sys.executable, "-m", "driftlearn", "learn", str(data), "--target=label",
             "--key=device", f"--learner={GIVEN['learner']}", "--kind=x=number",
             f"--state={state}", "--quiet"]  # fmt: skip
    with local_cluster(2) as executor:
        on = executor._client.scheduler.address
        client = subprocess.Popen([*words, f"--on={on}"])
        for what, victim in (("rows", "worker"), ("trained", "client")):
            while not [*state.glob(f"dask/{what}-*.json")] and client.poll() is None:
                time.sleep(0.01)
            if victim == "worker":
                os.kill(next(iter(executor._client.run(os.getpid).values())), signal.SIGKILL)
            else:
                client.kill()
        assert client.wait() == -signal.SIGKILL and (state / "dask").exists()
        done = subprocess.run([*words, f"--on={on}"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 4, done.stderr  # some rows have no key
    reference.run(data).check(state).store.close()


def test_mistakes(on, data, tmp_path, reference):
    state = tmp_path / "state"
    with pytest.raises(NoCluster, match="no dask scheduler responds at tcp://127"):
        run(Request(state, [str(data)], GIVEN, on="tcp://127.0.0.1:1"))
    with pytest.raises(ValueError, match="A worker cannot access /nowhere/dask"):
        dask.read(("/nowhere/dask", 0), print)
    with pytest.raises(ValueError, match="does not support --idle"):
        run(Request(tmp_path / "idle", [str(data)], {**GIVEN, "idle": "10"}, on=on))
    with open(data / "2.csv", "a") as file:
        file.write('0.5,"1.5,red\n')
    with pytest.raises(ValueError, match=r"2\.csv.* unclosed quotation mark"):
        run(Request(state, [str(data)], GIVEN, on=on))
    text = (data / "2.csv").read_text()
    (data / "2.csv").write_text(text[: text.rindex('0.5,"')])
    with pytest.raises(
        ValueError, match=r"has changed since the run started. Restore it, or delete .*dask"
    ):
        run(Request(state, [str(data)], GIVEN, on=on))
    about = json.loads((state / "dask" / "run.json").read_text())
    assert about["on"] == on
    for path in (state / "dask").iterdir():
        path.unlink()
    (state / "dask").rmdir()
    learn(state, data, on)
    reference.run(data).check(state).store.close()
    with pytest.raises(ValueError, match="it must be a folder"):
        dask.predict(state, [str(data)], str(data / "0.csv"), on)
