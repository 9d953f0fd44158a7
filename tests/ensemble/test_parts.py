"""Properties of the building blocks for arbitrary numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from driftlearn.base.chunk import draw, folds, penalize
from driftlearn.ensemble._votes import blend, tally
from driftlearn.ensemble.diversity import most_redundant, q_statistics
from driftlearn.ensemble.member_weights import (
    error_floor,
    odds,
    random_error,
    sliding_mean,
    squared_error,
    street_quality,
    weighted_error,
)
from driftlearn.ensemble.neighborhood import heom, local_accuracy
from driftlearn.ensemble.selection import largest_weights
from driftlearn.utils.ranges import ranges

SEEDS = st.integers(0, 2**32 - 1)


def rng_of(seed):
    return np.random.default_rng(seed)


@given(arrays(float, st.integers(1, 30), elements=st.floats(0.01, 100)), SEEDS)
def test_penalise_is_a_distribution_that_stresses_errors(w, seed):
    wrong = rng_of(seed).random(len(w)) < 0.3
    D = penalize(w, wrong)
    assert np.isclose(D.sum(), 1)
    if wrong.any() and not wrong.all():
        assert (D / w)[wrong].min() >= (D / w)[~wrong].max()
    np.testing.assert_allclose(penalize(7 * w, wrong), D)


@given(SEEDS, st.integers(1, 40), st.integers(1, 5), st.booleans())
def test_draw_covers_every_class(seed, n, k, replace):
    rng = rng_of(seed)
    y, w = rng.integers(k, size=n), rng.random(n) + 1e-6
    rows = draw(w, y, rng, replace=replace)
    assert len(rows) == n and rows.min() >= 0 and rows.max() < n
    assert set(y[rows]) == set(y)


def test_draw_follows_the_weights():
    w = np.array([1.0, 2.0, 5.0])
    rows = draw(w, None, rng_of(0), size=20_000)
    np.testing.assert_allclose(np.bincount(rows) / 20_000, w / 8, atol=0.02)


@given(SEEDS, st.integers(2, 60), st.integers(2, 12))
def test_folds_are_stratified_and_cover(seed, n, n_folds):
    y = rng_of(seed).integers(3, size=n)
    fold = folds(y, n_folds)
    if fold is None:
        assert min(np.unique(y, return_counts=True)[1]) < 2
        return
    sizes = np.bincount(fold)
    assert sizes.max() - sizes.min() <= 1
    for c in np.unique(y):
        counts = np.bincount(fold[y == c], minlength=len(sizes))
        assert counts.max() - counts.min() <= 1


@given(arrays(float, st.integers(1, 20), elements=st.floats(0, 1)))
def test_odds_are_bounded_and_rise(eps):
    beta = odds(eps, error_floor("half_instance", 50))
    assert (beta >= 1 / 99 - 1e-15).all() and (beta <= 1).all()
    assert (np.diff(beta[np.argsort(eps)]) >= 0).all()


@given(SEEDS, st.integers(1, 8), st.integers(1, 30))
def test_sliding_mean_lies_between(seed, members, length):
    rng = rng_of(seed)
    beta, age = rng.random((members, length)), rng.integers(0, 60, size=members)
    mean = sliding_mean(beta, age, 0.5, 10)
    known = [row[max(0, length - 1 - a) :] for row, a in zip(beta, age)]
    for value, seen in zip(mean, known):
        assert seen.min() - 1e-12 <= value <= seen.max() + 1e-12
    np.testing.assert_allclose(sliding_mean(np.ones((1, length)), np.array([3]), 0.5, 10), 1.0)


def test_sliding_mean_prefers_the_present():
    old_errors, new_errors = np.r_[np.ones(40), np.zeros(10)], np.r_[np.zeros(40), np.ones(10)]
    mean = sliding_mean(np.vstack([old_errors, new_errors]), np.array([49, 49]), 0.5, 10)
    assert mean[0] < 0.2 < 0.8 < mean[1]


@given(SEEDS, st.integers(1, 6), st.integers(1, 25), st.integers(1, 4))
def test_votes_do_not_depend_on_names_or_slices(seed, members, n, C):
    rng = rng_of(seed)
    labels = rng.integers(-1, C, size=(members, n)).astype(np.int32)
    weights = rng.random(members)
    scores = tally(labels, weights, C)
    assert np.isclose(scores.sum(), (weights[:, None] * (labels >= 0)).sum())
    names = rng.permutation(C).astype(np.int32)
    renamed = tally(np.where(labels >= 0, names[labels], -1).astype(np.int32), weights, C)
    np.testing.assert_array_equal(renamed[:, names], scores)
    for i in range(n):
        one = tally(np.ascontiguousarray(labels[:, i : i + 1]), weights, C)
        np.testing.assert_array_equal(one[0], scores[i])
    probas = rng.random((members, n, C))
    np.testing.assert_allclose(blend(probas, weights), np.tensordot(weights, probas, 1))


@given(SEEDS, st.integers(2, 5), st.integers(1, 25))
def test_member_errors_do_not_depend_on_the_scale_of_weights(seed, members, n):
    rng = rng_of(seed)
    y, w, wrong = rng.integers(3, size=n), rng.random(n) + 0.1, rng.random((members, n)) < 0.4
    probas = rng.dirichlet(np.ones(3), size=(members, n))
    np.testing.assert_allclose(weighted_error(wrong, w), weighted_error(wrong, 9 * w))
    np.testing.assert_allclose(squared_error(probas, y, w), squared_error(probas, y, 9 * w))
    np.testing.assert_allclose(random_error(y, w), random_error(y, 9 * w))
    perfect = np.eye(3)[y][None]
    assert squared_error(perfect, y, w)[0] == 0


@given(SEEDS, st.integers(1, 6), st.integers(1, 20))
def test_street_quality_rewards_the_right_and_fines_the_wrong(seed, members, n):
    rng = rng_of(seed)
    votes, y = rng.dirichlet(np.ones(3), size=n), rng.integers(3, size=n)
    right = street_quality(y[None], votes, y, np.ones(n))
    wrong = street_quality((y[None] + 1) % 3, votes, y, np.ones(n))
    assert 0 <= right[0] <= 1 and -1 <= wrong[0] <= 0


@given(SEEDS, st.integers(2, 6), st.integers(1, 30))
def test_q_is_symmetric_bounded_and_follows_the_members(seed, members, n):
    rng = rng_of(seed)
    correct, w = rng.random((members, n)) < 0.6, rng.integers(1, 4, size=n) / 2.0
    Q = q_statistics(correct, w)
    np.testing.assert_array_equal(Q, Q.T)
    assert (np.abs(Q) <= 1).all()
    order = rng.permutation(members)
    np.testing.assert_array_equal(q_statistics(correct[order], w), Q[np.ix_(order, order)])
    references = np.vstack([correct, correct[:1]])
    assert q_statistics(references, w)[0, -1] == 1


def test_the_duplicate_is_the_redundant_one():
    correct = rng_of(0).random((4, 4000)) < 0.6
    assert most_redundant(q_statistics(np.vstack([correct, correct[2:3]]), np.ones(4000))) == 2


@given(SEEDS, st.integers(1, 12), st.integers(1, 12))
def test_heaviest(seed, n, k):
    weight = rng_of(seed).integers(0, 5, size=n).astype(float)
    kept = largest_weights(weight, k)
    assert len(kept) == min(n, k) and (np.diff(kept) > 0).all()
    gone = np.setdiff1d(np.arange(n), kept)
    for out in gone:
        assert weight[out] <= weight[kept].min()


@given(SEEDS)
def test_local_accuracy_is_one_where_all_were_right(seed):
    rng = rng_of(seed)
    judged, X = rng.normal(size=(20, 3)), rng.normal(size=(6, 3))
    correct = np.vstack([np.ones(20, bool), np.zeros(20, bool)])
    distance = heom(X, judged, ranges(judged), np.array([False, False, True]))
    local = local_accuracy(distance, correct, np.ones(20), 7)
    np.testing.assert_allclose(local, np.tile([1.0, 0.0], (6, 1)))
    assert (distance >= 1).all()
