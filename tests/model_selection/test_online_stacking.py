"""Online stacking: weights from earlier predictions, late labels, new classes, decisions."""

import pickle
import signal
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import driftlearn as dl
from driftlearn.evaluate import prequential
from driftlearn.io import CorruptFile, dumps, loads
from driftlearn.model_selection import default_candidates, default_table_candidates
from driftlearn.model_selection.stacking_weights import (
    Combination,
    LabeledPredictions,
    PenalizedLoss,
    bounded_log,
    softmax,
)
from driftlearn.streams import from_arrays

MODELS = {"bayes": dl.GaussianNBClassifier(), "majority": dl.MajorityClassifier()}


def tables(n_tables, n_rows=60, seed=0, labels=(0, 1)):
    """Return tables in which the first column decides."""
    rng = np.random.default_rng(seed)
    for _ in range(n_tables):
        X = rng.normal(size=(n_rows, 3))
        code = np.searchsorted(np.linspace(-1, 1, len(labels) + 1)[1:-1], X[:, 0])
        yield X, np.asarray(labels)[code]


def trained(model, *args, **how):
    for X, y in tables(*args, **how):
        model.partial_fit(X, y)
    return model


STACKING = dl.AutoClassifier, dl.OnlineStackingClassifier


class Constant(ClassifierMixin, BaseEstimator):
    """Predicts the number of chunks that it has been trained on as odds of class 1."""

    def __init__(self, fails_after=np.inf):
        self.fails_after = fails_after

    def partial_fit(self, X, y, classes=None):
        self.n_chunks_ = getattr(self, "n_chunks_", 0) + 1
        if self.n_chunks_ > self.fails_after:
            raise ValueError("too many chunks")
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X):
        p = 1.0 / (1.0 + self.n_chunks_)
        return np.tile([p, 1.0 - p], (len(X), 1))


def test_informative_candidates_get_the_weight():
    model = trained(dl.OnlineStackingClassifier(MODELS), 30)
    X, y = next(tables(1, 2_000, seed=9))
    assert model.best_candidate_ == "bayes"
    assert model.score(X, y) > 0.95
    members = model.members_
    assert members["name"].tolist() == ["bayes", "class frequencies", "majority"]
    assert members["weight"].tolist() == sorted(members["weight"], reverse=True)
    assert members["weight"][0] > 0.7 > 0.4 > abs(members["weight"][2])
    assert len(model.history_) == model.step_ == 30


def test_overconfident_candidates_are_calibrated():
    """Probabilities of one half more certain than true are corrected by a weight below 1."""
    rng = np.random.default_rng(1)
    combination = Combination(1, 2, 56, (0.9, 0.97))
    for _ in range(40):
        z = rng.normal(size=300)
        y = (rng.random(300) < 1 / (1 + np.exp(-z))).astype(int)
        p = 1 / (1 + np.exp(-2 * z))
        probas = np.stack([1 - p, p], axis=1)
        combination = combination.updated(LabeledPredictions.of([probas], y, np.ones(300)))
    weights = [theta[0] for theta in combination.stacked]
    np.testing.assert_allclose(weights, 0.5, atol=0.1)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_newton_search_finds_the_minimum(n_classes):
    rng = np.random.default_rng(2)
    probas = [rng.dirichlet(np.ones(n_classes), 400) for _ in range(3)]
    y = np.array([rng.choice(n_classes, p=p) for p in probas[0]])
    chunk = LabeledPredictions(bounded_log(np.stack(probas, 1)), y, rng.random(400))
    loss = PenalizedLoss([chunk], [0.7])
    found = loss.minimized(loss.center)
    value = loss.value(found)[0]
    for step in np.vstack([np.eye(len(found)), -np.eye(len(found))]) * 0.02:
        assert loss.value(found + step)[0] > value - 1e-4 * (1 + value)


def test_the_newton_search_does_not_diverge():
    """Confident predictions that are all wrong, from a start far away."""
    z = bounded_log(np.tile([[0.999, 0.001], [0.001, 0.999]], (500, 1, 1)))
    chunk = LabeledPredictions(z, np.ones(500, dtype=int), np.full(500, 100.0))
    loss = PenalizedLoss([chunk], [1.0])
    start = np.array([40.0, -40.0, 3.0, -3.0])
    found = loss.minimized(start)
    assert loss.value(found)[0] <= loss.value(start)[0]
    assert np.isfinite(found).all()


