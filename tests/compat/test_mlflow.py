"""The MLflow flavor with a tracking store on this machine."""

import numpy as np
import pytest

import driftlearn as dl
import driftlearn.compat.mlflow
from driftlearn.io import NotAllowed

pytestmark = pytest.mark.filterwarnings("ignore")  # MLflow's own

TABLE = {"length": [120.0, 80.0, 95.0, 90.0] * 5, "sender": ["ann", "shop", "ann", "shop"] * 5}
LABELS = ["ham", "spam", "ham", "spam"] * 5


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    found = pytest.importorskip("mlflow", reason="mlflow is not installed")
    monkeypatch.chdir(tmp_path)
    found.set_tracking_uri(f"sqlite:///{tmp_path}/store.db")
    found.create_experiment("here", artifact_location=(tmp_path / "artifacts").as_uri())
    found.set_experiment("here")
    return found


def pipeline():
    return dl.make_pipeline(dl.TableEncoder(), dl.HoeffdingTreeClassifier())


def test_there_and_back(mlflow):
    """A logged and loaded model continues bit-identically."""
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame(TABLE)
    model = pipeline().partial_fit(frame, LABELS)
    with mlflow.start_run():
        info = driftlearn.compat.mlflow.log_model(model, "model", input_example=frame[:3])
    assert [column.name for column in info.signature.inputs] == ["length", "sender"]
    copy = driftlearn.compat.mlflow.load_model(info.model_uri)
    for one in (model, copy):
        one.partial_fit(frame[::-1], LABELS[::-1])
    np.testing.assert_array_equal(copy.predict_proba(frame), model.predict_proba(frame))


def test_python_function(mlflow):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame(TABLE)
    model = pipeline().partial_fit(frame, LABELS)
    with mlflow.start_run():
        uri = driftlearn.compat.mlflow.log_model(model, input_example=frame[:3]).model_uri
    served = mlflow.pyfunc.load_model(uri)
    np.testing.assert_array_equal(served.predict(frame), model.predict(frame))
    with pytest.raises(Exception, match="sender"):
        served.predict(frame[["length"]])


def test_arrays_and_probabilities(mlflow, tmp_path):
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    X = np.random.default_rng(0).random((60, 2))
    model = dl.DTELClassifier(random_state=0).partial_fit(X, X[:, 0] > 0.5)
    driftlearn.compat.mlflow.save_model(model, tmp_path / "saved", metadata={"why": "a test"})
    served = driftlearn.compat.mlflow._load_pyfunc(tmp_path / "saved" / "data" / "model.npz")
    frame = pd.DataFrame(X, columns=["a", "b"])
    probas = served.predict(frame, params={"predict_method": "predict_proba"})
    np.testing.assert_array_equal(probas, model.predict_proba(X))
    with pytest.raises(ValueError, match="predict_method must be one of"):
        served.predict(frame, params={"predict_method": "fit"})
    assert mlflow.models.Model.load(tmp_path / "saved").metadata == {"why": "a test"}


def test_allow_is_needed_for_each_load(mlflow, tmp_path):
    from sklearn.svm import SVC

    X = np.random.default_rng(0).random((60, 2))
    model = dl.SEAClassifier(SVC(), random_state=0).partial_fit(X, X[:, 0] > 0.5)
    driftlearn.compat.mlflow.save_model(model, tmp_path / "svc", allow="sklearn")
    with pytest.raises(NotAllowed, match="allow="):
        driftlearn.compat.mlflow.load_model(tmp_path / "svc")
    copy = driftlearn.compat.mlflow.load_model(tmp_path / "svc", allow="sklearn")
    served = mlflow.pyfunc.load_model(str(tmp_path / "svc"))
    for one in (copy, served):
        np.testing.assert_array_equal(one.predict(X), model.predict(X))


def test_models_of_others_are_named(mlflow, tmp_path):
    (tmp_path / "data.txt").write_text("")
    mlflow.pyfunc.save_model(
        tmp_path / "other", loader_module="json", data_path=str(tmp_path / "data.txt")
    )
    with pytest.raises(ValueError, match=r"is not a driftlearn model. Its flavors are python"):
        driftlearn.compat.mlflow.load_model(tmp_path / "other")
