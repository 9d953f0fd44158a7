"""`test_then_train` gives the bits of `predict` and `partial_fit` row by row."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags

from driftlearn import (
    AUE2Classifier,
    DTELClassifier,
    DWMClassifier,
    FLBClassifier,
    FLORA3Classifier,
    FuzzyARTMAPClassifier,
    GaussianNBClassifier,
    HoeffdingTreeClassifier,
    IBoostClassifier,
    OCBClassifier,
    SEAClassifier,
    STAGGERClassifier,
    WeightedMajorityClassifier,
    WindowedAdaBoostClassifier,
    WinnowClassifier,
)
from driftlearn.ensemble import OnlineClassifier
from driftlearn.utils.compiled import uncompiled
from tests.ensemble.boosting.boosted_cases import Nearest
from tests.ensemble.test_online_ensembles import ENSEMBLES, TREE, Centroids

COMPILED = not uncompiled()
BAYES = GaussianNBClassifier()
ONLINE_BASES = {"bayes": None, "tree": TREE, "means": Centroids()}
FIXED_BASES = {"stump": None, "bayes": BAYES, "tree": TREE, "external": Nearest()}
BOOSTED = {
    "iboost": lambda base: IBoostClassifier(base, 5, window_size=30, random_state=0),
    "iboost-batch": lambda base: IBoostClassifier(
        base, 5, window_size="adwin", update="batch", loss="logistic", random_state=0
    ),
    "adaboost": lambda base: WindowedAdaBoostClassifier(base, 5, window_size=30, random_state=0),
    "ocb": lambda base: OCBClassifier(base, 5, members="fixed", init_size=40, random_state=0),
    "flb": lambda base: FLBClassifier(base, 20, block_size=40, random_state=0),
}
ALONE = {
    "bayes": BAYES,
    "tree": TREE,
    "full-tree": HoeffdingTreeClassifier(grace_period=20, delta=0.2, max_bytes=400),
    "artmap": FuzzyARTMAPClassifier(bounds=(-3, 3), random_state=0),
    "artmap-epochs": FuzzyARTMAPClassifier(epochs=2, max_categories=5, random_state=0),
    "sea": SEAClassifier(chunk_size=20, random_state=0),
    "aue2-row": AUE2Classifier(GaussianNBClassifier(), 3, random_state=0),
    "dtel": DTELClassifier(chunk_size=30, n_estimators=3, random_state=0),
    "bag-of-perceptrons": ENSEMBLES["bag"](Perceptron(), 2),
    "soft-bag-of-sgd": ENSEMBLES["bag-fired"](SGDClassifier(loss="log_loss"), 2),
    "winnow": WinnowClassifier("balanced"),
    "wmr": WeightedMajorityClassifier(
        [("bayes", BAYES), ("tree", TREE), ("means", Centroids())], variant="wmr", random_state=0
    ),
    "flora3": FLORA3Classifier(min_window=5, max_window=30, max_items=8),
    "stagger": STAGGERClassifier(trial=5, max_elements=3),
    "ocb-of-trees": OCBClassifier(TREE, 3, random_state=0),
    "ocb-of-means": OCBClassifier(Centroids(), 3, random_state=0),
    "dwm-of-artmap": DWMClassifier(FuzzyARTMAPClassifier(bounds=(-3, 3)), 3, random_state=0),
}
CASES = {
    **ALONE,
    **{
        f"{name}-{base}": make(model, 3)
        for name, make in ENSEMBLES.items()
        for base, model in ONLINE_BASES.items()
    },
    **{
        f"{name}-{base}": make(model)
        for name, make in BOOSTED.items()
        for base, model in FIXED_BASES.items()
    },
}
EVERY = pytest.mark.parametrize("learner", CASES.values(), ids=list(CASES))
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def rows(learner, n=120, seed=0):
    """Return rows with string labels; the label that sorts first occurs late.

    Binary learners get two labels. The other classes are equal in the beginning, and rows are
    repeated, so that votes tie.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)).round(1)
    y = np.digitize(X[:, 0] + 0.2 * rng.normal(size=n), [-0.5, 0.5])
    y[:40][y[:40] == 0] = 1
    if learner is not None and not get_tags(learner).classifier_tags.multi_class:
        y = np.where(np.arange(n) < 15, 2, np.maximum(y, 1))
    w = np.where(rng.random(n) < 0.3, 1.0, rng.uniform(0.5, 2.0, n))
    return X, np.array(["a late one", "m", "z"])[y], w