def test_long_chunks_are_thinned_and_keep_their_weight():
    rng = np.random.default_rng(3)
    p = rng.dirichlet([1.0, 1.0], 10_000)
    thin = LabeledPredictions.of([p, p], rng.integers(0, 2, 10_000), np.full(10_000, 0.5))
    assert thin.z.shape == (2_000, 2, 2)
    assert thin.w.sum() == pytest.approx(5_000)


@pytest.mark.parametrize("delay", [0, 1, 3])
def test_candidates_are_evaluated_on_what_they_predicted_then(delay):
    """With late labels, the prediction came from the version of `delay` chunks before."""
    model = trained(dl.OnlineStackingClassifier({"counts": Constant()}, delay=delay), 12)
    for age, chunk in enumerate(reversed(model.combination_.chunks)):
        odds = np.exp(chunk.z[:, 0, 1] - chunk.z[:, 0, 0])
        np.testing.assert_allclose(odds, 11 - age - delay)
    assert model.candidates_["counts"].n_chunks_ == 12


def test_untrained_candidates_predict_the_class_frequencies():
    model = dl.OnlineStackingClassifier(MODELS, delay=2)
    X, y = next(tables(1, labels=("no", "yes")))
    model.partial_fit(X, y)
    share = (y == "yes").sum() + 1
    frequency = share / (len(y) + 2)
    votes = np.array([[1 - p, p] for p in (frequency - 0.01, frequency + 0.01)])
    assert model._balanced_codes(votes).tolist() == [0, 1]
    np.testing.assert_allclose(
        model.combination_.probas(model._probas_of(model.versions_[0], X)), 0.5
    )


def test_new_classes_and_announced_classes():
    model = trained(dl.OnlineStackingClassifier(MODELS), 12, labels=("b", "c"))
    X, _ = next(tables(1, seed=5))
    model.partial_fit(X, np.where(X[:, 0] > 0, "c", "b"), classes=["a", "b", "c", "z"])
    assert (model.predict_proba(X) > 0).all()
    assert model.predict_proba(X)[:, [0, 3]].max() < 0.01
    for X, y in tables(12, labels=("a", "b", "c")):
        model.partial_fit(X, y)
    assert model.score(X, y) > 0.9


def test_the_class_list_may_grow_at_any_time():
    """Announced classes that never occur do not change the other probabilities' ratios."""
    plain = dl.OnlineStackingClassifier(MODELS)
    announced = clone(plain)
    for X, y in tables(14):
        plain.partial_fit(X, y)
        announced.partial_fit(X, y, classes=[0, 1, 7])
    p, q = plain.predict_proba(X), announced.predict_proba(X)
    np.testing.assert_allclose(q[:, :2] / q[:, :2].sum(axis=1, keepdims=True), p, rtol=1e-12)


def test_results_do_not_depend_on_threads_or_calls():
    how = {"chunk_size": 50, "random_state": 0}
    X, y = (np.concatenate(parts) for parts in zip(*tables(11)))
    candidates = {**MODELS, "forest": dl.AdaptiveRandomForestClassifier(n_estimators=3)}
    whole = dl.OnlineStackingClassifier(candidates, **how).partial_fit(X, y)
    pieces = dl.OnlineStackingClassifier(candidates, **how, n_jobs=2)
    for start in range(0, len(y), 37):
        pieces.partial_fit(X[start : start + 37], y[start : start + 37])
    np.testing.assert_array_equal(whole.predict_proba(X), pieces.predict_proba(X))
    assert len(whole.waiting_) == 10
    assert whole.flush().waiting_ is None


def test_a_saved_model_continues_with_the_same_bits():
    model = trained(dl.OnlineStackingClassifier(random_state=0, delay=1), 14)
    again = loads(dumps(model))
    for each in (model, again):
        trained(each, 3, seed=1)
    assert dumps(again) == dumps(model)


