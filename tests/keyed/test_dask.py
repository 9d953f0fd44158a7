"""Keys on a dask cluster of real processes: the states of one process, also after losses."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")
sys.path.insert(0, str(Path(__file__).parent))

from killing import write_files

from driftlearn.keyed import KeyedLearner, KeyedModels, dask
from driftlearn.keyed.clock import Clock
from driftlearn.keyed.engine import Pupils, grouped
from driftlearn.keyed.predicting import predict_keyed
from driftlearn.keyed.reader import Reader
from driftlearn.keyed.settings import DEFAULTS, STORE, Request, run
from driftlearn.workbench.dask_executor import NoCluster, local_cluster

ROLES = {"target": "label", "key": "device"}
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


def learned(state, data, on, **more):
    models = run(Request(state, [str(data)], GIVEN, on=on, **more))
    models.store.close()
    return KeyedModels(store=state / STORE)


def check(models, data):
    """Compare with what keys come to in one process, row after row."""
    kinds = models.learner.kinds
    reader = Reader([str(data)], {**DEFAULTS, **ROLES}, kinds, {}, Clock(None, False))
    pupils = Pupils(KeyedLearner(GIVEN["learner"], kinds=kinds))
    keys, aside, said = set(), [], []
    for batch in reader.batches():
        aside += batch.aside
        for group in grouped(batch):
            said += pupils.learn(group).lines()
            keys.add(group.key)
    expected = {key: pupils.final(key) for key in keys}
    found = models.store.keys()
    assert found == sorted(one._replace(size=len(state)) for one, state in expected.values())
    assert all(models.store.state(key) == state for key, (_, state) in expected.items())
    assert models.store.aside() == aside and aside
    assert models.store.positions() == reader.positions
    assert models.counts["rows"] == reader.clock.n_rows == models.clock.n_rows
    assert models.counts["learned"] + models.counts["aside"] == models.counts["rows"]
    assert models.counts["tested"] == sum(line[4] is not None for line in said)
    assert models.counts["right"] == sum(line[3] == line[4] for line in said)
    return sorted(",".join("" if each is None else str(each) for each in line) for line in said)


def test_two_runs_and_predictions(on, data, tmp_path):
    """The second goes on with the states of the first; predictions are those of one process."""
    last = data / "2.csv"
    later = last.read_text()
    last.unlink()
    state, out = tmp_path / "state", tmp_path / "out"
    check(learned(state, data, on, out=str(out)), data)
    with open(data / "1.csv", "a") as file:  # a file that grew is taken up in its middle
        file.write("0.5,1.5,red,2024-02-28,7,yes\n")
    models = learned(state, data, on, out=str(out))
    assert models.counts["rows"] == 801
    models.store.close()
    last.write_text(later)
    models = learned(state, data, on, out=str(out))
    lines = check(models, data)
    models.store.close()
    models = learned(state, data, on, out=str(out))  # nothing is new, and nothing is done
    assert not (state / "dask").exists() and models.store.about("runs") == b"3"
    files = sorted(out.iterdir())
    assert sorted(line for path in files for line in path.read_text().splitlines()[1:]) == lines

    n = dask.predict(state, [str(data)], str(tmp_path / "said"), on, keep=["day"])
    found = "".join(
        path.read_text().partition("\n")[2] for path in sorted((tmp_path / "said").iterdir())
    )
    predict_keyed(state, [str(data)], str(tmp_path / "said.csv"), keep=["day"])
    assert n == 1_201 and found == (tmp_path / "said.csv").read_text().partition("\n")[2]
    assert not [*state.glob(".predict*")]


def test_a_run_goes_on_after_a_kill(on, data, tmp_path, monkeypatch):
    """What was done is not done again; the rest is, whenever the client was ended."""
    state = tmp_path / "state"
    request = Request(state, [str(data)], GIVEN, on=on)
    ran = dask.run_tasks

    def killed(executor, function, tasks, note):
        ran(executor, function, tasks[:2], note)
        if len(tasks) > 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(dask, "run_tasks", killed)
    for what in ("rows", "said"):
        with pytest.raises(KeyboardInterrupt):
            run(request)
        assert len([*(state / "dask").glob(f"{what}-*.json")]) == 2
    with pytest.raises(ValueError, match=r"a run on tcp://.* that is not done: first finish it"):
        run(Request(state, [str(data)], GIVEN, on="local"))
    again = []

    def noted(executor, function, tasks, note):
        again.extend((function.__name__, key) for key, _ in tasks)
        return ran(executor, function, tasks, note)

    monkeypatch.setattr(dask, "run_tasks", noted)
    check(learned(state, data, on), data)
    assert [name for name, _ in again] == ["learn"] * 6


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_client_and_workers_are_killed(data, tmp_path):
    """A worker is killed while it learns, then the client; the same command goes on."""
    state = tmp_path / "state"
    words = [sys.executable, "-m", "driftlearn", "learn", str(data), "--target=label",
             "--key=device", f"--learner={GIVEN['learner']}", "--kind=x=number",
             f"--state={state}", "--quiet"]  # fmt: skip
    with local_cluster(2) as executor:
        on = executor._client.scheduler.address
        client = subprocess.Popen([*words, f"--on={on}"])
        for what, victim in (("rows", "worker"), ("said", "client")):
            while not [*state.glob(f"dask/{what}-*.json")] and client.poll() is None:
                time.sleep(0.01)
            if victim == "worker":
                os.kill(next(iter(executor._client.run(os.getpid).values())), signal.SIGKILL)
            else:
                client.kill()
        assert client.wait() == -signal.SIGKILL and (state / "dask").exists()
        done = subprocess.run([*words, f"--on={on}"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    check(KeyedModels(store=state / STORE), data)


def test_mistakes(on, data, tmp_path):
    state = tmp_path / "state"
    with pytest.raises(NoCluster, match="no dask scheduler answers at tcp://127"):
        run(Request(state, [str(data)], GIVEN, on="tcp://127.0.0.1:1"))
    with pytest.raises(ValueError, match="a worker does not see /nowhere/dask: --state and the"):
        dask.read(("/nowhere/dask", 0), print)
    with pytest.raises(ValueError, match="does not forget idle keys"):
        run(Request(tmp_path / "idle", [str(data)], {**GIVEN, "idle": "10"}, on=on))
    with open(data / "2.csv", "a") as file:
        file.write('0.5,"1.5,red\n')
    with pytest.raises(ValueError, match=r"2\.csv.* never closed"):
        run(Request(state, [str(data)], GIVEN, on=on))
    text = (data / "2.csv").read_text()
    (data / "2.csv").write_text(text[: text.rindex('0.5,"')])
    with pytest.raises(ValueError, match=r"has changed since the run over it began: remove .*dask"):
        run(Request(state, [str(data)], GIVEN, on=on))
    about = json.loads((state / "dask" / "run.json").read_text())
    assert about["on"] == on
    for path in (state / "dask").iterdir():
        path.unlink()
    (state / "dask").rmdir()
    check(learned(state, data, on), data)
    with pytest.raises(ValueError, match="--out is a folder"):
        dask.predict(state, [str(data)], str(data / "0.csv"), on)