def one_by_one(learner, X, y, w, classes=None):
    """Return the prequential prediction of each row: label, probabilities, classes."""
    predicted = []
    for i in range(len(y)):
        row = slice(i, i + 1)
        now = None
        if learner.__sklearn_is_fitted__():
            proba = dict(zip(learner.classes_.tolist(), learner.predict_proba(X[row])[0]))
            now = learner.predict(X[row])[0], proba
        predicted.append(now)
        learner.partial_fit(X[row], y[row], classes if i == 0 else None, sample_weight=w[row])
    return predicted


def same_learner(a, b, X):
    assert a.classes_.tolist() == b.classes_.tolist() and a.classes_.dtype == b.classes_.dtype
    assert np.array_equal(a.predict_proba(X), b.predict_proba(X))
    if hasattr(a, "rng_"):
        assert repr(a.rng_.bit_generator.state) == repr(b.rng_.bit_generator.state)


def plain(predicted):
    return [None if label is np.ma.masked else label for label in predicted]


@EVERY
def test_it_is_predict_and_partial_fit_of_every_row(learner):
    X, y, w = rows(learner)
    slow = clone(learner)
    expected = one_by_one(slow, X, y, w)
    labels = [None if before is None else before[0] for before in expected]
    assert None in labels and len(set(labels)) > 2
    whole = clone(learner)
    assert plain(whole.test_then_train(X, y, sample_weight=w)) == labels
    same_learner(whole, slow, X)
    parts = clone(learner)
    for k in range(0, len(y), 50):
        part = slice(k, k + 50)
        probas = parts.test_then_train(X[part], y[part], sample_weight=w[part], proba=True)
        assert probas.shape == (len(y[part]), len(parts.classes_))
        for predicted, before in zip(probas, expected[part]):
            there = ~np.ma.getmaskarray(predicted)
            found = dict(zip(parts.classes_[there].tolist(), predicted.data[there]))
            assert found == ({} if before is None else before[1])
    same_learner(parts, slow, X)


@pytest.mark.parametrize(
    "name", ["bayes", "full-tree", "dwm-means", "soft-bag-of-sgd", "iboost-external"]
)
def test_announced_classes_are_known_after_the_first_test(name):
    learner = CASES[name]
    X, y, w = rows(learner)
    classes = ["a late one", "m", "never", "z"]
    slow, fast = clone(learner), clone(learner)
    expected = [e and e[0] for e in one_by_one(slow, X, y, w, classes)]
    assert plain(fast.test_then_train(X, y, classes, w)) == expected
    assert "never" in fast.classes_
    same_learner(fast, slow, X)


@pytest.mark.parametrize("name", ["bayes", "boost-bayes", "iboost-stump", "flb-stump", "sea"])
def test_rows_of_weight_zero_are_tested_and_not_learned(name):
    learner = clone(CASES[name])
    X, y, w = rows(learner)
    learner.partial_fit(X[:40], y[:40])
    slow = pickle.loads(pickle.dumps(learner))
    y[45] = y[46] = "beyond"
    w[45:60] = w[100] = w[0] = 0.0
    expected = []
    for i in range(len(y)):
        expected.append(slow.predict(X[i : i + 1])[0])
        if w[i]:
            slow.partial_fit(X[i : i + 1], y[i : i + 1], sample_weight=w[i : i + 1])
        else:  # its class becomes known
            slow._meet(y[i : i + 1])
    assert plain(learner.test_then_train(X, y, sample_weight=w)) == expected
    same_learner(learner, slow, X)


