"""Members and their numbers match; the weight history is bounded."""

import pickle

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from driftlearn import CARTClassifier
from driftlearn.ensemble.committee import Committee
from driftlearn.ensemble.history import History

X = np.random.default_rng(0).normal(size=(60, 2))
Y = (X[:, 0] > 0).astype(int)


def tree(labels):
    return CARTClassifier(min_samples_split=2).fit(X, np.array(labels)[Y])


def committee_of(*label_sets, classes=(0, 1, 2, 3)):
    committee = Committee(np.array(classes))
    for k, labels in enumerate(label_sets):
        committee.add(tree(labels), weight=float(k), created_at=k + 1)
    return committee


def test_numbers_follow_their_members():
    committee = committee_of([0, 1], [1, 2], [2, 3])
    committee.select([2, 0])
    np.testing.assert_array_equal(committee["weight"], [2, 0])
    np.testing.assert_array_equal(committee["id"], [3, 1])
    committee.drop(0)
    committee.add(tree([0, 3]), weight=9.0, created_at=7)
    np.testing.assert_array_equal(committee["weight"], [0, 9])
    np.testing.assert_array_equal(committee["id"], [1, 4])
    assert [list(model.classes_) for model in committee] == [[0, 1], [0, 3]]


def test_packed_and_single_votes_are_the_same():
    """Packed trees and separate models give the same votes."""
    committee = committee_of([0, 1], [1, 3])
    packed, probas = committee.labels(X), committee.probas(X)
    committee.add(GaussianNB().fit(X, np.array([0, 2])[Y]))
    np.testing.assert_array_equal(committee.labels(X)[:2], packed)
    np.testing.assert_array_equal(committee.probas(X)[:2], probas)
    assert set(committee.labels(X)[2]) <= {0, 2}
    committee.select([0, 1])
    committee.add(tree([2, 3]))
    np.testing.assert_array_equal(committee.labels(X)[:2], packed)
    assert committee.labels(X).shape == (3, 60)


def test_without_probabilities_a_member_votes():
    committee = Committee(np.array([0, 1, 2]))
    committee.add(LinearSVC().fit(X, np.array([0, 2])[Y]))
    probas = committee.probas(X)[0]
    assert set(probas.ravel()) == {0.0, 1.0} and not probas[:, 1].any()


def test_classes_may_come_in_between():
    committee = committee_of([10, 30], classes=(10, 30))
    before = committee.labels(X)
    committee.widen(np.array([10, 20, 30]))
    np.testing.assert_array_equal(committee.labels(X), np.array([0, 2])[before])
    assert committee.probas(X).shape == (1, 60, 3)


def test_a_draft_does_not_touch_the_original():
    committee = committee_of([0, 1], [1, 2])
    before = committee.labels(X)
    draft = committee.draft()
    draft.add(tree([2, 3]), weight=5.0)
    draft["weight"] = draft["weight"] * 2
    draft.select([2])
    assert len(committee) == 2
    np.testing.assert_array_equal(committee["weight"], [0, 1])
    committee.add(tree([0, 3]))
    np.testing.assert_array_equal(committee.labels(X)[:2], before)


def test_wrong_lengths_are_refused():
    committee = committee_of([0, 1])
    with pytest.raises(ValueError, match="must have one number per member"):
        committee["weight"] = [1.0, 2.0]
    with pytest.raises(ValueError, match="one model per member"):
        committee.replace([])


def test_pickle_and_table():
    committee = pickle.loads(pickle.dumps(committee_of([0, 1], [1, 2])))
    table = committee.table()
    assert table["classes"][1] == [1, 2] and table["size"][0] >= 3
    assert "created_at" in repr(table)


def test_history_stays_small_and_keeps_its_shape():
    history = History(limit=16)
    for step in range(1, 201):
        history.record(step, [step, step + 1], [1.0, step])
    steps, ids, weights = history.matrix()
    assert len(steps) < 16 and len(np.unique(np.diff(steps))) == 1
    assert weights.shape == (len(ids), len(steps))
    assert history.weights[-1][1] == steps[-1]
    fork = history.draft().record(224, [1], [0.0])
    assert len(fork) >= len(history.steps) and history.steps[-1] < 224


def test_members_are_dropped_singly_or_oldest_first():
    committee = committee_of([0, 1], [1, 2], [2, 3], [0, 3])
    committee.drop(1)
    np.testing.assert_array_equal(committee["id"], [1, 3, 4])
    committee.truncate(None)
    committee.truncate(5)
    assert len(committee) == 3
    committee.truncate(2)
    np.testing.assert_array_equal(committee["id"], [3, 4])
    assert [list(model.classes_) for model in committee] == [[2, 3], [0, 3]]


@pytest.mark.parametrize("kind", ["labels", "probas"])
def test_weighted_votes_default_to_the_newest_member(kind):
    committee = committee_of([0, 1], [1, 2], [2, 3])
    predicted = getattr(committee, kind)(X)
    each = predicted if kind == "probas" else (predicted[:, :, None] == np.arange(4)).astype(float)
    np.testing.assert_array_equal(committee.vote(predicted), each[1] + 2 * each[2])
    committee["weight"] = np.zeros(3)
    np.testing.assert_array_equal(committee.vote(predicted), each[2])


def test_a_seed_is_kept_and_not_shown():
    committee = committee_of([0, 1])
    committee.add(tree([1, 2]), seed=2**31 - 2)
    assert "seed" not in committee.table().columns
    assert committee["seed"].astype(int).tolist() == [0, 2**31 - 2]


@pytest.mark.parametrize("kind", ["labels", "probas"])
def test_predictions_of_members_are_cached(kind, monkeypatch):
    committee, requested = committee_of([0, 1], [1, 2]), []
    ask = getattr(Committee, f"_{kind}")
    monkeypatch.setattr(Committee, f"_{kind}", lambda self, X: requested.append(1) or ask(self, X))
    rows = X.copy()
    predicted = getattr(committee, kind)(rows)
    before = predicted.copy()
    predicted[:] = 0  # callers may modify the returned array
    np.testing.assert_array_equal(getattr(committee.draft(), kind)(rows), before)
    assert len(requested) == 1
    rows[0] += 1.0
    getattr(committee, kind)(rows)
    getattr(committee, kind)(X[:0])
    assert len(requested) == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda committee: committee.add(tree([0, 3])),
        lambda committee: committee.extend([tree([0, 3])]),
        lambda committee: committee.drop(0),
        lambda committee: committee.replace([tree([0, 3]), tree([2, 3])]),
        lambda committee: committee.widen(np.arange(5)),
    ],
)
def test_the_cache_is_cleared_when_members_change(change):
    committee = committee_of([0, 1], [1, 2])
    committee.probas(X)
    change(committee)
    predicted = committee.probas(X)
    np.testing.assert_array_equal(predicted, committee._probas(X))
    assert predicted.shape == (len(committee), len(X), len(committee.classes))


def test_caches_are_not_saved():
    committee = committee_of([0, 1])
    committee.labels(X)
    assert "_said" not in committee.__getstate__()