def test_a_file_with_other_members_is_rejected():
    model = trained(dl.OnlineStackingClassifier(MODELS), 3)
    model.versions_ = [model.versions_[0][:1]]
    with pytest.raises(CorruptFile, match="other candidates"):
        loads(dumps(model))


def test_a_failing_candidate_is_dropped_with_a_warning():
    model = dl.OnlineStackingClassifier({"counts": Constant(10), **MODELS})
    trained(model, 10)
    with pytest.warns(UserWarning, match="'counts' raised ValueError: too many chunks and was"):
        trained(model, 1, seed=3)
    assert [*model.candidates_] == [*MODELS, "class frequencies"]
    assert model.dropped_ == {"counts": "ValueError: too many chunks"}
    assert len(model.weights_) == 3
    X, y = next(tables(1))
    assert trained(model, 5).score(X, y) > 0.9


def test_a_warning_that_is_raised_comes_after_the_chunk_is_learned():
    model = trained(dl.OnlineStackingClassifier({"counts": Constant(2), **MODELS}), 2)
    X, y = next(tables(1))
    with warnings.catch_warnings(), pytest.raises(UserWarning, match="too many chunks"):
        warnings.simplefilter("error")
        model.partial_fit(X, y)
    assert model.step_ == len(model.history_) == 3
    assert [*model.candidates_] == [*MODELS, "class frequencies"]


class Stopped(Constant):
    """Ctrl-C is pressed while a chunk is learned."""

    def __init__(self, stops_at=np.inf):
        super().__init__()
        self.stops_at = stops_at

    def partial_fit(self, X, y, classes=None):
        super().partial_fit(X, y, classes)
        if self.n_chunks_ == self.stops_at:
            signal.raise_signal(signal.SIGINT)
        return self


@pytest.mark.parametrize("chunk_size", [None, 50])
@pytest.mark.parametrize("last", [1, 3])
def test_a_chunk_during_which_ctrl_c_is_pressed_is_learned(chunk_size, last):
    model, plain = (
        dl.AutoClassifier({"counts": Stopped(stops_at), **MODELS}, chunk_size=chunk_size)
        for stops_at in (last, np.inf)
    )
    with pytest.raises(KeyboardInterrupt):
        trained(model, last, 50)
    trained(plain, last, 50)
    assert model.n_rows_ == plain.n_rows_ == 50 * last
    assert len(model.members_) == len(model.candidates_) == 4
    for X, y in tables(2, 50, seed=1):
        np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
        model.partial_fit(X, y), plain.partial_fit(X, y)
    assert str(model.leaders_) == str(plain.leaders_)


@pytest.mark.parametrize("last", [0, 2])
def test_a_chunk_that_no_candidate_learns_is_not_counted(last):
    model = trained(dl.OnlineStackingClassifier({"counts": Constant(last)}), last)
    with pytest.raises(ValueError, match="too many chunks"):
        trained(model, 1)
    assert (model.step_, model.n_rows_) == (last, 60 * last)
    assert model.__sklearn_is_fitted__() == (last > 0)


def test_rows_stay_buffered_if_their_chunk_fails():
    model = trained(dl.OnlineStackingClassifier({"counts": Constant(0)}, chunk_size=50), 1, 30)
    X, y = next(tables(1, 30))
    with pytest.raises(ValueError, match="too many chunks"):
        model.partial_fit(X, y)
    assert len(model.waiting_) == 30
    with pytest.raises(ValueError, match="too many chunks"):
        model.flush()
    assert len(model.waiting_) == 30


def test_a_warning_that_is_raised_by_flush_comes_after_the_rows_are_learned():
    model = dl.OnlineStackingClassifier({"counts": Constant(0), **MODELS}, chunk_size=100)
    trained(model, 1)
    with warnings.catch_warnings(), pytest.raises(UserWarning, match="too many chunks"):
        warnings.simplefilter("error")
        model.flush()
    assert (model.step_, model.n_rows_, model.waiting_) == (1, 60, None)


