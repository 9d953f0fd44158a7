"""AutoClassifier: weights, dropped candidates, predictions, slicing."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

from driftlearn import AutoClassifier, GaussianNBClassifier, NoChangeClassifier, STAGGERClassifier
from driftlearn.checks._checks import flush_trains_on_buffered_rows
from driftlearn.io import CorruptFile, dumps, loads
from driftlearn.model_selection.class_thresholds import ClassThresholds


def rows(n, seed=0, flip=None):
    """Return rows of a simple rule; from row `flip` on the label is the previous one."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    y = (X[:, 0] > 0.5).astype(int)
    if flip is not None:
        y[flip:] = np.arange(n - flip) // 40 % 2
    return X, y


def duel(**options):
    return AutoClassifier(
        {"bayes": GaussianNBClassifier(), "last": NoChangeClassifier()},
        **{"combine": "vote", "random_state": 0, **options},
    )


class Faulty(ClassifierMixin, BaseEstimator):
    """Fails after a number of training rows."""

    def __init__(self, rows=100):
        self.rows = rows

    def partial_fit(self, X, y, classes=None):
        self.seen_ = getattr(self, "seen_", 0) + len(X)
        if self.seen_ > self.rows:
            raise ValueError("had enough")
        self.classes_ = np.unique(classes)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class Saying(ClassifierMixin, BaseEstimator):
    """Predicts the same for every row."""

    def __init__(self, predicted=(0.5, 0.5)):
        self.predicted = predicted

    def partial_fit(self, X, y, classes=None):
        self.classes_ = np.array(classes)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def predict_proba(self, X):
        return np.tile(self.predicted, (len(X), 1))


def test_the_best_candidate_changes_with_the_concept():
    X, y = rows(4000, flip=2000)
    model = duel(window=300).partial_fit(X, y)
    leaders = model.leaders_
    assert leaders["leader"].tolist() == ["bayes", "last"]
    assert 2000 < leaders["row"][1] < 2600
    assert model.best_candidate_ == "last"


@pytest.mark.parametrize("combine", ["vote", "best"])
def test_accuracy_is_close_to_the_best_candidate(combine):
    X, y = rows(6000, flip=3000)
    predicted = duel(window=300, combine=combine).test_then_train(X, y)
    right = np.asarray(predicted == y)
    bayes = np.asarray(GaussianNBClassifier().test_then_train(X, y) == y)
    last = np.asarray(NoChangeClassifier().test_then_train(X, y) == y)
    assert right[1:].mean() > max(bayes[1:].mean(), last[1:].mean()) + 0.1
    assert right[500:3000].mean() > bayes[500:3000].mean() - 0.01
    assert right[4000:].mean() > last[4000:].mean() - 0.01


def test_failing_candidates_are_dropped_and_named():
    X, y = rows(400)
    candidates = {"faulty": Faulty(), "bayes": GaussianNBClassifier()}
    model = AutoClassifier(candidates, random_state=0, combine="vote")
    with pytest.warns(UserWarning, match="'faulty' raised ValueError: had enough and was dropped"):
        model.partial_fit(X, y)
    assert [*model.candidates_] == ["bayes"]
    assert model.dropped_ == {"faulty": "ValueError: had enough"}
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("predicted", [(0.5, np.inf), (-1.0, 0.5), (0.5, 0.5, 0.5)])
def test_candidates_with_invalid_probabilities_are_dropped(predicted):
    X, y = rows(60)
    model = AutoClassifier(
        {"odd": Saying(predicted), "bayes": GaussianNBClassifier()}, combine="vote"
    )
    with pytest.warns(UserWarning, match="'odd' raised ValueError: "):
        model.partial_fit(X, y)
    assert [*model.candidates_] == ["bayes"]


@pytest.mark.parametrize("predicted", [(0.5, np.nan), (np.nan, 0.5)])
def test_nan_is_an_abstention(predicted):
    X, y = rows(60)
    model = AutoClassifier(
        {"odd": Saying(predicted), "bayes": GaussianNBClassifier()},
        eval_interval=50,
        combine="vote",
    )
    model.partial_fit(X, y)
    assert model.members_["name"].tolist() == ["bayes", "odd"]
    assert np.isnan(model.members_["accuracy"][1])
    assert model.members_["weight"].tolist() == [1.0, 0.0]
    assert model.predict(X).tolist() == model.candidates_["bayes"].predict(X).tolist()


