import hashlib
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from driftlearn.base._online_model import OnlineModel
from driftlearn.drift._adwin_window import AdaptiveWindow
from driftlearn.ensemble.bagging._output_codes import OutputCodeModel
from driftlearn.forest._subspace_model import SubspaceModel
from driftlearn.linear_model._logistic_model import LogisticModel
from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
from driftlearn.tree._adaptive_tree_model import AdaptiveTreeModel
from driftlearn.tree._fit_stump import fit_stump
from driftlearn.tree._grow_tree import grow
from driftlearn.tree._hoeffding_model import HoeffdingTreeModel


class Frequencies(OnlineModel):
    """Learner written in Python: class frequencies, whatever the row."""

    def __init__(self, n_features, n_classes):
        super().__init__(n_features, n_classes)
        self.counts = np.zeros(n_classes)

    def learn_one(self, X, i, y, w):
        assert 0 <= i < np.asarray(X).shape[0]
        self.counts[y] += w
        self.weight_seen += w

    def scores_one(self, X, i, out):
        total = self.counts.sum()
        np.asarray(out)[:] = self.counts / total if total else 0.0

    def get_state(self):
        return {**super().get_state(), "counts": self.counts.copy()}

    def set_state(self, state):
        super().set_state(state)
        self.counts = np.array(state["counts"])


def test_python_subclass_runs_in_the_compiled_loops():
    learner = Frequencies(2, 3)
    X = np.zeros((4, 2))
    assert learner.predict_one(X, 0) == -1
    learner.learn_many(X, np.array([2, 0, 0, 2]), np.array([1.0, 1.0, 1.0, 3.0]))
    out = np.empty((4, 3))
    learner.scores_many(X, out)
    np.testing.assert_allclose(out, np.tile([2 / 6, 0, 4 / 6], (4, 1)))
    assert learner.predict_one(X, 1) == 2
    assert learner.weight_seen == 6


def test_python_subclass_copies_and_pickles():
    learner = Frequencies(1, 2)
    learner.learn_many(np.zeros((1, 1)), np.array([1]), np.ones(1))
    references = [learner.copy(), pickle.loads(pickle.dumps(learner))]
    learner.learn_many(np.zeros((5, 1)), np.zeros(5, dtype=np.intp), np.ones(5))
    for reference in references:
        assert type(reference) is Frequencies
        assert reference.counts.tolist() == [0, 1]


def test_exceptions_of_a_python_subclass_come_through():
    class Broken(Frequencies):
        def learn_one(self, X, i, y, w):
            raise ArithmeticError("broken on purpose")

    with pytest.raises(ArithmeticError, match="broken on purpose"):
        Broken(1, 1).learn_many(np.zeros((2, 1)), np.zeros(2, dtype=np.intp), np.ones(2))


def test_missing_methods_are_reported():
    with pytest.raises(NotImplementedError, match="OnlineModel does not implement learn_one"):
        OnlineModel(1, 1).learn_many(np.zeros((1, 1)), np.zeros(1, dtype=np.intp), np.ones(1))
    with pytest.raises(NotImplementedError, match="OnlineModel does not implement scores_one"):
        OnlineModel(1, 1).predict_one(np.zeros((1, 1)), 0)
    with pytest.raises(ValueError, match="invalid shape: 0 features and 2 classes"):
        OnlineModel(0, 2)


MAKERS = [Frequencies, NaiveBayesModel, HoeffdingTreeModel]


@pytest.mark.parametrize("make", MAKERS)
def test_batch_methods_check_shapes_and_codes(make):
    learner = make(2, 2)
    X, y, w = np.zeros((3, 2)), np.zeros(3, dtype=np.intp), np.ones(3)
    with pytest.raises(ValueError, match="X has 1 features, but the model is expecting 2"):
        learner.learn_many(X[:, :1].copy(), y, w)
    with pytest.raises(ValueError, match=r"inconsistent lengths: \(3, 2, 3\)"):
        learner.learn_many(X, y[:2], w)
    with pytest.raises(ValueError, match=r"must be 0 to 1\. Got 0 to 2"):
        learner.learn_many(X, np.array([0, 2, 1]), w)
    with pytest.raises(ValueError, match="Got -1 to 0"):
        learner.learn_many(X, y - [0, 1, 0], w)
    with pytest.raises(ValueError, match="X has 1 features"):
        learner.scores_many(X[:, :1].copy(), np.empty((3, 2)))
    with pytest.raises(ValueError, match=r"out must have shape \(3, 2\)"):
        learner.scores_many(X, np.empty((2, 2)))
    assert learner.weight_seen == 0


@pytest.mark.parametrize("make", MAKERS)
def test_untrained_learner(make):
    learner, X = make(2, 3), np.ones((1, 2))
    out = np.full((1, 3), 7.0)
    learner.scores_many(X, out)
    assert not out.any()
    assert learner.predict_one(X, 0) == -1