def test_labels_of_other_types_are_returned_as_they_are():
    X = np.arange(6.0)[:, None]
    for labels in ([1, 1, 300, 300, 1, 70_000], [True, True, False, True, False, True]):
        predicted = GaussianNBClassifier().test_then_train(X, labels)
        assert predicted.dtype == np.asarray(labels).dtype and predicted.mask.tolist() == [
            True
        ] + 5 * [False]
        assert {*plain(predicted)[1:]} <= {*labels}
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["x"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GaussianNBClassifier()
        predicted = model.test_then_train(frame, ["a", "bbb", "a", "bbb", "a", "a"])
        assert plain(predicted)[:2] == [None, "a"] and model.feature_names_in_.tolist() == ["x"]
        model.test_then_train(frame, ["a", "bbb", "a", "bbb", "a", "a"])


@pytest.mark.parametrize("name", ["bayes", "dwm-bayes", "iboost-stump", "artmap", "sea"])
def test_what_is_refused_is_refused_before_the_first_row(name):
    learner = clone(CASES[name])
    X, y, w = rows(learner)
    hole = X.copy()
    hole[-1, 0] = np.inf
    bad = [
        (hole, y),
        (X[:, :1], y),
        (X, y[:-1]),
        (X, np.arange(len(y))),
        (X, y, 3),
        (X, y, None, -w),
        (X, y, None, 0 * w),
    ]
    for call in bad[:1] + bad[2:3]:
        with pytest.raises(ValueError):
            learner.test_then_train(*call)
        assert not hasattr(learner, "classes_")
    learner.partial_fit(X, y)
    before = pickle.dumps(learner)
    for call in bad:
        with pytest.raises(ValueError):
            learner.test_then_train(*call)
    assert pickle.dumps(learner) == before


def test_a_third_class_is_refused_before_the_first_row():
    X, y, _ = rows(BAYES)
    learner = STAGGERClassifier().partial_fit(X[:30], y[:30])
    before = pickle.dumps(learner)
    with pytest.raises(ValueError, match="binary"):
        learner.test_then_train(X, y)
    assert pickle.dumps(learner) == before


class Fussy(GaussianNB):
    """Rejects rows whose first feature is 77."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if (X[:, 0] == 77).any():
            raise ArithmeticError("77")
        return super().partial_fit(X, y, classes, sample_weight)


def test_failing_rows_are_named_and_earlier_rows_are_learned():
    X, y, w = rows(None)
    X[110, 0], w[50:60] = 77, 0.0
    learner = DWMClassifier(Fussy(), 2, random_state=0).partial_fit(X[:5], y[:5])
    with pytest.raises(RuntimeError, match="row 110 of this call could not be learned"):
        learner.test_then_train(X, y, sample_weight=w)
    assert learner.n_rows_ == 5 + 100


class Flipper(OnlineClassifier):
    """Single member; its loop does not support tests."""

    def __init__(self, estimator=None, n_estimators=1, random_state=None):
        self.estimator, self.n_estimators = estimator, n_estimators
        self.random_state = random_state

    def _begin(self):
        super()._begin()
        self.committee_.add(self._new_model())


class RowByRow(Flipper):
    def _learn_one(self, X, i, y, w):
        self.committee_.update(X, i, y, np.array([w * self.rng_.random()]))


class ManyRows(Flipper):
    def _learn_rows(self, X, y, w):
        for i in range(len(y)):
            self.committee_.observe_class(y[i])
            self.committee_.update(X, i, y[i], np.array([w[i]]))
            self.committee_.n_rows += 1


@pytest.mark.parametrize("kind", [RowByRow, ManyRows])
def test_custom_learners_inherit_test_then_train(kind):
    X, y, w = rows(None)
    slow, fast = kind(random_state=0), kind(random_state=0)
    expected = [e and e[0] for e in one_by_one(slow, X, y, w)]
    assert plain(fast.test_then_train(X, y, sample_weight=w)) == expected
    same_learner(fast, slow, X)


@pytest.mark.skipif(os.name == "nt", reason="no signals of this kind")
@pytest.mark.parametrize("name", ["bayes", "boost-tree"])
def test_an_interrupt_leaves_whole_rows(name):
    """Ctrl-C from another thread during a long call."""
    learner = clone(CASES[name])
    X, y, _ = rows(learner, n=400_000 if COMPILED else 20_000)
    learner.test_then_train(X[:500], y[:500])
    timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        while True:
            learner.test_then_train(X[500:], y[500:])
    except KeyboardInterrupt:
        pass
    timer.join()
    assert not learner._locked()._is_owned()
    assert pickle.loads(pickle.dumps(learner)).predict(X[:10]).tolist() == [
        *learner.predict(X[:10])
    ]
    learner.test_then_train(X[:100], y[:100])


def test_threads_wait_for_each_other():
    """Four threads pass the same rows: all are learned, whatever the order."""
    X, y, _ = rows(None, n=2_000)
    learner = ENSEMBLES["dwm"]().partial_fit(X[:200], y[:200])
    problems = []

    def work():
        try:
            assert learner.test_then_train(X, y).count() == len(y)
            learner.predict(X[:5])
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems and learner.n_rows_ == 200 + 4 * len(y)


@pytest.mark.skipif(not COMPILED, reason="the package is not compiled")
def test_uncompiled_it_is_the_same():
    """Digests of predictions, computed in a process with the uncompiled files."""
    names = ["bayes", "tree", "artmap", "dwm-bayes", "ns-bayes", "bag-fired-tree", "ocb-stump"]
    names += ["ocb-of-trees"]
    script = (
        "import sys, warnings; warnings.simplefilter('ignore'); sys.path.insert(0, sys.argv[1])\n"
        "from ensemble.test_test_then_train import digest\n"
        "print(*map(digest, sys.argv[2:]))"
    )
    command = [sys.executable, "-c", script, str(Path(__file__).parents[1]), *names]
    environment = {**os.environ, "DRIFTLEARN_PURE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [digest(name) for name in names]


def digest(name):
    learner = clone(CASES[name])
    X, y, w = rows(learner)
    probas = learner.test_then_train(X, y, sample_weight=w, proba=True)
    return probas.filled(-1.0).sum(axis=0).tobytes().hex()
