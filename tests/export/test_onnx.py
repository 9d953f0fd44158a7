"""Models and pipelines in ONNX predict the same probabilities and labels."""

import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import driftlearn as dl
from driftlearn import TableEncoder, make_pipeline
from driftlearn.export import CannotExport, exportable_candidates, to_onnx
from driftlearn.model_selection.defaults import default_table_candidates

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

TREE = dl.HoeffdingTreeClassifier(grace_period=40, leaf_prediction="majority")
BOOSTED = dl.BoostedTreesClassifier(25)
LEARNERS = {
    "boosted": BOOSTED,
    "boosted ordered": dl.BoostedTreesClassifier(15, nominal_features=[], max_leaf_nodes=5),
    "refit": dl.RefitClassifier(BOOSTED, 3),
    "logistic": dl.LogisticClassifier(),
    "one-hot logistic": dl.OneHotLogisticClassifier(),
    "bayes": dl.GaussianNBClassifier(),
    "majority": dl.MajorityClassifier(),
    "no change": dl.NoChangeClassifier(),
    "tree": TREE,
    "cart": dl.CARTClassifier(),
    "forest": dl.AdaptiveRandomForestClassifier(TREE, n_estimators=4, random_state=0),
    "nse": dl.LearnPPNSEClassifier(random_state=0),
    "stacking": dl.OnlineStackingClassifier(exportable_candidates()),
    "auto": dl.AutoClassifier(exportable_candidates(), random_state=0),
    "vote": dl.AutoClassifier({"bayes": dl.GaussianNBClassifier(), "tree": TREE},
                              combine="vote", chunk_size=100),
    "best": dl.AutoClassifier({"bayes": dl.GaussianNBClassifier(), "tree": TREE},
                              combine="best", chunk_size=100),
}  # fmt: skip


def table(n, seed, classes=3, gaps=0.1):
    """Return rows of all kinds of columns, with missing values, and labels."""
    rng = np.random.default_rng(seed)
    day = np.datetime64("1999-11-20T07:13", "us") + rng.integers(0, 10**10, n) * 100_003
    rows = {
        "price": rng.normal(10, 2, n),
        "label": rng.random(n),  # the name of an output
        "colour": rng.choice(["red", "blue", "ümlaut", "white", "teal"], n).astype(object),
        "when": day.astype("M8[us]"),
        "paid": (rng.random(n) > 0.5).astype(object),
    }
    score = rows["label"] * 2 + (rows["colour"] == "red") + 0.5 * (rows["paid"] == True)  # noqa: E712
    labels = np.array(["low", "mid", "top"])[np.digitize(score, [1.0, 1.8])[:n]]
    if classes == 2:
        labels = np.where(labels == "low", "low", "top")
    for name in rows:
        gone = rng.random(n) < gaps
        if name == "when":
            rows[name][gone] = np.datetime64("NaT")
        else:
            rows[name] = rows[name].astype(object)
            rows[name][gone] = None
    return rows, labels


def feeds(rows):
    """Return a table as inputs of an exported pipeline."""
    found = {}
    for name, values in rows.items():
        if name == "colour":
            values = np.array(["" if v is None else v for v in values], dtype=object)
        elif name == "when":
            values = values.astype("M8[us]").astype(np.int64)
        else:
            values = np.array([np.nan if v is None else float(v) for v in values])
        found["label_" if name == "label" else name] = values[:, None]
    return found


def trained(learner, classes=3, chunks=6, **how):
    model = make_pipeline(TableEncoder(on_schema_change="note", **how), learner)
    for k in range(chunks):
        model.partial_fit(*table(250, k, classes))
    return model


