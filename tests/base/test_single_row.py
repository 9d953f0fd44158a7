"""The fast path for single plain rows: results of the general path, and when it applies."""

import copy
import pickle
import signal
import sys
import threading

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier

import driftlearn
from driftlearn import GaussianNBClassifier, HoeffdingTreeClassifier, OnlineBaggingClassifier
from driftlearn.ensemble import OnlineClassifier
from driftlearn.ensemble._thread_pool import COMPILED

IN_PLACE = [
    getattr(driftlearn, name)
    for name in sorted(driftlearn.__all__)
    if name.endswith("Classifier") and getattr(driftlearn, name)()._by_row
]
rng = np.random.default_rng(0)
X = rng.random((600, 3))
Y = (X[:, 0] + X[:, 1] > 1).astype(np.int64)


def made(kind, **params):
    known = kind().get_params()
    small = {"n_estimators": 3, "random_state": 0, **params}
    return kind(**{name: value for name, value in small.items() if name in known})


def trained(model):
    """Train a learner on rows, the last of them in a separate call."""
    return model.partial_fit(X[:-1], Y[:-1]).partial_fit(X[-1:], Y[-1:])


def knowledge(model):
    return pickle.dumps(model)


def takes_fast_path(model, X=X[:1], y=Y[:1]):
    """Return whether a row takes the fast path; a copy is trained on it."""
    model = copy.deepcopy(model).partial_fit(X, y)
    return model._single_row is not None and model._single_row.learn(model, X, y)


@pytest.mark.parametrize("kind", IN_PLACE)
def test_rows_one_by_one_have_the_bits_of_all_at_once(kind):
    n = 260
    alone, together = made(kind), made(kind)
    predicted = [-1]
    alone.partial_fit(X[:1], Y[:1])
    for i in range(1, n):
        answer = alone.predict(X[i : i + 1])
        assert type(answer) is np.ndarray and answer.shape == (1,) and answer.flags.writeable
        predicted.append(answer[0])
        assert alone.partial_fit(X[i : i + 1], Y[i : i + 1]) is alone
    assert predicted == together.test_then_train(X[:n], Y[:n]).filled(-1).tolist()
    np.testing.assert_array_equal(alone.predict_proba(X), together.predict_proba(X))
    np.testing.assert_array_equal(alone.predict(X), [alone.predict(x[None])[0] for x in X])
    if hasattr(alone, "history_"):
        assert alone.history_.steps == together.history_.steps
        np.testing.assert_array_equal(alone.history_.weights, together.history_.weights)
    assert takes_fast_path(alone)


CLOSER = {
    "list": ([[0.0, 0.0, 0.0]], Y[:1]),
    "single precision": (X[:1].astype(np.float32), Y[:1]),
    "another byte order": (X[:1].astype(">f8"), Y[:1]),
    "whole numbers": (np.zeros((1, 3), dtype=np.int64), Y[:1]),
    "two rows": (X[:2], Y[:2]),
    "strides": (X.reshape(1, -1)[:, :6:2], Y[:1]),
    "masked": (np.ma.masked_array(X[:1]), Y[:1]),
    "missing": (np.array([[np.nan, 0.0, 0.0]]), Y[:1]),
    "label in a list": (X[:1], [0]),
    "small integer": (X[:1], Y[:1].astype(np.int8)),
    "label of another byte order": (X[:1], Y[:1].astype(">i8")),
    "column of labels": (X[:1], Y[:1, None]),
    "new label": (X[:1], np.array([7])),
}
REFUSED = {
    "another width": (X[:1, :2].copy(), Y[:1]),
    "one axis": (X[0], Y[:1]),
    "infinite": (np.array([[np.inf, 0.0, 0.0]]), Y[:1]),
    "too large": (np.array([[1e76, 0.0, 0.0]]), Y[:1]),
    "dates": (np.array([["2020-01-01"] * 3], dtype="M8[D]"), Y[:1]),
    "no label": (X[:1], None),
    "two labels": (X[:1], Y[:2]),
}


@pytest.mark.parametrize("kind", [GaussianNBClassifier, OnlineBaggingClassifier])
@pytest.mark.parametrize("case", [*CLOSER, *REFUSED])
def test_unusual_input_takes_the_general_path(kind, case):
    rows, labels = {**CLOSER, **REFUSED}[case]
    model = trained(made(kind))
    before = knowledge(model)
    assert not model._single_row.learn(model, rows, labels)
    assert knowledge(model) == before
    if "label" not in case and case != "small integer":
        assert model._single_row.predict(model, rows) is None
    if case in REFUSED:
        with pytest.raises((ValueError, TypeError)):
            model.partial_fit(rows, labels)
        assert knowledge(model) == before


@pytest.mark.parametrize("kind", [GaussianNBClassifier, OnlineBaggingClassifier])
def test_changed_learners_take_the_general_path(kind):
    model = trained(made(kind))
    way = model._single_row
    assert way.is_for(model) and takes_fast_path(model)
    model.partial_fit(X[:1], np.array([5]))
    assert not way.is_for(model) and model._single_row.is_for(model)
    way = model._single_row
    model.fit(X, Y)
    assert model._single_row is way
    assert not way.is_for(model) and takes_fast_path(model)
    assert model.set_params(class_weight="balanced").partial_fit(X[:1], Y[:1])._single_row is None
    model.set_params(class_weight="nothing")
    with pytest.raises(ValueError, match="class_weight"):
        model.partial_fit(X[:1], Y[:1])


def test_changed_parameters_are_validated_before_the_next_row():
    model = trained(HoeffdingTreeClassifier()).set_params(delta=-1.0)
    with pytest.raises(ValueError, match="delta"):
        model.partial_fit(X[:1], Y[:1])