def test_candidates_that_fail_in_predict_abstain():
    X, y = rows(60)
    model = AutoClassifier(
        {"odd": Saying(), "bayes": GaussianNBClassifier()}, combine="vote"
    ).partial_fit(X, y)
    model.candidates_["odd"].predicted = -1.0, 0.5
    with pytest.warns(UserWarning, match="'odd' raised ValueError: class prob.* abstains"):
        probas = model.predict_proba(X)
    np.testing.assert_allclose(probas, model.candidates_["bayes"].predict_proba(X), 1e-12)
    alone = AutoClassifier({"odd": Saying((-1.0, 0.5))}, combine="vote").partial_fit(
        X[:1], y[:1], [0, 1]
    )
    with pytest.raises(ValueError, match="class probabilities must be finite"):
        alone.predict(X)


def test_a_warning_made_an_error_leaves_the_model_whole():
    X, y = rows(400)
    candidates = {"faulty": Faulty(), "bayes": GaussianNBClassifier()}
    model, calm = (
        AutoClassifier(candidates, eval_interval=50, random_state=0, combine="vote")
        for _ in range(2)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="'faulty' raised"):
            model.partial_fit(X, y)
        assert (model.n_rows_, [*model.candidates_]) == (150, ["bayes"])
        model.partial_fit(X[150:], y[150:])
        warnings.simplefilter("ignore")
        calm.partial_fit(X, y)
    assert model.members_.to_dicts() == calm.members_.to_dicts()
    np.testing.assert_array_equal(model.predict_proba(X), calm.predict_proba(X))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of GaussianNB, which starts with nan
@pytest.mark.parametrize("learner", [SGDClassifier(loss="log_loss"), GaussianNB()])
def test_external_candidates_get_row_weights(learner):
    X, y = rows(80)
    w = np.random.default_rng(0).integers(0, 4, 80) / 2
    w[0] = 1.5
    model = AutoClassifier({"theirs": learner}, random_state=0, combine="vote").partial_fit(
        X, y, [0, 1], w
    )
    theirs = model.candidates_["theirs"]
    alone = clone(theirs)
    for i in np.flatnonzero(w):
        row = slice(i, i + 1)
        alone.partial_fit(X[row], y[row], [0, 1], w[row])
    np.testing.assert_array_equal(theirs.predict_proba(X), alone.predict_proba(X))


def test_binary_candidates_are_dropped_at_the_third_class():
    X, y = rows(300)
    model = AutoClassifier(
        {"stagger": STAGGERClassifier(), "bayes": GaussianNBClassifier()}, combine="vote"
    )
    model.partial_fit(X, y)
    y[150:] += 1
    with pytest.warns(UserWarning, match="'stagger' raised ValueError: "):
        model.partial_fit(X, y)
    assert [*model.candidates_] == ["bayes"]


def test_failure_of_the_last_candidate_is_raised():
    X, y = rows(200)
    model = AutoClassifier({"faulty": Faulty()}, combine="vote")
    with pytest.raises(ValueError, match="had enough"):
        model.partial_fit(X, y)


def test_weak_candidates_are_dropped_except_two():
    X, y = rows(3000)
    bayes = {f"bayes {k}": GaussianNBClassifier() for k in range(2)}
    model = AutoClassifier(
        {**bayes, "last": NoChangeClassifier()}, window=500, combine="vote"
    ).partial_fit(X, y)
    assert [*model.candidates_] == [*bayes]
    assert "below the best one after 500 rows" in model.dropped_["last"]
    assert len(duel(window=500).partial_fit(X, y).candidates_) == 2
    stay = AutoClassifier(
        {**bayes, "last": NoChangeClassifier()}, window=500, drop_threshold=None, combine="vote"
    )
    assert stay.partial_fit(X, y).n_members_ == 3


@pytest.mark.parametrize("options", [{}, {"combine": "best"}, {"eval_interval": 7, "window": 5}])
def test_slicing_is_the_same_to_the_last_bit(options):
    X, y = rows(700, flip=350)
    y[600:] += 1  # a class that comes late
    whole = duel(**options)
    predicted = whole.test_then_train(X, y, proba=True)
    pieces = duel(**options)
    for start in range(0, 700, 61):
        pieces.partial_fit(X[start : start + 61], y[start : start + 61])
    assert dumps(pieces) == dumps(whole)
    single = duel(**options)
    for i in range(1, 700):
        single.partial_fit(X[i - 1 : i], y[i - 1 : i])
        found = single.predict_proba(X[i : i + 1])[0]
        np.testing.assert_array_equal(found, predicted[i].compressed())


