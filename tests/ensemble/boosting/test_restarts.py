"""Chains that restart when their errors increase, in cases that reference tests do not reach."""

import pickle
from contextlib import suppress

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB

from driftlearn import FLCClassifier, HoeffdingTreeClassifier, OnlineBoostClassifier
from driftlearn.io import _files, dumps, loads
from tests.ensemble.test_online_ensembles import Fragile, same, sliced
from tests.io import fuzzing

SD = {"detector": "sd", "window_size": 60, "min_sub": 10}
RESTARTING = {
    "boost": lambda base=None: OnlineBoostClassifier.as_published(
        base, 2, restart_delta=0.05, random_state=0
    ),
    "flc": lambda base=None: FLCClassifier.as_published(
        base, 2, delta=0.05, restart_on_change=True, random_state=0
    ),
    "flc-sd": lambda base=None: FLCClassifier.as_published(
        base, 2, restart_on_change=True, random_state=0, **SD
    ),
}
EVERY = pytest.mark.parametrize("make", RESTARTING.values(), ids=list(RESTARTING))


def flipped(n=700, flip=400):
    """Return two classes that swap, and a third class from half-way to the swap on."""
    X = np.random.default_rng(0).normal(size=(n, 2))
    y = np.where((X.sum(axis=1) > 0) != (np.arange(n) >= flip), "p", "q")
    y[flip // 2 :][X[flip // 2 :, 0] > 1] = "a"
    return X, y


def without_restarts(model):
    off = {"restart_delta": None, "restart_on_change": False}
    return model.set_params(**{name: off[name] for name in model.get_params() if name in off})


@EVERY
@pytest.mark.parametrize(
    "base",
    [
        None,
        HoeffdingTreeClassifier(grace_period=20),
        SGDClassifier(learning_rate="constant", eta0=0.03),
        GaussianNB(),
    ],
    ids=["naive-bayes", "tree", "sgd", "guest-bayes"],
)
def test_slices_and_files_do_not_matter(make, base):
    X, y = flipped(300, 200)
    whole = make(base).partial_fit(X, y)
    assert whole.n_restarts_ > 0
    same(sliced(make(base), X, y, 1), whole)
    model = make(base)
    for part in np.split(np.arange(300), [5, 90, 210, 230, 270]):
        model = loads(dumps(model.partial_fit(X[part], y[part])))
    same(model, whole)


@EVERY
def test_results_are_identical_after_saving(make):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30_000, 3))
    y = (X.sum(axis=1) > 0) != (np.arange(30_000) >= 29_000)
    model = make().partial_fit(X, y)
    assert model.score(X[-500:], y[-500:]) > 0.85
    printed = without_restarts(make()).partial_fit(X, y)
    assert printed.score(X[-500:], y[-500:]) < 0.5
    assert printed.n_restarts_ == 0


@EVERY
def test_members_and_detector_are_new(make):
    """A restart belongs to a row: the members are created at it, and the detector is new."""
    X, y = flipped()
    model = make()
    for i in range(len(y)):
        before = model.n_restarts_ if i else 0
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        if model.n_restarts_ > before:
            break
    assert model.n_restarts_ == before + 1
    assert list(model.members_["created_at"]) == [i + 1] * 2
    assert list(model.members_["id"]) == [2 * model.n_restarts_ + j for j in (1, 2)]
    assert model.committee_["trained"].max() <= 1
    assert model.engine_.detector.width == 0


class Stubborn(Fragile):
    """Predicts the first label; rejects a negative first feature."""

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@EVERY
def test_the_row_that_fails_after_a_restart(make):
    """The generator is in its state before the row, as if no seeds had been drawn."""
    X, y = np.ones((200, 2)), np.repeat(["p", "q"], 100)
    model = make(Stubborn()).partial_fit(X[:100], y[:100], classes=["p", "q"])
    for i in range(100, 200):
        trial = pickle.loads(pickle.dumps(model))
        with suppress(RuntimeError):
            trial.partial_fit(X[i : i + 1] * [-1, 1], y[i : i + 1])
        if trial.n_restarts_ > model.n_restarts_ and trial.n_rows_ == model.n_rows_:
            same(trial.rng_, model.rng_)
            return
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    raise AssertionError("no row that called for a restart failed")


@EVERY
def test_files_that_are_older_than_restarts(make):
    X, y = flipped()
    model = without_restarts(make()).partial_fit(X[:200], y[:200])
    tree, blocks = fuzzing.opened(dumps(model))
    newer, gone = {"restart_delta", "restart_on_change", "n_restarts", "rising"}, 0
    for owner, key in fuzzing.places(tree, []):
        if key in newer and not (key == "rising" and "bucket_sum" in owner):
            del owner[key]
            gone += 1
    assert gone
    packed = {name: (block.dtype, [block.tobytes()]) for name, block in blocks.items()}
    old = loads(_files.pack("old", tree, packed, False))
    assert str(old.get_params()) == str(model.get_params())
    assert old.n_restarts_ == 0
    old.partial_fit(X[200:], y[200:])
    model.partial_fit(X[200:], y[200:])
    np.testing.assert_array_equal(old.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("bad", [0, 1, -0.1, 2.0, float("nan"), "adwin", True])
def test_bad_values(bad):
    with pytest.raises(ValueError, match="restart_delta"):
        OnlineBoostClassifier.as_published(restart_delta=bad).fit([[0.0]], [0])
    if bad is not True:
        with pytest.raises(ValueError, match="restart_on_change"):
            FLCClassifier.as_published(restart_on_change=bad).fit([[0.0]], [0])
