"""Pipelines of incremental steps fulfill all contracts of learners."""

import threading
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import MinMaxScaler, Normalizer, QuantileTransformer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from driftlearn import (
    DTELClassifier,
    GaussianNBClassifier,
    HoeffdingTreeClassifier,
    LeveragingBaggingClassifier,
)
from driftlearn.checks import parametrize
from driftlearn.evaluate import prequential
from driftlearn.io import dumps
from driftlearn.preprocessing import (
    Frozen,
    IncrementalPipeline,
    Refitted,
    TableEncoder,
    make_pipeline,
)
from driftlearn.streams import SEA

FILLED = "missing values are filled in, not refused"
WAITS = "there is no answer before the rows of the first fit are there"
BAYES = GaussianNBClassifier()
EXPECTED = {"bad_input_changes_nothing": FILLED}


@parametrize_with_checks(
    [
        TableEncoder(),
        TableEncoder("onehot", scale=True, missing="indicator"),
        Frozen(StandardScaler()),
        Refitted(StandardScaler(), every=20),
        make_pipeline(TableEncoder(), BAYES),
        make_pipeline(StandardScaler(), BAYES),
    ]
)
def test_scikit_learn(estimator, check):
    check(estimator)


@parametrize(
    [
        make_pipeline(TableEncoder(), HoeffdingTreeClassifier()),
        make_pipeline(TableEncoder(), DTELClassifier(random_state=0)),
    ],
    expected_failures={"IncrementalPipeline": EXPECTED},
)
def test_streams(estimator, check):
    check(estimator)


@parametrize([make_pipeline(StandardScaler(), BAYES)])
def test_streams_with_external_steps(estimator, check):
    check(estimator)


@parametrize(
    [make_pipeline(Frozen(StandardScaler(), rows=20), BAYES)],
    expected_failures={"IncrementalPipeline": {"one_row_chunk": WAITS}},
)
def test_streams_with_follow(estimator, check):
    check(estimator)


def words(n, seed=0):
    rng = np.random.default_rng(seed)
    word = rng.choice(["red", "green", "blue", "violet"], size=n)
    x = rng.normal(size=n)
    y = np.where((word == "red") ^ (x > 0.5), "yes", "no")
    gaps = x.astype(object)
    gaps[rng.random(n) < 0.1] = None
    return {"word": word.astype(object), "x": gaps}, y


def at(rows, part):
    return {name: values[part] for name, values in rows.items()}


KINDS = {"word": "category", "x": "number"}
PIPELINES = {
    "codes": [TableEncoder(kinds=KINDS)],
    "onehot, scaled": [TableEncoder("onehot", kinds=KINDS, scale=True)],
    "stateless": [TableEncoder(kinds=KINDS), Normalizer()],
    "frozen": [
        TableEncoder("frequency", kinds=KINDS),
        Frozen(QuantileTransformer(n_quantiles=5), 30),
    ],
    "refitted": [TableEncoder(kinds=KINDS), Refitted(MinMaxScaler(), 25, 40)],
    "external": [TableEncoder(kinds=KINDS), StandardScaler()],
}


@pytest.mark.parametrize("proba", [False, True])
@pytest.mark.parametrize("steps", PIPELINES)
def test_test_then_train_is_predict_then_learn(steps, proba):
    rows, y = words(120)
    one = make_pipeline(*PIPELINES[steps], HoeffdingTreeClassifier(grace_period=20))
    other = clone(one)
    predicted = np.ma.concatenate([
        one.test_then_train(at(rows, part), y[part], proba=proba)
        for part in (slice(0, 50), slice(50, 120))
    ])  # fmt: skip
    for i in range(120):
        row = slice(i, i + 1)
        if hasattr(other, "classes_") and len(other.classes_) == 2:
            answer = (other.predict_proba if proba else other.predict)(at(rows, row))
            np.testing.assert_array_equal(np.ma.getdata(predicted[row]), answer)
        other.partial_fit(at(rows, row), y[row])
    np.testing.assert_array_equal(one.predict_proba(rows), other.predict_proba(rows))


def test_nominal_features_are_passed_to_the_learner():
    rows, y = words(2000)
    model = make_pipeline(TableEncoder(), HoeffdingTreeClassifier()).fit(rows, y)
    assert model.named_steps["hoeffdingtreeclassifier"].nominal_features == [0]
    assert model.steps[-1][1].nominal_features is None
    assert model.score(rows, y) > 0.85


def test_learners_of_others_and_their_classes():
    rows, y = words(300)
    model = make_pipeline(TableEncoder("onehot", scale=True), SGDClassifier(random_state=0))
    model.partial_fit(at(rows, slice(0, 100)), y[:100], classes=["no", "yes"])
    assert [*model.partial_fit(at(rows, slice(100, 300)), y[100:]).classes_] == ["no", "yes"]
    assert not hasattr(model, "predict_proba") and not hasattr(model, "test_then_train")