@pytest.mark.parametrize("w", [np.logspace(-99, 99, 60), np.logspace(99, -99, 60)])
def test_extreme_row_weights(w):
    model = dl.OnlineStackingClassifier(random_state=0)
    for X, y in tables(12):
        model.partial_fit(X, y, sample_weight=w)
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("attribute", ["weights_", "members_", "best_candidate_", "candidates_"])
@pytest.mark.parametrize("Learner", STACKING)
def test_attributes_of_an_unfitted_model(Learner, attribute):
    with pytest.raises(NotFittedError):
        getattr(Learner(), attribute)


def test_predictions_are_reused_only_for_the_same_rows_and_model():
    X, y = next(tables(1))
    requested, fresh = (trained(dl.OnlineStackingClassifier(random_state=0), 9) for _ in range(2))
    for k in range(4):
        requested.predict(X[: 10 * k + 1])
        requested.predict(X + (k == 2))
        for model in (requested, fresh):
            model.partial_fit(X, y if k < 3 else y + 5)
    assert dumps(requested) == dumps(fresh)


def test_decisions_change_labels_and_not_probabilities():
    rng = np.random.default_rng(4)
    models = [dl.OnlineStackingClassifier(MODELS, decision=d) for d in
              (None, "balanced", {"rare": 30.0}, {("rare", "usual"): 30.0})]  # fmt: skip
    for _ in range(12):
        X = rng.normal(size=(200, 2))
        y = np.where(X[:, 0] + rng.normal(size=200) > 3, "rare", "usual")
        for model in models:
            model.partial_fit(X, y)
    probas = [model.predict_proba(X) for model in models]
    n_rare = [(model.predict(X) == "rare").sum() for model in models]
    for other in probas[1:]:
        np.testing.assert_array_equal(other, probas[0])
    assert n_rare[0] < 10 < n_rare[1]
    assert n_rare[0] < n_rare[2] == n_rare[3]
    odds = probas[0][:, 0] / probas[0][:, 1]
    assert n_rare[2] == (odds > 1 / 30).sum()


@pytest.mark.parametrize("cost", [np.int64(10**6), np.float32(1e6)])
def test_costs_may_be_numbers_of_numpy(cost):
    model = trained(dl.OnlineStackingClassifier(MODELS, decision={0: cost}), 2)
    X, _ = next(tables(1))
    for each in (model, loads(dumps(model))):
        assert not each.predict(X).any()


def rare_rows(n=400):
    rng = np.random.default_rng(9)
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] + rng.normal(size=n) > 1.5, "rare", "usual")


@pytest.mark.parametrize("chunk_size", [None, 1, 50])
@pytest.mark.parametrize("decision", ["balanced", {"rare": 8.0}])
def test_decisions_in_test_then_train(decision, chunk_size):
    X, y = rare_rows()
    w = np.where(np.arange(len(y)) % 7, 1.0, 0.0)
    models = [
        dl.AutoClassifier(MODELS, decision=decision, chunk_size=chunk_size, random_state=0)
        for _ in range(2)
    ]
    first, second = (models[0].test_then_train(X[r], y[r], sample_weight=w[r])
                     for r in (slice(150), slice(150, None)))  # fmt: skip
    for i, row in enumerate(slice(i, i + 1) for i in range(len(y))):
        if hasattr(models[1], "classes_") and models[1].__sklearn_is_fitted__():
            assert models[1].predict(X[row]) == [*first, *second][i]
        else:
            assert [*first, *second][i] is np.ma.masked
        if w[i]:
            models[1].partial_fit(X[row], y[row], sample_weight=w[row])
    assert dumps(models[0]) == dumps(models[1])
    usual = dl.AutoClassifier(MODELS, chunk_size=chunk_size, random_state=0)
    assert (second == "rare").sum() > (usual.test_then_train(X, y)[150:] == "rare").sum()


def test_decisions_in_prequential_evaluation():
    X, y = rare_rows()
    model = dl.AutoClassifier(MODELS, decision="balanced", random_state=0)
    result = prequential({"auto": model}, from_arrays(X, y), 1, every=50, log_loss=True)
    predicted = clone(model).test_then_train(X, y)
    assert result.confusion("auto").sum() == predicted.count()
    assert result.confusion("auto").trace() == (predicted == y).sum()


