"""The code of the page on other libraries runs."""

import numpy as np
import pytest

from driftlearn.export import to_shap
from tests.doc_code import code_of

OTHERS = "fits-in.rst"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(page, number):
    names = {}
    exec(code_of(page, number), names)
    return names


@pytest.mark.filterwarnings("ignore")
def test_xgboost():
    pytest.importorskip("xgboost", reason="xgboost is not installed")
    assert run(OTHERS, 1)["model"].predict([[0.1], [0.9]]).tolist() == ["no", "yes"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_river():
    pytest.importorskip("river", reason="river is not installed")
    names = run(OTHERS, 2)
    assert names["score"].get() > 0.7
    names["ensemble"].partial_fit([[0.0], [1.0]], ["a", "b"])


@pytest.mark.filterwarnings("ignore")
def test_capymoa(monkeypatch):
    pytest.importorskip("capymoa", reason="capymoa, or Java, is not installed")
    datasets = pytest.importorskip("capymoa.datasets")
    monkeypatch.setattr(datasets, "ElectricityTiny", electricity)  # which would be downloaded
    names = run(OTHERS, 3)
    assert names["auto"].predict([[0.1], [0.9]]).tolist() == ["no", "yes"]
    assert names["found"].accuracy() > 80


def electricity():
    """Return a stream of two classes in CapyMOA's form."""
    from capymoa.stream import NumpyStream

    X = np.random.default_rng(0).random((500, 3))
    return NumpyStream(X, (X[:, 0] > 0.5).astype(int), target_type="categorical")


@pytest.mark.filterwarnings("ignore")
def test_mlflow(tmp_path):
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/store.db")
    mlflow.set_experiment("page")
    names = run(OTHERS, 4)
    assert list(names["served"].predict(names["table"])) == list(
        names["again"].predict(names["table"])
    )


def test_export():
    for package in ("onnx", "onnxruntime", "treelite"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    names = run(OTHERS, 5)
    X, model = names["chunk"].X, names["model"]
    np.testing.assert_array_equal(names["label"], model.predict(X))
    assert names["votes"].num_tree == len(to_shap(model)["trees"])