def check(model, rows):
    session = runtime.InferenceSession(to_onnx(model).SerializeToString())
    given = {each.name for each in session.get_inputs()}
    inputs = {name: values for name, values in feeds(rows).items() if name in given}
    label, probas = session.run(None, inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, labels = model.predict_proba(rows), model.predict(rows)
    np.testing.assert_allclose(probas, expected, rtol=1e-9, atol=1e-9)
    top = np.sort(expected, axis=1)
    sure = top[:, -1] - top[:, -2] > 1e-9
    np.testing.assert_array_equal(label[sure], labels[sure])
    assert sure.mean() > 0.9 or type(model.steps_[-1][1]).__name__ == "NoChangeClassifier"


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", LEARNERS)
def test_pipelines_with_their_encoder(name, classes):
    learner = LEARNERS[name]
    if hasattr(learner, "partial_fit"):
        model = trained(learner, classes)
    else:
        model = trained(dl.RefitClassifier(learner), classes)
    rows, _ = table(500, 99, classes, gaps=0.3)
    rows["colour"][:20] = "never seen"
    check(model, rows)


@pytest.mark.parametrize("how", [
    {"categories": "onehot"}, {"missing": "indicator"}, {"missing": "mean"}, {"max_categories": 2},
    {"date_parts": ("year", "month", "day", "weekday", "hour", "age")},
], ids=str)  # fmt: skip
def test_settings_of_the_encoder(how):
    rows, _ = table(500, 99, gaps=0.2)
    if "date_parts" in how:  # leap days, ends of centuries, and dates before 1970
        texts = "1900-02-28", "1900-03-01", "2000-02-29", "1969-12-31T23:59:59.999999", "1600-02-29"
        rows["when"][:5] = np.array(texts, dtype="M8[us]")
    check(trained(dl.LogisticClassifier(), **how), rows)


def test_all_date_parts_are_equal_to_the_encoders():
    from driftlearn.export._onnx_encoder import encoded_columns
    from driftlearn.export._onnx_graph import OPSETS, Graph

    encoder = TableEncoder(date_parts=("year", "month", "day", "weekday", "hour", "age"))
    days = np.arange("1890-01-01", "2110-01-01", 3, dtype="M8[D]").astype("M8[us]")
    days += (np.arange(len(days)) * 7_654_321_987 % 86_400_000_000).astype("m8[us]")
    encoder.fit({"day": days})
    graph = Graph(onnx)
    name, inputs = encoded_columns(graph, encoder)
    helper, types = onnx.helper, onnx.TensorProto
    (each,) = [helper.make_tensor_value_info(n, getattr(types, t), ["n", w]) for n, t, w in inputs]
    out = helper.make_tensor_value_info(name, types.DOUBLE, ["n", 6])
    built = helper.make_model(
        helper.make_graph(graph.nodes, "dates", [each], [out], graph.constants),
        opset_imports=[helper.make_opsetid(*each) for each in OPSETS], ir_version=8,
    )  # fmt: skip
    session = runtime.InferenceSession(built.SerializeToString())
    (found,) = session.run(None, {"day": days.astype(np.int64)[:, None]})
    np.testing.assert_array_equal(found, encoder.transform({"day": days}))


def test_columns_without_values_and_dropped_columns():
    rows, labels = table(400, 0)
    rows["empty"] = np.full(400, None, dtype=object)
    encoder = TableEncoder(kinds={"paid": "drop"})
    model = make_pipeline(encoder, BOOSTED and dl.RefitClassifier(BOOSTED)).fit(rows, labels)
    new, _ = table(100, 1)
    new["empty"] = np.full(100, None, dtype=object)
    check(model, new)


def test_costs_of_errors():
    costs = {"low": 5.0, ("top", "mid"): 3.0}
    model = trained(dl.OnlineStackingClassifier(exportable_candidates(), decision=costs))
    rows, _ = table(500, 99)
    session = runtime.InferenceSession(to_onnx(model).SerializeToString())
    label, _ = session.run(None, feeds(rows))
    assert (label == model.predict(rows)).mean() > 0.99
    assert (label != model.classes_[model.predict_proba(rows).argmax(axis=1)]).any()


def test_what_cannot_be_exported_states_why_and_what_can():
    model = trained(dl.AutoClassifier(random_state=0), 2, chunks=2)
    with pytest.raises(CannotExport) as found:
        to_onnx(model)
    text = str(found.value)
    assert "candidates cannot be exported" in text and "exportable_candidates()" in text
    assert "'bagging'" in text and "boosted trees'" not in text
    with pytest.raises(CannotExport, match='categories="frequency"'):
        to_onnx(trained(dl.LogisticClassifier(), categories="frequency"))
    with pytest.raises(CannotExport, match="scale=True"):
        to_onnx(trained(dl.LogisticClassifier(), scale=True))
    with pytest.raises(CannotExport, match="GaussianNB is not a driftlearn learner"):
        X, y = np.random.default_rng(0).random((100, 2)), np.arange(100) % 2
        to_onnx(dl.RefitClassifier(GaussianNB()).fit(X, y))
    balanced = dl.OnlineStackingClassifier(exportable_candidates(), decision="balanced")
    with pytest.raises(CannotExport, match=r"decision=None"):
        to_onnx(trained(balanced))


def test_the_advice_for_forests_can_be_followed():
    X, y = np.random.default_rng(0).random((2000, 3)), np.arange(2000) % 2
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    forest = dl.AdaptiveRandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    with pytest.raises(CannotExport) as found:
        to_onnx(forest)
    advice = 'AdaptiveRandomForestClassifier(HoeffdingTreeClassifier(leaf_prediction="majority"))'
    assert advice in str(found.value)
    better = eval(advice, vars(dl)).set_params(random_state=0)
    session = runtime.InferenceSession(to_onnx(better.fit(X, y)).SerializeToString())
    label, _ = session.run(None, {"X": X})
    np.testing.assert_array_equal(label, better.predict(X))


def test_the_default_candidates_that_can_be_exported():
    assert {*exportable_candidates()} < {*default_table_candidates()}
    assert "boosted trees" in exportable_candidates()