def test_class_weights_of_single_rows():
    """They follow from all rows so far, not from those of a call."""
    X, y = rare_rows(60)
    by_row, at_once = (
        dl.AutoClassifier(MODELS, class_weight="balanced", **how)
        for how in ({}, {"combine": "vote"})
    )
    for i in range(len(y)):
        by_row.partial_fit(X[i : i + 1], y[i : i + 1])
    at_once.partial_fit(X, y)
    plain = dl.AutoClassifier(MODELS, combine="vote").partial_fit(X, y)
    np.testing.assert_array_equal(by_row.predict_proba(X), at_once.predict_proba(X))
    assert (by_row.predict_proba(X)[:, 0] > plain.predict_proba(X)[:, 0]).mean() > 0.9


def test_candidates_follow_from_the_first_call():
    X, y = rare_rows(20)
    by_row, by_table = dl.AutoClassifier(), dl.AutoClassifier(budget=1)
    by_row.partial_fit(X[:1], y[:1])
    by_table.partial_fit(X, y)
    assert [*by_row.candidates_] == [*default_candidates()]
    assert [*by_table.candidates_][:-1] == [*default_table_candidates(1)]


@pytest.mark.parametrize("decision", [{"a": -1.0}, {("a", "a"): 1.0}, {"a": "b"}, {("a",): 2.0}])
def test_invalid_costs(decision):
    X, y = next(tables(1, labels=("a", "b")))
    with pytest.raises(ValueError, match="'decision' must have labels, or pairs"):
        dl.OnlineStackingClassifier(MODELS, decision=decision).fit(X, y)


@pytest.mark.parametrize("Learner", STACKING)
@pytest.mark.parametrize(
    "params", [{"budget": 4}, {"delay": -1}, {"keep_rows": -1}, {"n_jobs": 0}, {"window": 0}]
)
def test_parameters_shared_with_auto(Learner, params):
    (name,) = params
    X, y = next(tables(1))
    with pytest.raises(ValueError, match=f"{name!r} parameter of {Learner.__name__}"):
        Learner(MODELS, **params).fit(X, y)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"window": 2}, "'window' parameter"),
        ({"decays": (0.5, 1.5)}, "decays must be numbers above 0"),
        ({"decays": ()}, "decays must be numbers above 0"),
        ({"candidates": {}}, "must not be empty"),
        ({"candidates": {"class frequencies": dl.MajorityClassifier()}}, "Use another name"),
        ({"candidates": {"a": LogisticRegression()}}, "must be a classifier with partial_fit"),
    ],
)
def test_invalid_parameters(params, message):
    X, y = next(tables(1))
    with pytest.raises(ValueError, match=message):
        dl.OnlineStackingClassifier(**params).fit(X, y)


def test_difficult_first_tables():
    """One class, one row, a column of gaps, and fewer rows than boosted trees need."""
    model = dl.OnlineStackingClassifier(random_state=0)
    model.partial_fit([[1.0, np.nan]], ["a"])
    assert model.predict([[1.0, np.nan]]) == ["a"]
    model.partial_fit([[2.0, np.nan], [3.0, np.nan]], ["b", "a"])
    probas = model.predict_proba([[2.0, 1.0], [np.nan, np.nan]])
    assert ((probas > 0) & (probas < 1)).all()


def test_predicting_before_the_first_complete_chunk():
    model = dl.OnlineStackingClassifier(MODELS, chunk_size=100).partial_fit([[1.0]], [0])
    with pytest.raises(NotFittedError, match="buffered 1 of 100 rows"):
        model.predict([[1.0]])


@pytest.mark.parametrize("keep_rows", [0, 500])
@pytest.mark.parametrize("budget", [1, 2, 3, 5])
def test_memory_is_bounded(budget, keep_rows):
    """After the window of predictions is full, only online candidates grow."""
    candidates = {
        name: candidate
        for name, candidate in default_table_candidates(budget, keep_rows).items()
        if isinstance(candidate, dl.RefitClassifier)
    }
    model = dl.OnlineStackingClassifier(candidates or MODELS, random_state=0)
    sizes = []
    for k, (X, y) in enumerate(tables(90, 30)):
        model.partial_fit(X, y)
        if k in (70, 89):
            sizes.append(len(pickle.dumps(model)))
    assert sizes[1] < 1.3 * sizes[0], sizes