def test_rows_of_weight_zero_are_absent():
    rows, y = words(200)
    w = np.tile([0.0, 1.0], 100)
    one, other = (make_pipeline(TableEncoder(scale=True), BAYES) for _ in "12")
    one.partial_fit(rows, y, sample_weight=w)
    other.partial_fit(at(rows, w > 0), y[w > 0])
    np.testing.assert_array_equal(one.predict_proba(rows), other.predict_proba(rows))
    third = make_pipeline(TableEncoder(), BAYES)
    third.partial_fit([[1.0], [2.0]], ["a", "b"], sample_weight=[1, 0])
    assert [*third.classes_] == ["a", "b"]


def test_parameters_by_name():
    model = make_pipeline(TableEncoder(), PCA(), PCA(), BAYES)
    assert [name for name, _ in model.steps][1:3] == ["pca-1", "pca-2"]
    model.set_params(tableencoder__scale=True, **{"pca-1": Normalizer(), "pca-2": Normalizer("l1")})
    assert model.get_params()["tableencoder__scale"] and model.get_params()["pca-2__norm"] == "l1"
    assert clone(model).get_params()["pca-2__norm"] == "l1"
    with pytest.raises(ValueError, match="Invalid parameter 'scale'"):
        model.set_params(scale=True)


def test_it_is_evaluated_as_any_learner():
    stream = SEA(n_rows=1000, noise=0.0, random_state=0)
    model = make_pipeline(TableEncoder(), HoeffdingTreeClassifier())
    alone = prequential(
        {"a": model, "b": HoeffdingTreeClassifier()}, stream, chunk_size=1, every=100
    )
    assert alone.scores("a").tolist() == alone.scores("b").tolist()


def test_frames_of_every_library_are_buffered():
    pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OneHotEncoder

    def encode():
        hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        return make_column_transformer((hot, ["word"]), ("passthrough", ["x"]))

    rows, y = words(60)
    rows["x"] = np.arange(60.0)
    answers = []
    for form in (pandas.DataFrame, polars.DataFrame):
        table = form(rows)
        model = make_pipeline(Frozen(encode(), 40), BAYES)
        for k in range(0, 60, 15):
            model.partial_fit(table[k : k + 15], y[k : k + 15])
        answers.append(model.predict_proba(table))
    np.testing.assert_array_equal(*answers)
    for form in (pyarrow.table, dict):
        table = form({name: values.tolist() for name, values in rows.items()})
        model = make_pipeline(Frozen(TableEncoder(), 40), BAYES)
        model.partial_fit(table, y, sample_weight=np.r_[np.zeros(10), np.ones(50)])
        assert model.predict(table).shape == (60,)


def test_file_and_row_reach_the_report():
    model = make_pipeline(TableEncoder(on_schema_change="note"), BAYES)
    model.partial_fit([[1.0], [2.0]], [0, 1], file="a.csv")
    model.partial_fit(np.array([[1.0], ["x"]], dtype=object), [0, 1], file="b.csv")
    (change,) = model.named_steps["tableencoder"].schema_changes_
    assert (change.file, change.row) == ("b.csv", 1)


def test_threads_read_while_one_learns():
    rows, y = words(400)
    model = make_pipeline(TableEncoder(), BAYES).fit(rows, y)
    problems = []

    def read():
        try:
            for _ in range(30):
                assert model.predict(rows).shape == (400,)
        except Exception as problem:  # pragma: no cover
            problems.append(problem)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for k in range(30):
        model.partial_fit({"word": [f"new {k}"], "x": [1.0]}, ["yes"])
    for reader in readers:
        reader.join()
    assert not problems and len(model.named_steps["tableencoder"].categories_["word"]) == 34


def test_fit_discards_earlier_training():
    rows, y = words(100)
    model = IncrementalPipeline([("encode", TableEncoder()), ("learn", BAYES)])
    model.fit(rows, y)
    assert [*model.fit([[1.0], [2.0]], [0, 1]).classes_] == [0, 1] and model.n_features_in_ == 1


class Watched(GaussianNBClassifier):
    """Naive Bayes that calls a function after training."""

    callback: ClassVar = staticmethod(lambda: None)

    def partial_fit(self, *rows, **how):
        super().partial_fit(*rows, **how)
        self.callback()
        return self


def test_readers_see_steps_and_learner_of_the_same_time(monkeypatch):
    rows, y = words(60)
    model = make_pipeline(TableEncoder(scale=True), Watched()).fit(at(rows, slice(30)), y[:30])
    answers = []
    reader = threading.Thread(target=lambda: answers.append(model.predict_proba(rows)))

    def callback():
        reader.start()
        reader.join(0.2)

    monkeypatch.setattr(Watched, "callback", staticmethod(callback))
    model.partial_fit(at(rows, slice(30, 60)), y[30:])
    reader.join()
    np.testing.assert_array_equal(answers[0], model.predict_proba(rows))


