"""Keys on Bytewax: a run with a killed process, and the operator in a user's dataflow."""

import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("bytewax", reason="bytewax is not installed")

import bytewax.operators as op
from bytewax.dataflow import Dataflow
from bytewax.testing import TestingSink, TestingSource, run_main

from driftlearn.ops.keyed import KeyedLearner
from driftlearn.ops.keyed.bytewax import Final, operator
from driftlearn.ops.keyed.bytewax_run import _n_learned, processes_of
from driftlearn.ops.keyed.settings import Request, run
from driftlearn.ops.keyed.training import Group, TrainedGroup
from tests.ops.keyed import killing_bytewax


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_kills():
    assert killing_bytewax.main(2, 6_000, 0, ["tree"]) >= 2


def test_the_operator_in_a_dataflow_of_ones_own():
    rng = np.random.default_rng(0)
    learner = KeyedLearner("naive-bayes", kinds={"size": "number"})
    values, truth = [], {}
    for k in range(40):
        key, size = f"k{k % 4}", rng.normal(size=25)
        labels = np.where(size > 0, "high", "low").tolist()
        values.append((key, Group.of(learner, key, {"size": size}, labels)))
        truth.setdefault(key, []).append((size, labels))
    predicted = []
    flow = Dataflow("own")
    rows = op.input("rows", flow, TestingSource(values, batch_size=7))
    op.output("out", operator("learn", rows, learner, memory=1), TestingSink(predicted))
    run_main(flow)
    lessons = [each for _, each in predicted if isinstance(each, TrainedGroup)]
    finals = {each.summary.key: each for _, each in predicted if isinstance(each, Final)}
    assert sum(trained.counts.learned for trained in lessons) == 1_000
    for key, parts in truth.items():
        state = learner.new_state()
        for size, labels in parts:
            learner.learn(state, {"size": size}, labels)
        assert finals[key].content == learner.dumps(state) and finals[key].summary.rows == 250


def write_rows(path, n, seed):
    rng = np.random.default_rng(seed)
    lines = ["device,x,colour,label"]
    for _ in range(n):
        device, x, colour = rng.integers(20), rng.normal(), rng.choice(["red", "blue"])
        label = "yes" if (x > 0) ^ device % 2 else "no"
        lines.append(f"{device},{x},{colour},{'' if rng.random() < 0.01 else label}")
    path.write_text("\n".join(lines) + "\n")


def test_it_comes_to_what_one_process_does(tmp_path):
    """If runs end where the model pool is refreshed, all stored data equal those of one process."""
    data = tmp_path / "data"
    data.mkdir()
    here, there = tmp_path / "here", tmp_path / "there"
    for k, on in enumerate(("bytewax:1", "bytewax:2")):
        write_rows(data / f"{k}.csv", 1_000, k)  # refreshed after 1,000 and 2,000 rows
        learned(there, data, on)
    models = learned(here, data, "local")
    assert models.learner.shared.names and models.source_accuracy.by_age[:, 1].any()
    one, other = killing_bytewax.stored(here), killing_bytewax.stored(there)
    assert one["quarantined"] and one["states"]
    for name in one:
        assert one[name] == other[name], name


def learned(state, data, on):
    given = {"target": "label", "key": "device", "learner": "naive-bayes"}
    models = run(Request(state, [str(data)], given, on=on))
    models.store.close()
    return models


def test_runs_with_follow_end_on_request(tmp_path):
    data, state = tmp_path / "data", tmp_path / "state"
    data.mkdir()
    write_rows(data / "0.csv", 300, 0)
    words = [sys.executable, "-m", "driftlearn", "learn", str(data), "--target=label", "--follow",
             "--key=device", "--learner=naive-bayes", f"--state={state}",
             "--on=bytewax:1"]  # fmt: skip
    with open(tmp_path / "log.txt", "wb") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log)
    try:
        for k in range(2):
            if k:
                write_rows(data / "1.csv", 200, 1)  # while it waits for files
            while _n_learned(state / "bytewax") < (290, 480)[k]:
                assert process.poll() is None, (tmp_path / "log.txt").read_text()
                time.sleep(0.1)
    finally:
        process.kill()
        process.wait()
    models = learned(state, data, "bytewax:1")
    assert models.counts["rows"] == 500 and models.learner.shared.n_rows > 480
    assert not (state / "bytewax").exists()


def test_mistakes(tmp_path):
    with pytest.raises(ValueError, match="expected 1 to 16 processes"):
        processes_of("bytewax:many")
    file = tmp_path / "rows.csv"
    file.write_text("device,x,label\n" + "a,1,yes\nb,2,no\n" * 20)
    given = {"target": "label", "key": "device", "learner": "naive-bayes"}
    out = tmp_path / "out.csv"
    out.write_text("")
    with pytest.raises(ValueError, match="it must be a folder"):
        run(Request(tmp_path / "state", [str(file)], given, on="bytewax:1", out=str(out)))
    file.write_text("device,x,label\n" + "a,1,yes\nb,2,no\n" * 20 + 'a,"1,yes\n')
    with pytest.raises(ValueError, match="unclosed quotation mark"):
        run(Request(tmp_path / "state", [str(file)], given, on="bytewax:1"))
    file.write_text("device,x,label\n" + "a,1,yes\nb,2,no\n" * 20)
    models = run(Request(tmp_path / "state", [str(file)], given, on="bytewax:1"))
    assert models.record.n_rows == 40 and len(models) == 2
    models.store.close()