def test_external_candidates():
    X, y = rows(400)
    theirs = SGDClassifier(loss="log_loss", random_state=0)
    model = AutoClassifier({"theirs": theirs, "last": NoChangeClassifier()}, combine="vote")
    assert model.partial_fit(X, y).score(X, y) > 0.9
    assert model.best_candidate_ == "theirs"


def test_loaded_models_continue_bit_identically():
    X, y = rows(900, flip=500)
    model = duel(window=100).partial_fit(X[:600], y[:600])
    again = loads(dumps(model))
    for each in (model, again):
        each.partial_fit(X[600:], y[600:])
    assert dumps(again) == dumps(model)
    assert again.leaders_.to_dicts() == model.leaders_.to_dicts()


def test_files_with_mismatched_candidates_are_rejected():
    X, y = rows(60)
    model = duel().partial_fit(X, y)
    model.candidates_["bayes"].classes_ = np.array([0, 7])
    with pytest.raises(CorruptFile, match="unknown classes"):
        loads(dumps(model))


@pytest.mark.parametrize(
    ("learners", "words"),
    [
        ({}, "must not be empty"),
        ({"cart": GaussianNB}, "must be a classifier with partial_fit"),
        ({"number": 3}, "must be a classifier with partial_fit"),
        ({1: GaussianNB()}, "keys of .candidates. must be strings"),
        ([GaussianNB()], "'candidates' parameter"),
    ],
)
def test_invalid_candidates_are_rejected(learners, words):
    X, y = rows(20)
    with pytest.raises(ValueError, match=words):
        AutoClassifier(learners, combine="vote").partial_fit(X, y)


def test_default_candidates():
    X, y = rows(60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = AutoClassifier(random_state=0, combine="vote").partial_fit(X, y)
    from driftlearn.model_selection import default_candidates

    assert [*model.candidates_] == [*default_candidates()]
    assert model.n_members_ == len(model.members_)


def test_other_candidates_predict_if_the_best_fails():
    X, y = rows(400)
    oracle = Faulty(rows=150)
    oracle_knows = {"oracle": oracle, "bayes": GaussianNBClassifier()}
    y[:150] = 0  # what the oracle says
    model = AutoClassifier(oracle_knows, combine="best", eval_interval=50)
    with pytest.warns(UserWarning, match="'oracle' raised"):
        model.partial_fit(X[:170], y[:170])
    assert model.best_candidate_ == "bayes"
    np.testing.assert_array_equal(model.weights_, [1.0])


def test_parameters_of_candidates():
    model = duel()
    assert model.get_params()["candidates__bayes__var_smoothing"] == 1e-9
    assert "candidates__bayes" not in model.get_params(deep=False)
    assert model.set_params(candidates__bayes__var_smoothing=0.25, window=7) is model
    assert (model.candidates["bayes"].var_smoothing, model.window) == (0.25, 7)
    copy = clone(model).set_params(candidates__bayes__var_smoothing=0.5)
    assert model.candidates["bayes"].var_smoothing == 0.25
    assert copy.fit(*rows(50)).candidates_["bayes"].var_smoothing == 0.5


def test_candidates_are_replaced_before_their_parameters_are_set():
    model, given = duel(), duel().candidates
    model.candidates = given
    model.set_params(candidates__last__rows=3, candidates__last=Faulty())
    assert model.candidates["last"].rows == 3
    assert isinstance(given["last"], NoChangeClassifier)


def test_names_of_candidates_may_contain_underscores_and_spaces():
    candidates = {"a": GaussianNBClassifier(), "a__b c": GaussianNBClassifier()}
    model = AutoClassifier(candidates, combine="vote").set_params(
        **{"candidates__a__b c__var_smoothing": 0.25}
    )
    assert [each.var_smoothing for each in candidates.values()] == [1e-9, 0.25]
    assert model.get_params()["candidates__a__b c__var_smoothing"] == 0.25


def test_grid_search_over_a_parameter_of_a_candidate():
    X, y = rows(90)
    y[:] = np.arange(90) % 3 > 0
    values = [(1.0, 0.0), (0.0, 1.0)]
    search = GridSearchCV(
        AutoClassifier({"a": Saying()}, combine="vote"), {"candidates__a__predicted": values}, cv=2
    )
    assert search.fit(X, y).best_params_ == {"candidates__a__predicted": (0.0, 1.0)}
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], [1 / 3, 2 / 3])


