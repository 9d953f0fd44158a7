"""Keys on Bytewax: processes, one of which is killed; the operator in a dataflow of one's own."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bytewax", reason="bytewax is not installed")
sys.path.insert(0, str(Path(__file__).parent))

import bytewax.operators as op
import killing_bytewax
from bytewax.dataflow import Dataflow
from bytewax.testing import TestingSink, TestingSource, run_main

from driftlearn.keyed import KeyedLearner
from driftlearn.keyed.bytewax import Final, operator
from driftlearn.keyed.engine import Group, Lesson
from driftlearn.keyed.settings import Request
from driftlearn.keyed.supervisor import processes_of


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
    said = []
    flow = Dataflow("own")
    rows = op.input("rows", flow, TestingSource(values, batch_size=7))
    op.output("out", operator("learn", rows, learner, memory=1), TestingSink(said))
    run_main(flow)
    lessons = [each for _, each in said if isinstance(each, Lesson)]
    finals = {each.summary.key: each for _, each in said if isinstance(each, Final)}
    assert sum(lesson.counts.learned for lesson in lessons) == 1_000
    for key, parts in truth.items():
        state = learner.begin()
        for size, labels in parts:
            learner.learn(state, {"size": size}, labels)
        assert finals[key].content == learner.dumps(state) and finals[key].summary.rows == 250


def test_mistakes(tmp_path):
    with pytest.raises(ValueError, match="say how many processes, 1 to 16, as --on bytewax:2"):
        processes_of("bytewax:many")
    from driftlearn.keyed.settings import run

    file = tmp_path / "rows.csv"
    file.write_text("device,x,label\n" + "a,1,yes\nb,2,no\n" * 20)
    given = {"target": "label", "key": "device", "learner": "naive-bayes"}
    out = tmp_path / "out.csv"
    out.write_text("")
    with pytest.raises(ValueError, match="--out is a folder where several processes write"):
        run(Request(tmp_path / "state", [str(file)], given, on="bytewax:1", out=str(out)))
    file.write_text("device,x,label\n" + "a,1,yes\nb,2,no\n" * 20 + 'a,"1,yes\n')
    with pytest.raises(ValueError, match="never closed"):
        run(Request(tmp_path / "state", [str(file)], given, on="bytewax:1"))
    file.write_text("device,x,label\n" + "a,1,yes\nb,2,no\n" * 20)
    models = run(Request(tmp_path / "state", [str(file)], given, on="bytewax:1"))
    assert models.record.n_rows == 40 and len(models) == 2
    models.store.close()
