"""Online models that predict, are copied and are cross-validated together give the same results."""

import numpy as np
import pytest

from driftlearn import AWEClassifier, GaussianNBClassifier, HoeffdingTreeClassifier
from driftlearn.base import Chunk
from driftlearn.base.base_learners import trained
from driftlearn.ensemble import Committee
from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
from driftlearn.tree._hoeffding_model import HoeffdingTreeModel

BASES = [
    GaussianNBClassifier(),
    HoeffdingTreeClassifier(grace_period=10, delta=0.5),
    HoeffdingTreeClassifier(grace_period=10, delta=0.5, max_features=2),
]


def rows(n, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    return rng.normal(size=(n, 3)) + y[:, None], y


@pytest.mark.parametrize("n_classes", [2, 7, 8, 11])
@pytest.mark.parametrize("base", BASES)
def test_batch_predictions_equal_single_predictions(base, n_classes):
    """With eight classes or more NumPy adds in another order; some members have fewer classes."""
    X, y = rows(400, n_classes)
    committee = Committee(np.arange(n_classes))
    for k in range(4):
        known = y != k if k % 2 else np.full(len(y), True)
        chunk = Chunk(X[known], y[known], np.ones(known.sum()), committee.classes)
        committee.add(trained(base, chunk, k), weight=1.0)
    assert committee.packed
    np.testing.assert_array_equal(committee.probas(X), committee._probas_one_by_one(X))
    for predicted, member in zip(committee.labels(X), committee):
        np.testing.assert_array_equal(predicted, member.classes_[member._scores(X).argmax(axis=1)])


@pytest.mark.parametrize("base", BASES)
def test_folds_in_one_call_are_folds_one_by_one(base, monkeypatch):
    X, y = rows(120, 3)
    chunk = Chunk(X, y, 1.0 + y, np.arange(3))
    learner = AWEClassifier(base, random_state=0).partial_fit(X, y)
    one, at_once = learner._draft(start=False)._cross_validated(chunk, 10)
    monkeypatch.setattr(type(base), "_can_fold", lambda self: False)
    other, one_by_one = learner._draft(start=False)._cross_validated(chunk, 10)
    np.testing.assert_array_equal(at_once, one_by_one)
    np.testing.assert_array_equal(one._scores(X), other._scores(X))
    assert not np.array_equal(at_once, one._scores(X))


def test_a_class_weight_is_not_folded_in_one_call():
    assert not GaussianNBClassifier(class_weight="balanced")._can_fold()


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        NaiveBayesModel(3, 2),
        HoeffdingTreeModel(3, 2, grace_period=10, delta=0.5),
        HoeffdingTreeModel(3, 2, grace_period=10, delta=0.5, nominal=np.array([0, 1, 0])),
        HoeffdingTreeModel(3, 2, grace_period=10, delta=0.5, n_chosen=2, max_bytes=2000),
    ],
)
def test_copies_are_independent(model, gaps):
    """The copy continues as the original would have."""
    X, y = rows(300, 2)
    X[:, 1] = np.abs(X[:, 1]).astype(int)
    if gaps:
        X[::7, 0] = np.nan
    model, w = model.copy(), np.ones(len(y))
    model.learn_many(X[:150], y[:150], w[:150])
    before, other = model.get_state(), model.copy()
    other.learn_many(X[150:], y[150:], w[150:])
    for name, value in model.get_state().items():
        np.testing.assert_array_equal(value, before[name])
    model.learn_many(X[150:], y[150:], w[150:])
    for name, value in model.get_state().items():
        np.testing.assert_array_equal(value, other.get_state()[name])
    assert other.weight_seen == 300


@pytest.mark.parametrize("kind", [NaiveBayesModel, HoeffdingTreeModel])
def test_a_model_without_classes_is_copied(kind):
    assert kind(2, 0).copy().n_classes == 0
