"""Exported ensembles predict the learner's labels for 10,000 rows."""

import numpy as np
import pytest
from scipy.special import softmax

import driftlearn as dl
from driftlearn.export import CannotExport, to_onnx, to_shap, to_treelite
from driftlearn.export._fixed_trees import fixed_trees
from driftlearn.streams import SEA

TREE = dl.HoeffdingTreeClassifier(grace_period=40, leaf_prediction="majority")
ROWS = 10_000


def words():
    """Return three string classes, one of them late; the last column contains codes."""
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=(1500, 2)), rng.integers(3, size=1500)])
    y = np.where(X[:, 0] * X[:, 1] > 0, "up", "down").astype("U6")
    y[(X[:, 2] == 1) & (X[:, 0] > 0) & (np.arange(1500) > 600)] = "ümlaut"
    return X, y


def numbers():
    chunk = next(iter(SEA(n_rows=1500, random_state=0, noise=0.1).chunks(1500)))
    return chunk.X, chunk.y


NOMINAL = dl.HoeffdingTreeClassifier(
    grace_period=40, leaf_prediction="majority", nominal_features=[2], delta=0.2
)
LEARNERS = {
    "nominal groups": dl.SEAClassifier(nominal_features=[2]),
    "cart": dl.CARTClassifier(),
    "stump": dl.StumpClassifier(),
    "hoeffding": TREE,
    "nominal": NOMINAL,
    "adaptive": dl.HoeffdingAdaptiveTreeClassifier(grace_period=40, leaf_prediction="majority"),
    "dtel": dl.DTELClassifier(random_state=0),
    "dtel-soft": dl.DTELClassifier(vote="soft", random_state=0),
    "sea": dl.SEAClassifier(random_state=0),
    "awe": dl.AWEClassifier(random_state=0),
    "aue2": dl.AUE2Classifier(TREE, random_state=0),
    "nse": dl.LearnPPNSEClassifier(random_state=0),
    "bagging": dl.OnlineBaggingClassifier(TREE, random_state=0),
    "bagging-nominal": dl.LeveragingBaggingClassifier(NOMINAL, n_estimators=3, random_state=0),
    "forest": dl.AdaptiveRandomForestClassifier(TREE, n_estimators=5, random_state=0),
    "patches": dl.StreamingRandomPatchesClassifier(TREE, n_estimators=5, random_state=0),
    "dwm": dl.DWMClassifier(TREE),
    "boost": dl.OnlineBoostClassifier(TREE, random_state=0),
    "iboost": dl.IBoostClassifier(n_estimators=20),
    "adaboost": dl.WindowedAdaBoostClassifier(n_estimators=20, window_size=200),
}


def gaps():
    """Return rows with missing values: a tenth, and the first column where the label is 2."""
    X, y = numbers()
    X = np.where(np.random.default_rng(3).random(X.shape) < 0.1, np.nan, X)
    X[y == 2, 0] = np.nan
    return X, y


STREAMS = {"words": words(), "numbers": numbers(), "gaps": gaps()}


@pytest.fixture(scope="module", params=STREAMS)
def stream(request):
    return STREAMS[request.param]


@pytest.fixture(scope="module", params=LEARNERS)
def case(request, stream):
    """Return a trained learner and 10,000 rows, random and at its thresholds."""
    from sklearn.base import clone

    X, y = stream
    if "nominal" in request.param and X[0, 2] % 1:
        pytest.skip("this stream has no nominal features")
    model = clone(LEARNERS[request.param])
    learn = getattr(model, "partial_fit", model.fit)
    for k in range(0, len(X), 300):
        learn(X[k : k + 300], y[k : k + 300])
    rng = np.random.default_rng(2)
    at = fixed_trees(model).probes(missing=True)
    own = X[rng.integers(len(X), size=ROWS - len(at))]
    own[:, :2] += rng.normal(scale=0.3, size=(len(own), 2))
    return model, np.vstack([own, at])