@pytest.mark.parametrize(
    ("model", "key", "reported"),
    [
        (duel(), "candidates__nobody__x", "candidates are: 'bayes', 'last'"),
        (duel(), "candidates__bayes__nothing", "Invalid parameter 'nothing'"),
        (AutoClassifier(), "candidates__oaue__n_estimators", "set 'candidates' first"),
    ],
)
def test_parameters_of_unknown_candidates(model, key, reported):
    with pytest.raises(ValueError, match=reported):
        model.set_params(**{key: 1})


@pytest.mark.parametrize("chunk_size", [1, 10])
def test_rows_rejected_by_all_candidates_are_not_counted(chunk_size):
    X, y = rows(40)
    model = AutoClassifier(
        {"a": Faulty(20)}, chunk_size=chunk_size, class_weight="balanced", combine="vote"
    )
    before = model.partial_fit(X[:20], y[:20]).class_counts_.tolist()
    with pytest.raises(ValueError, match="had enough"):
        model.partial_fit(X[20:], y[20:])
    assert model.class_counts_.tolist() == before


def test_all_candidates_learn_the_last_chunk():
    X, y = rows(60)
    model = AutoClassifier(chunk_size=50, random_state=0, combine="vote").fit(X, y)
    assert [model.candidates_[name].step_ for name in ("dtel", "awe")] == [2, 2]


def test_buffered_rows_with_another_chunk_size():
    X, y = rows(20)
    model = duel(chunk_size=10).partial_fit(X[:15], y[:15])
    assert model.set_params(chunk_size=1).flush().n_rows_ == 15
    model.set_params(chunk_size=10).partial_fit(X[15:18], y[15:18])
    assert model.set_params(chunk_size=1).partial_fit(X[18:], y[18:]).n_rows_ == 20


def test_steps_of_the_history_after_short_chunks():
    """A chunk flushed early does not repeat a step."""
    X, y = rows(60)
    model = duel(chunk_size=20)
    for k in range(0, 60, 6):
        model.partial_fit(X[k : k + 6], y[k : k + 6]).flush()
    assert model.history_.steps == [1, 2, 3]
    np.testing.assert_array_equal(model.history_.weights[-1], model.weights_)


def test_thresholds_maximize_sensitivity_times_specificity():
    rng = np.random.default_rng(3)
    y = (rng.random(400) < 0.1).astype(int)
    p = np.clip(0.05 + 0.1 * y + 0.03 * rng.normal(size=400), 0.002, 0.99)  # all below 0.5
    votes = np.c_[1 - p, p]
    thresholds = ClassThresholds(2).updated(votes, y, np.ones(400))
    grid = np.linspace(0.01, 0.3, 100)
    products = [(p[y == 1] >= t).mean() * (p[y == 0] < t).mean() for t in grid]
    codes = thresholds.codes(votes)
    product = (codes[y == 1] == 1).mean() * (codes[y == 0] == 0).mean()
    assert product > max(products) - 0.03 > 0.8
    parts = ClassThresholds(2)
    for rows in (slice(3), slice(3, 250), slice(250, None)):
        parts = parts.updated(votes[rows], y[rows], np.ones(400)[rows])
    np.testing.assert_array_equal(parts.counts, thresholds.counts)
    mirrored = ClassThresholds(2).updated(votes[:, ::-1], 1 - y, np.ones(400))
    np.testing.assert_array_equal(mirrored.codes(votes[:, ::-1]), 1 - codes)
    three = thresholds.widened(np.array([0, 2]), 3)
    np.testing.assert_array_equal(three.codes(np.insert(votes, 1, 0.0, axis=1)), 2 * codes)


def test_flush_trains_on_buffered_rows():
    """With the same candidates, buffered rows and a table are the same."""
    candidates = {"bayes": GaussianNBClassifier(), "last": NoChangeClassifier()}
    flush_trains_on_buffered_rows(AutoClassifier(candidates))