def test_nominal_features_reach_all_candidates():
    model = dl.OnlineStackingClassifier(nominal_features=[2])
    X, y = next(tables(1))
    X[:, 2] = np.arange(len(y)) % 3
    model.partial_fit(X, y)
    found = {
        candidate_name: value
        for candidate_name, candidate in model.candidates_.items()
        for name, value in candidate.get_params().items()
        if name == "nominal_features" and "ordered" not in candidate_name
    }
    assert len(found) >= 4
    assert all(value == [2] for value in found.values())


@pytest.mark.parametrize("code", [-1.0, 0.5, 65536.0])
@pytest.mark.parametrize("Learner", STACKING)
def test_invalid_category_codes_are_one_error(Learner, code):
    """Otherwise all candidates that distinguish nominal features would be dropped."""
    X, y = next(tables(1))
    X[:, 2] = 1.0
    model = Learner(random_state=0, nominal_features=[2]).partial_fit(X, y)
    n_candidates = len(model.candidates_)
    with pytest.raises(ValueError, match="must be integer codes in the range"):
        model.partial_fit(np.where(X == 1.0, code, X), y)
    assert len(model.partial_fit(X, y).candidates_) == n_candidates
    model.predict(np.where(X == 1.0, code, X))


@pytest.mark.parametrize(
    ("name", "value"), [("chunk_size", 30), ("class_weight", "balanced"), ("n_jobs", 2)]
)
def test_parameters_changed_later_reach_the_stacked_candidates(name, value):
    model, stacking = (trained(each(MODELS), 3) for each in STACKING)
    for each in (model, stacking):
        trained(each.set_params(**{name: value}), 9, 90, labels=(0, 1, 2))
    X, _ = next(tables(1))
    assert getattr(model.stacking_, name) == value
    assert model.stacking_.step_ == stacking.step_
    np.testing.assert_array_equal(model.predict_proba(X), stacking.predict_proba(X))


def test_auto_stacks_tables_and_votes_on_rows():
    X, y = next(tables(1))
    by_table = dl.AutoClassifier(random_state=0).partial_fit(X, y)
    assert isinstance(by_table.stacking_, dl.OnlineStackingClassifier)
    by_row = dl.AutoClassifier(random_state=0).partial_fit(X[:1], y[:1]).partial_fit(X[1:], y[1:])
    tested = dl.AutoClassifier(random_state=0)
    tested.test_then_train(X, y)
    assert by_row.stacking_ is tested.stacking_ is None
    np.testing.assert_array_equal(by_row.predict_proba(X), tested.predict_proba(X))


def test_auto_is_the_same_as_stacking_on_tables():
    auto = dl.AutoClassifier(MODELS, random_state=0, decision="balanced", delay=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trained(auto, 12)
    alone = dl.OnlineStackingClassifier(MODELS, decision="balanced", delay=1)
    trained(alone, 12)
    X, _ = next(tables(1, seed=8))
    np.testing.assert_array_equal(auto.predict_proba(X), alone.predict_proba(X))
    np.testing.assert_array_equal(auto.predict(X), alone.predict(X))
    assert str(auto.members_) == str(alone.members_)
    assert auto.leaders_["leader"][-1] == alone.best_candidate_
    assert auto.n_rows_ == 12 * 60


def test_the_best_candidates_do_not_depend_on_calls():
    X, y = map(np.concatenate, zip(*tables(6)))
    y[200:] = 1 - y[200:]
    found = []
    for n in (7, 360):
        model = dl.AutoClassifier(MODELS, chunk_size=20)
        for start in range(0, len(y), n):
            model.partial_fit(X[start : start + n], y[start : start + n])
        found.append(model.leader_changes_)
    assert found[0] == found[1]
    assert len(found[0]) > 1


def test_softmax_of_large_scores():
    np.testing.assert_allclose(softmax(np.array([[1e4, 1e4, -1e4]])), [[0.5, 0.5, 0.0]])
