"""Votes of members with different classes, compared with explicit sums."""

import numpy as np
import pytest

from driftlearn.ensemble._class_votes import add_shares, named_shares, tally_discounted, tally_own


def predicted(rng, members=7, rows=300, classes=4):
    labels = rng.integers(classes, size=(members, rows)).astype(np.int32)
    return labels, rng.random((members, classes))


def test_own_weights():
    labels, weights = predicted(np.random.default_rng(0))
    naive = np.zeros((300, 4))
    for member, own in zip(labels, weights):
        for i, c in enumerate(member):
            naive[i, c] += own[c]
    assert (tally_own(labels, weights) == naive).all()


def test_members_are_discounted_for_unknown_classes():
    rng = np.random.default_rng(1)
    labels, weights = predicted(rng)
    knows, confidence = rng.random((7, 4)) < 0.5, rng.random((300, 4))
    confidence[rng.random((300, 4)) < 0.4] = 1.0
    naive, n_mute = np.zeros((300, 4)), 0
    for i in range(300):
        for member, weight, known in zip(labels, weights[:, 0], knows):
            for c in np.flatnonzero(~known):
                weight *= 1.0 - confidence[i, c]
            naive[i, member[i]] += weight
        if naive[i].max() <= 0.01:
            n_mute += 1
            naive[i] = 0.0
            for member, weight in zip(labels, weights[:, 0]):
                naive[i, member[i]] += weight
    assert 0 < n_mute < 300
    weight = np.ascontiguousarray(weights[:, 0])
    assert (tally_discounted(labels, weight, knows.view(np.uint8), confidence, 0.01) == naive).all()


def test_shares_are_those_of_some_members_and_go_back_where_they_came_from():
    rng = np.random.default_rng(2)
    labels, weights = predicted(rng)
    weights[3] = 0.0
    some, could, part = np.array([1, 3, 6]), rng.random(4), rng.random(4)
    share, row, code = named_shares(labels, weights, some, could)
    dense = tally_own(labels[some], weights[some]) / could
    assert len(share) == (dense > 0).sum() < 3 * 300
    assert (dense[row, code] == share).all()
    scores = np.ones((300, 4))
    add_shares(scores, share, row, code, part, could)
    assert (scores == 1 + dense * part / could).all()


@pytest.mark.parametrize("code", [-1, 4])
def test_a_class_that_is_not_there_is_refused(code):
    labels, weights = predicted(np.random.default_rng(3))
    labels[2, 5] = code
    with pytest.raises(ValueError, match=f"class code {code} is out of range for 4"):
        tally_own(labels, weights)
    with pytest.raises(ValueError, match=f"class code {code} is out of range for 4"):
        named_shares(labels, weights, np.arange(7), np.ones(4))


def test_misfits_are_refused():
    labels, weights = predicted(np.random.default_rng(4))
    knows, confidence = np.ones((7, 4), np.uint8), np.zeros((300, 4))
    with pytest.raises(ValueError, match="weights of shape"):
        tally_own(labels[:6], weights)
    with pytest.raises(ValueError, match="weights of shape"):
        named_shares(labels, weights, np.arange(7), np.ones(3))
    with pytest.raises(ValueError, match="weights of shape"):
        tally_discounted(labels, np.ones(7), knows[:6], confidence, 0.0)
    with pytest.raises(ValueError, match="weights of shape"):
        tally_discounted(labels, np.ones(7), knows, confidence[:9], 0.0)
    labels[0, 0] = 4
    with pytest.raises(ValueError, match="class code 4"):
        tally_discounted(labels, np.ones(7), knows, confidence, 0.0)
