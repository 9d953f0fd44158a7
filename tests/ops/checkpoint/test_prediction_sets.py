"""Prediction sets of state folders: ``driftlearn predict --sets`` and requests to a service."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

from driftlearn.cli import main
from driftlearn.ops.serving.request_rows import RequestError, parse_rows
from driftlearn.ops.serving.single_model import SingleModel


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with eight files, and a model trained on seven of them."""
    folder, rng = tmp_path_factory.mktemp("sets"), np.random.default_rng(0)
    for day in range(8):
        x = rng.normal(size=150)
        labels = np.array(["on time", "late"])[(x + rng.normal(size=150) > 0).astype(int)]
        lines = [f"{value:.3f},{label}" for value, label in zip(x, labels)]
        (folder / f"{day}.csv").write_text("\n".join(["x,state", *lines]))
    days = [str(folder / f"{day}.csv") for day in range(7)]
    run("learn", *days, "--target", "state", "--state", str(folder / "model"), "-q")
    return folder


def run(*args, code=0):
    done = CliRunner().invoke(main, args)
    assert done.exit_code == code, done.output
    return done


def test_sets_of_a_file_and_of_a_request(folder):
    model, day = str(folder / "model"), str(folder / "7.csv")
    out = folder / "out.csv"
    run("predict", day, "--state", model, "--out", str(out), "--sets", "0.8",
        "--passthrough", "x")  # fmt: skip
    rows = [*csv.DictReader(out.read_text().splitlines())]
    sets = [json.loads(row["set"]) for row in rows]
    labels = [line.split(",")[1] for line in (folder / "7.csv").read_text().split("\n")[1:]]
    assert all(found[0] == row["predicted"] for found, row in zip(sets, rows))
    assert np.mean([label in found for label, found in zip(labels, sets)]) > 0.7
    assert {len(found) for found in sets} == {1, 2}
    body = {"rows": [{"x": float(row["x"])} for row in rows], "sets": 0.8}
    served = SingleModel(folder / "model").reader().predict(parse_rows(json.dumps(body).encode()))
    assert [each["set"] for each in served] == sets


def test_learners_without_sets_are_reported(folder):
    day, model = str(folder / "0.csv"), str(folder / "bayes")
    run("learn", day, "--target", "state", "--state", model, "--learner", "naive-bayes", "-q")
    done = run("predict", day, "--state", model, "--out", "-", "--sets", "0.9", code=2)
    assert "'naive-bayes' has no prediction sets. Train with 'auto'" in done.output
    with pytest.raises(RequestError, match="has no prediction sets"):
        SingleModel(folder / "bayes").reader().predict(
            parse_rows(b'{"rows": {"x": 1}, "sets": 0.5}')
        )


def test_models_by_key_have_no_sets(folder):
    rows = "k,x,state\na,1,late\na,2,on time\nb,1,late\n"
    (folder / "keys.csv").write_text(rows)
    day, model = str(folder / "keys.csv"), str(folder / "keyed")
    run("learn", day, "--target", "state", "--state", model, "--key", "k", "-q")
    done = run("predict", day, "--state", model, "--out", "-", "--sets", "0.9", code=2)
    assert "--sets is not available for models by key" in done.output