@pytest.mark.parametrize("make", MAKERS)
def test_read_only_rows(make):
    X = np.random.default_rng(0).random((5, 2))
    y, w = np.zeros(5, dtype=np.intp), np.ones(5)
    for array in (X, y, w):
        array.setflags(write=False)
    learner = make(2, 1)
    learner.learn_many(X, y, w)
    assert learner.weight_seen == 5
    assert learner.predict_one(X, 4) == 0


def digest():
    """Return a digest of what the learners compute on one stream."""
    rng = np.random.default_rng(7)
    X = np.column_stack([rng.random((1500, 2)), rng.integers(0, 4, 1500)])
    y = np.where(X[:, 2] == 3, 2, X[:, 0] + X[:, 1] > 1).astype(np.intp)
    w = rng.random(1500)
    found = hashlib.sha256()

    def note(state):
        for name, value in state.items():
            found.update(name.encode())
            if not isinstance(value, str):
                found.update(np.asarray(value, dtype=float).tobytes())

    how = {"nominal": [0, 0, 1], "grace_period": 20, "delta": 0.1}
    gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    for rows in (X, gaps):
        for learner in (
            NaiveBayesModel(3, 3),
            HoeffdingTreeModel(3, 3, **how),
            AdaptiveTreeModel(3, 3, **how),
        ):
            learner.learn_many(rows, y, w)
            out = np.empty((1500, 3))
            learner.scores_many(rows, out)
            state = learner.get_state()
            state.pop("errors", None)
            for leaf in state.pop("leaves", ()):
                note(leaf.get_state())
            note({**state, "scores": out})
        order = np.ascontiguousarray(rows.argsort(axis=0, kind="stable").T.astype(np.int32))
        note(dict(zip("ftlrm", fit_stump(rows, order, y, w, 3))))
        note(dict(zip("ftlrvm", grow(rows, order, y, 0.1 + w, 3))))
    adwin = AdaptiveWindow()
    cuts = [adwin.update(x) for x in np.r_[w, w / 3]]
    note({**adwin.get_state(), "cuts": cuts})
    return found.hexdigest()


def test_same_bits_uncompiled():
    path = os.pathsep.join([os.path.dirname(os.path.abspath(__file__)), *sys.path])
    script = "import test_online_model; print(test_online_model.digest())"
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env={**os.environ, "DRIFTLEARN_PURE": "1", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == digest()


def stream(n, n_features=4, n_classes=3, nominal=False, gaps=False):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, n_features))
    if nominal:
        X[:, 0] = rng.integers(0, 5, n)
    y = (X[:, 0] + X[:, 1] > 0).astype(np.intp) + (X[:, 2] > 1)
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, np.minimum(y, n_classes - 1)


def trees(**how):
    return lambda: HoeffdingTreeModel(4, 3, grace_period=40, tie_threshold=0.2, **how)


NOMINAL = np.array([1, 0, 0, 0], dtype=np.uint8)
TESTED = {
    "naive Bayes": (lambda: NaiveBayesModel(4, 3), {}),
    "naive Bayes, gaps": (lambda: NaiveBayesModel(4, 3), {"gaps": True}),
    "tree": (trees(), {}),
    "tree, gaps": (trees(), {"gaps": True}),
    "tree, nominal": (trees(nominal=NOMINAL), {"nominal": True}),
    "tree, naive Bayes": (trees(leaf_prediction="nb"), {}),
    "tree, majority": (trees(leaf_prediction="majority"), {}),
    "tree, inactive leaves": (trees(max_bytes=2000), {}),
    "adaptive tree": (lambda: AdaptiveTreeModel(4, 3, grace_period=40, tie_threshold=0.2), {}),
    "features": (lambda: SubspaceModel(6, [0, 2, 3, 5], trees()()), {"n_features": 6}),
    "codes": (lambda: OutputCodeModel(HoeffdingTreeModel(4, 2), 3, 3, True), {}),
    "logistic": (lambda: LogisticModel(4, 3), {}),
    "Python": (lambda: Frequencies(4, 3), {}),
}


@pytest.mark.parametrize("name", TESTED)
def test_learning_a_tested_row_equals_learning_any_row(name):
    make, how = TESTED[name]
    X, y = stream(800, **how)
    rng = np.random.default_rng(0)
    plain, tested = make(), make()
    for i in range(len(y)):
        expected, out = np.zeros(3), np.zeros(3)
        plain.scores_one(X, i, expected)
        prediction = plain.predict_one(X, i)
        given = None if rng.random() < 0.3 else out
        predicted = tested.test_one(X, i, given)
        assert predicted == prediction or (predicted == -2 and given is not None)
        if given is not None:
            np.testing.assert_array_equal(out, expected)
        w = float(rng.integers(0, 3))
        if w > 0 or rng.random() < 0.5:  # a test may be followed by another test
            plain.learn_one(X, i, y[i], w)
            tested.learn_tested(X, i, y[i], w)
    assert knowledge(plain) == knowledge(tested)


def knowledge(thing):
    """Return the state of a model and of its inner objects as comparable values."""
    if hasattr(thing, "get_state"):
        return {name: knowledge(value) for name, value in thing.get_state().items()}
    if isinstance(thing, list):
        return [knowledge(each) for each in thing]
    return thing.tobytes() if isinstance(thing, np.ndarray) else thing