@pytest.mark.parametrize("step", [TableEncoder(), StandardScaler()], ids=["at once", "by rows"])
@pytest.mark.parametrize(
    "spoil, problem",
    [
        (lambda X, y: (X, y[:-1]), "inconsistent numbers"),
        (lambda X, y: (X, np.r_[y, y]), "inconsistent numbers"),
        (lambda X, y: (X, np.r_[y[:-1], np.nan]), "NaN"),
        (lambda X, y: (X, np.r_[y[:-1], 0.5]), "continuous"),
        (lambda X, y: (X[:, :1], y), "features"),
    ],
    ids=["few labels", "many labels", "no label", "number", "columns"],
)
def test_what_is_refused_leaves_all_steps_as_they_were(step, spoil, problem):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.tile([0, 1], 20)
    model = make_pipeline(step, BAYES).partial_fit(X[:20], y[:20])
    before = dumps(model)
    for learn in (model.test_then_train, model.partial_fit):
        with pytest.raises(ValueError, match=problem):
            learn(*spoil(X[20:], y[20:]))
        assert dumps(model) == before


def test_buffered_rows_survive_failed_calls():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.tile([0, 1], 20)
    model = make_pipeline(Frozen(StandardScaler(), rows=30), BAYES).partial_fit(X[:20], y[:20])
    before = dumps(model)
    with pytest.raises(ValueError, match="the known labels are numbers"):
        model.partial_fit(X[20:], y[20:].astype(str))
    assert dumps(model) == before


@pytest.mark.parametrize("form", [dict, lambda rows: np.column_stack([*rows.values()])])
def test_buffered_rows_are_copies(form):
    rows, w = form({"a": np.arange(20.0), "b": np.ones(20)}), np.ones(20)
    model = make_pipeline(Frozen(TableEncoder(), rows=30), BAYES)
    model.partial_fit(rows, [0, 1] * 10, sample_weight=w)
    alone = Frozen(TableEncoder(), rows=30).partial_fit(rows)
    before = dumps(model), dumps(alone)
    for each in (*(rows.values() if isinstance(rows, dict) else [rows]), w):
        each[:] = 7.0
    assert (dumps(model), dumps(alone)) == before


def test_columns_in_a_dict_are_what_they_are_row_by_row():
    pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    y = ["a", "b", "a", "b"]
    columns = {
        "list": ["red", np.nan, "blue", "1"],
        "category": pandas.Series([3, 4, 3, 4], dtype="category"),
        "polars": polars.Series(["u", None, "v", "u"]),
        "pyarrow": pyarrow.array([1.0, None, 2.0, 3.0]),
        "masked": np.ma.masked_array([1, 2, 3, 4], mask=[0, 1, 0, 0]),
    }
    whole = make_pipeline(TableEncoder(missing="mean"), BAYES).partial_fit(columns, y)
    parts = make_pipeline(TableEncoder(), BAYES)
    parts.partial_fit(columns, y, sample_weight=[1, 1, 1, 0])
    waited = make_pipeline(Frozen(TableEncoder(), rows=6), BAYES)
    waited.partial_fit(columns, y).partial_fit(columns, y)
    kinds = {
        "list": "category",
        "category": "category",
        "polars": "category",
        "pyarrow": "number",
        "masked": "number",
    }
    encoders = [whole.steps_[0][1], parts.steps_[0][1], waited.steps_[0][1].transformer_]
    assert [each.kinds_ for each in encoders] == [kinds] * 3
    named = [each.categories_["list"] for each in encoders]
    assert named == [["red", "blue", "1"], ["red", "blue"], ["red", "blue", "1"]]
    assert encoders[0].transform(columns)[1, 4] == (1 + 3 + 4) / 3


@pytest.mark.parametrize(
    ("steps", "missing"),
    [
        ((TableEncoder(), HoeffdingTreeClassifier()), "native"),
        ((TableEncoder(), LeveragingBaggingClassifier(random_state=0)), "native"),
        ((TableEncoder(missing="mean"), HoeffdingTreeClassifier()), "mean"),
        ((TableEncoder(), SGDClassifier(random_state=0)), "auto"),
        ((TableEncoder(), StandardScaler(), HoeffdingTreeClassifier()), "auto"),
    ],
    ids=str,
)
def test_a_learner_that_takes_missing_values_gets_them(steps, missing):
    """Only learners that accept missing values get them, also those of categories."""
    model = make_pipeline(*steps)
    rows = {"size": [1.0, None, 3.0, 0.5] * 30, "colour": ["red", "blue", None, "blue"] * 30}
    model.partial_fit(rows, ["a", "b", "a", "b"] * 30, classes=["a", "b"])
    encoder = model.named_steps["tableencoder"]
    assert encoder.missing == missing
    assert np.isnan(encoder.transform(rows)).any() == (missing == "native")
    assert model.steps[0][1].missing == steps[0].missing
    gone = model.predict({"size": [None], "colour": [None]})
    assert gone[0] in ("a", "b")
    if hasattr(steps[-1], "nominal_features"):
        assert len(steps) == 3 or model.steps_[-1][1].nominal_features == [1]
