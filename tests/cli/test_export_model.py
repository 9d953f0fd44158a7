"""The command export-model."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from driftlearn.cli import main
from driftlearn.ops.checkpoint.saved_model import SavedModel
from tests.cli.test_explain import run, write

BOOSTED = "refit:estimator=boosted-trees(max_iter=20),n_chunks=28"
FOREST = "arf:estimator=hoeffding(leaf_prediction=majority),n_estimators=3"


@pytest.fixture(scope="module")
def days(tmp_path_factory):
    here = tmp_path_factory.mktemp("days")
    for k in range(5):
        write(here / f"{k}.csv", 300, k)
    return here


def learn(days, state, learner):
    done = run("learn", days, "--target", "bought", "--state", state, "--learner", learner, "-q")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("learner", [BOOSTED, FOREST, "logistic", "naive-bayes"])
def test_onnx_takes_the_table_as_it_is(days, tmp_path, learner):
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    learn(days, tmp_path / "m", learner)
    words = "--state", tmp_path / "m", "--to", "onnx"
    done = run("export-model", tmp_path / "m.onnx", *words)
    assert done.exit_code == 0, done.output
    assert "compared on 64 recent training rows" in done.output
    session = runtime.InferenceSession(str(tmp_path / "m.onnx"))
    table = {"price": np.array([9.5, np.nan]), "size": np.array([0.9, 0.2]),
             "colour": np.array(["red", "green"], dtype=object),
             "day": np.array(["2026-01-20", "2026-02-20"], dtype="M8[us]")}  # fmt: skip
    inputs = {**table, "day": table["day"].astype(np.int64)}
    label, probas = session.run(None, {name: v[:, None] for name, v in inputs.items()})
    model = SavedModel.open(tmp_path / "m").model
    expected = model.steps_[0][1].set_params(on_schema_change="note").transform(table)
    np.testing.assert_allclose(probas, model.steps_[1][1].predict_proba(expected), atol=1e-9)
    np.testing.assert_array_equal(label, model.predict(table))


@pytest.mark.parametrize("learner", [BOOSTED, FOREST])
def test_treelite_has_the_table_beside(days, tmp_path, learner):
    treelite = pytest.importorskip("treelite", reason="treelite is not installed")
    learn(days, tmp_path / "m", learner)
    done = run("export-model", tmp_path / "m.tl", "--state", tmp_path / "m", "--to", "treelite",
               "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["difference"] < 1e-9
    table = json.loads((tmp_path / "m.tl.json").read_text("utf-8"))
    saved = SavedModel.open(tmp_path / "m")
    assert table["classes"] == ["no", "yes"]
    assert table["columns"][2]["codes"] == {
        word: 2 + k for k, word in enumerate(saved.encoder.categories_["colour"])
    }
    votes = treelite.gtil.predict(
        treelite.Model.deserialize(str(tmp_path / "m.tl")), saved.model.recent_.rows
    )
    labels = saved.learner.predict(saved.model.recent_.rows)
    np.testing.assert_array_equal(np.array(table["classes"])[votes[:, 0].argmax(axis=1)], labels)


def test_the_default_states_what_can_be_exported_instead(days, tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed")
    learn(days, tmp_path / "m", "auto")
    words = "--state", tmp_path / "m", "--to", "onnx"
    done = run("export-model", tmp_path / "m.onnx", *words)
    assert done.exit_code == 2 and not (tmp_path / "m.onnx").exists()
    assert "candidates cannot be exported" in done.output
    advice = "refit:estimator=boosted-trees,n_chunks=28"
    assert f"--learner {advice}" in " ".join(done.output.split())
    learn(days, tmp_path / "other", advice)
    assert run("export-model", tmp_path / "m.onnx", "--state", tmp_path / "other", *words[2:]
               ).exit_code == 0  # fmt: skip


def test_help_names_the_formats():
    assert "[onnx|treelite]" in CliRunner().invoke(main, ["export-model", "--help"]).output