def test_nominal_values_are_validated():
    rows = np.floor(3 * X)
    model = HoeffdingTreeClassifier(nominal_features=[0]).partial_fit(rows, Y)
    assert takes_fast_path(model, rows[:1])
    before = knowledge(model)
    with pytest.raises(ValueError, match=r"Nominal features must be integer codes"):
        model.partial_fit(rows[:1] - 0.5, Y[:1])
    assert knowledge(model) == before


def test_names_of_features_are_compared():
    pd = pytest.importorskip("pandas")
    model = GaussianNBClassifier().partial_fit(pd.DataFrame(X[:1], columns=list("abc")), Y[:1])
    assert model._single_row is None
    with pytest.warns(UserWarning, match="feature names"):
        model.predict(X[:1])


@pytest.mark.parametrize(
    "step", ["_learn", "_scores", "_receive", "_absorb", "_probas", "_proba_unlocked"]
)
def test_overridden_methods_are_called(step):
    received = []

    class Own(GaussianNBClassifier):
        pass

    def anew(self, *given, **named):
        received.append(step)
        return getattr(super(Own, self), step)(*given, **named)

    setattr(Own, step, anew)
    model = trained(Own())
    received.clear()
    model.predict(X[:1])
    model.partial_fit(X[:1], Y[:1])
    assert received


def test_copies_of_learners_are_independent():
    model = trained(GaussianNBClassifier())
    before = knowledge(model)
    for other in (copy.deepcopy(model), pickle.loads(before), model._copied()):
        assert other._single_row is None
        other.partial_fit(X[:1], Y[:1])
        assert other._single_row.is_for(other) and not other._single_row.is_for(model)
        assert knowledge(model) == before


def test_invalid_scores_are_rejected_as_in_the_general_path():
    class Wrong(OnlineClassifier):
        scores = np.ones((1, 2))

        def _learn_one(self, X, i, y, w):
            pass

        def _scores(self, X):
            return self.scores

    model = Wrong().partial_fit(X[:4], np.array([0, 1, 0, 1])).partial_fit(X[:1], Y[:1])
    assert model.predict(X[:1]).tolist() == [0]
    for bad, problem in [(np.ones((1, 3)), "shape"), (np.array([[np.nan, 1.0]]), "nonnegative")]:
        model.scores = bad
        with pytest.raises(ValueError, match=problem):
            model.predict(X[:1])
    model.scores = np.zeros((1, 2))
    assert model.predict(X[:1]).tolist() == [0]


def test_failing_members_are_reported_as_in_the_general_path():
    class Failing(SGDClassifier):
        def partial_fit(self, X, y, classes=None, sample_weight=None):
            if X[0, 0] > 1:
                raise OSError("no room")
            return super().partial_fit(X, y, classes, sample_weight)

    model = OnlineBaggingClassifier(Failing(), 20, random_state=0)
    model.partial_fit(X[:9], Y[:9]).partial_fit(X[:1], Y[:1])
    state, n_rows, row = model.rng_.bit_generator.state, model.n_rows_, X[:1] + 1
    with pytest.raises(RuntimeError, match=r"row 0 of this call .* OSError: no room"):
        model.partial_fit(row, Y[:1])
    assert model.n_rows_ == n_rows and model.rng_.bit_generator.state == state


@pytest.mark.skipif(not COMPILED, reason="uncompiled code has only the general path")
def test_no_python_code_runs_unless_ctrl_c_is_deferred():
    model = HoeffdingTreeClassifier(grace_period=20, delta=0.5)
    model.partial_fit(X[:9], Y[:9]).partial_fit(X[:1], Y[:1])
    usual, n_nodes, unguarded, guarded = signal.getsignal(signal.SIGINT), model.size_, [], []

    def note(frame, event, thing):
        name = frame.f_code.co_name
        if event == "call" and frame.f_code.co_filename.endswith(".py"):
            held = signal._signal.getsignal(signal.SIGINT) is not usual
            (guarded if held else unguarded).append(name)

    rows = [(X[i : i + 1], Y[i : i + 1]) for i in range(len(X))]
    sys.setprofile(note)
    try:
        for row, label in rows:
            model.partial_fit(row, label)
    finally:
        sys.setprofile(None)
    assert model.size_ > n_nodes and guarded
    assert set(unguarded) <= {"partial_fit", "_check_features", "__enter__", "__exit__", "note"}


def test_labels_are_found_among_many_classes():
    labels = np.array([-(2**62), -7, 0, 3, 4, 9, 2**62])
    model = GaussianNBClassifier().partial_fit(X[:1], labels[:1], classes=labels)
    for k, label in enumerate(labels):
        row = np.full((1, 3), 10.0 * k)
        for shift in (-0.1, 0.0, 0.1):
            assert model._single_row.learn(model, row + shift, np.array([label]))
    for k, label in enumerate(labels[1:], 1):
        assert model.predict(np.full((1, 3), 10.0 * k)).tolist() == [label]
    for other in (-(2**63), -6, 5, 2**63 - 1):
        assert not model._single_row.learn(model, row, np.array([other]))


def test_threads_wait_for_each_other():
    model = made(OnlineBaggingClassifier).partial_fit(X[:1], Y[:1])
    problems = []

    def learn(part):
        try:
            for i in range(part, len(X), 3):
                model.partial_fit(X[i : i + 1], Y[i : i + 1])
                model.predict(X[i : i + 1])
        except Exception as problem:
            problems.append(problem)

    hands = [threading.Thread(target=learn, args=(part,)) for part in range(3)]
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join()
    assert not problems and model.n_rows_ == len(X) + 1