def test_onnx(case):
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    model, X = case
    session = runtime.InferenceSession(to_onnx(model).SerializeToString())
    label, probas = session.run(None, {"X": X})
    np.testing.assert_array_equal(label, model.predict(X))
    np.testing.assert_allclose(probas, model.predict_proba(X), rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(session.run(["label"], {"X": X[:1]})[0], label[:1])


def test_treelite(case):
    treelite = pytest.importorskip("treelite", reason="treelite is not installed")
    model, X = case
    votes = treelite.gtil.predict(to_treelite(model), X)[:, 0]
    np.testing.assert_array_equal(model.classes_[votes.argmax(axis=1)], model.predict(X))
    np.testing.assert_allclose(votes, fixed_trees(model).votes(X), rtol=1e-12, atol=1e-14)


def test_shap(case):
    shap = pytest.importorskip("shap", reason="shap is not installed")
    model, X = case
    fixed = fixed_trees(model)
    if any(tree.nominal.any() for tree in fixed.trees):
        with pytest.raises(CannotExport, match="nominal"):
            to_shap(model)
        return
    X = X[:50]
    explainer = shap.TreeExplainer(to_shap(model))
    values = explainer.shap_values(X, check_additivity=False)
    values = np.stack(values, axis=2) if isinstance(values, list) else values
    total = values.sum(axis=1) + explainer.expected_value
    np.testing.assert_allclose(total, fixed.votes(X), rtol=1e-6, atol=1e-6)


def test_fixed_trees_without_other_libraries(case):
    """The common form of all exports, without other libraries."""
    model, X = case
    fixed = fixed_trees(model)
    np.testing.assert_array_equal(fixed.classes[fixed.probas(X).argmax(axis=1)], model.predict(X))


@pytest.mark.parametrize(
    "model, why",
    [
        (dl.GaussianNBClassifier(), "a NaiveBayesModel in GaussianNBClassifier has no fixed votes"),
        (
            dl.OnlineBaggingClassifier(n_estimators=2),
            r"predict with naive Bayes.*leaf_prediction=\"maj",
        ),
        (dl.DYNSEClassifier(), "the votes depend on the row"),
        (dl.AutoClassifier(), "Only CARTClassifier"),
    ],
    ids=["bayes", "leaves", "dynamic", "auto"],
)
def test_unsupported_models_are_rejected_with_a_reason(model, why):
    X, y = STREAMS["numbers"]
    with pytest.raises(CannotExport, match=why):
        fixed_trees(model.partial_fit(X[:400], y[:400]).partial_fit(X[400:800], y[400:800]))


def test_pipelines_are_sent_to_their_learner():
    with pytest.raises(CannotExport, match="Only the learner at the end of a pipeline"):
        fixed_trees(dl.make_pipeline(dl.TableEncoder(), dl.CARTClassifier()))


@pytest.mark.parametrize("n_classes", [1, 2, 3])
@pytest.mark.parametrize("nominal", [None, [1]])
def test_boosted_trees_in_treelite(n_classes, nominal):
    treelite = pytest.importorskip("treelite", reason="treelite is not installed")
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(900, 2)), rng.integers(9, size=900)])[:, [0, 2, 1]]
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) + np.isin(X[:, 1], [2, 5]) > 0.3) + (np.nan_to_num(X[:, 2]) > 1)
    y = np.array(["a", "b", "c"])[y % n_classes]
    model = dl.RefitClassifier(dl.BoostedTreesClassifier(20), 2, nominal_features=nominal)
    model.partial_fit(X[:450], y[:450], classes=["a", "b", "c", "d"]).partial_fit(X[450:], y[450:])
    rows = X + np.where(rng.random(X.shape) < 0.5, 0, rng.integers(-1, 9, size=X.shape))
    rows[:, 1] = np.abs(rows[:, 1])
    scores = treelite.gtil.predict(to_treelite(model), rows)[:, 0]
    found = softmax(scores, axis=1)
    np.testing.assert_allclose(found, model.predict_proba(rows), rtol=1e-9, atol=1e-9)
