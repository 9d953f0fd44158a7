"""Learn++.NSE with equation 6 as printed: sums of sigmoids, and votes that may be negative."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from driftlearn import CARTClassifier, LearnPPNSEClassifier
from driftlearn.checks import parametrize
from driftlearn.ensemble import signed_vote
from tests.chunk_streams import chunks

TREE = CARTClassifier(min_samples_split=6, max_depth=3)
STEEP = {"weighting": "printed", "slope": 8.0, "crossing": 0.4}  # sums exceed 1 within a few steps
VARIANTS = [LearnPPNSEClassifier(weighting="printed"), LearnPPNSEClassifier(**STEEP)]
PRUNED = [{}, {"prune": "age", "n_estimators": 4}, {"prune": "error", "n_estimators": 4}]


@parametrize_with_checks(
    VARIANTS,
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": "min_samples_split counts rows",
        "check_class_weight_classifiers": "a leaf of one class names it, however light its rows",
    },
)
def test_scikit_learn(estimator, check):
    check(estimator)


@parametrize(
    VARIANTS,
    expected_failures={
        "LearnPPNSEClassifier": {
            "no_class_is_impossible": "members vote by labels, and their weights may be negative"
        }
    },
)
def test_stream(estimator, check):
    check(estimator)


@pytest.mark.parametrize("prune", PRUNED, ids=["all", "age", "error"])
@pytest.mark.parametrize("how", [STEEP, {"weighting": "printed"}], ids=["steep", "default"])
def test_weights_and_votes_as_printed(how, prune):
    """Weights from the members' errors, step by step, in plain Python."""
    product, sums = LearnPPNSEClassifier(TREE, **how, **prune), {}
    slope, crossing = product.slope, product.crossing
    lowest = np.inf
    for X, y, _ in chunks(14):
        before = dict(sums)
        product.partial_fit(X, y)
        table = product.members_
        for born, error in zip(table["created_at"].tolist(), table["error"]):
            eps = min(max(error, 1 / (2 * len(y))), 0.5)
            beta = eps / (1 - eps)
            f = 1 / (1 + np.exp(-slope * (beta - crossing)))
            sums[born] = before.get(born, 0.0) + f
        assert len(table) == len(before.keys() | {product.step_}) if not prune else len(table) <= 4
        weight = [np.log(1 / sums[born]) for born in table["created_at"].tolist()]
        np.testing.assert_allclose(table["weight"], weight, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(product.history_.weights[-1], table["weight"])
        lowest = min(lowest, *weight)

        known = sorted({label for model in product.estimators_ for label in model.classes_})
        votes = np.zeros((len(X), len(known)))
        for model, W in zip(product.estimators_, table["weight"]):
            votes[np.arange(len(X)), np.searchsorted(known, model.predict(X))] += W
        named = np.array(known)[votes.argmax(axis=1)]
        np.testing.assert_array_equal(product.predict(X), named)
        probas = product.predict_proba(X)
        assert (probas >= 0).all()
        np.testing.assert_allclose(probas.sum(axis=1), 1.0)
        probas = probas[:, np.searchsorted(product.classes_, known)]
        lifted = votes - np.minimum(votes.min(axis=1, keepdims=True), 0)
        np.testing.assert_allclose(probas, lifted / lifted.sum(axis=1, keepdims=True), atol=1e-12)
    assert (lowest < 0) == (how is STEEP)


def test_the_largest_sum_wins_whatever_its_sign():
    """A class without votes has the sum 0, which is larger than a negative sum."""
    labels = np.array([[0, 1, 0], [0, 0, 1]], dtype=np.int32)
    all_three, but_the_last = np.ones(3, bool), np.array([True, True, False])
    below = np.array([-1.0, -2.0])
    scores = signed_vote(labels, below, all_three)
    np.testing.assert_array_equal(scores, [[0, 3, 3], [0, 1, 2], [1, 0, 2]])
    scores = signed_vote(labels, below, but_the_last)
    np.testing.assert_array_equal(scores, [[0, 3, 0], [0, 1, 0], [1, 0, 0]])
    scores = signed_vote(labels, np.array([0.5, 1.0]), all_three)
    np.testing.assert_array_equal(scores, [[1.5, 0, 0], [1, 0.5, 0], [0.5, 1, 0]])
    for mute in (np.zeros(2), -np.zeros(2)):
        alone = signed_vote(labels, mute, all_three)
        np.testing.assert_array_equal(alone.argmax(axis=1), labels[-1])
    balanced = signed_vote(labels[:, :1].copy(), np.array([1.0, -1.0]), but_the_last)
    np.testing.assert_array_equal(balanced, [[1, 1, 0]])


def test_a_class_that_was_only_announced_gets_no_vote():
    """Members trained on one class vote for it even with negative weights."""
    X = np.linspace(0, 1, 20)[:, None]
    how = {"weighting": "printed", "slope": 1.0, "crossing": 0.0}  # a sigmoid of 1/2 and more
    product = LearnPPNSEClassifier(TREE, **how).partial_fit(X, ["b"] * 20, classes=["a", "b", "c"])
    for _ in range(6):
        product.partial_fit(X, ["b"] * 20)
    assert product.members_["weight"].sum() < 0
    np.testing.assert_array_equal(product.predict_proba(X), np.tile([0.0, 1.0, 0.0], (20, 1)))


def test_slices_of_the_stream_do_not_count():
    """With a chunk size, any slicing gives the same bits."""
    rows = [np.concatenate(parts) for parts in zip(*chunks(9))]
    X, y = rows[0], rows[1]
    whole = LearnPPNSEClassifier(TREE, chunk_size=30, **STEEP).partial_fit(X, y)
    sliced = LearnPPNSEClassifier(TREE, chunk_size=30, **STEEP)
    for part in np.array_split(np.arange(len(y)), 23):
        sliced.partial_fit(X[part], y[part])
    assert min(whole.members_["weight"]) < 0
    np.testing.assert_array_equal(whole.members_["weight"], sliced.members_["weight"])
    np.testing.assert_array_equal(whole.predict_proba(X), sliced.predict_proba(X))
    for row in X[:20]:
        alone = whole.predict_proba(row[None])
        np.testing.assert_array_equal(alone, whole.predict_proba(X)[:20][(X[:20] == row).all(1)])


@pytest.mark.parametrize("weighting", ["age", "printed"])
def test_a_sigmoid_that_begins_at_zero_is_refused(weighting):
    X, y, _ = next(chunks(1))
    product = LearnPPNSEClassifier(TREE, weighting=weighting, slope=80.0, crossing=10)
    with pytest.raises(ValueError, match=r"slope \* crossing must be at most 700 .*80.0 \* 10"):
        product.partial_fit(X, y)
    steepest = product.set_params(slope=70.0).partial_fit(X, y)
    assert np.isfinite(steepest.members_["weight"]).all()
    np.testing.assert_array_equal(steepest.predict(X), steepest.estimators_[0].predict(X))


def test_another_weighting_is_refused():
    X, y, _ = next(chunks(1))
    with pytest.raises(ValueError, match="The 'weighting' parameter of LearnPPNSEClassifier must"):
        LearnPPNSEClassifier(weighting="literal").partial_fit(X, y)
