import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from driftlearn.evaluate import metrics

labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


@pytest.mark.filterwarnings("ignore")
@given(labels)
def test_agrees_with_scikit_learn(pairs):
    y, predicted = np.array(pairs).T
    classes = np.arange(4)
    C = metrics.confusion(y, predicted, classes)
    np.testing.assert_array_equal(C, reference.confusion_matrix(y, predicted, labels=classes))
    assert metrics.accuracy(C) == pytest.approx(reference.accuracy_score(y, predicted))
    assert metrics.balanced_accuracy(C) == pytest.approx(
        reference.balanced_accuracy_score(y, predicted)
    )
    if len(set(y) | set(predicted)) > 1:
        assert metrics.kappa(C) == pytest.approx(reference.cohen_kappa_score(y, predicted))
    else:
        assert np.isnan(metrics.kappa(C))
    recalls = metrics.recall(C)
    assert np.isnan(recalls).tolist() == [c not in y for c in classes]
    present = np.unique(y)
    expected = reference.recall_score(y, predicted, labels=present, average=None)
    np.testing.assert_allclose(recalls[present], expected)
    assert metrics.g_mean(C) == pytest.approx(np.prod(expected) ** (1 / len(present)))
    for name in ("precision", "recall", "f1"):
        score = getattr(reference, f"{name}_score")
        assert metrics.METRICS[name](C) == pytest.approx(score(y, predicted, average="macro"))
        each = score(y, predicted, labels=classes, average=None)
        np.testing.assert_allclose(np.nan_to_num(metrics.PER_CLASS[name](C)), each)
    best = np.bincount(y).max() / len(y)
    if best < 1:
        expected = (metrics.accuracy(C) - best) / (1 - best)
        assert metrics.kappa_m(C) == pytest.approx(expected)
    else:
        assert np.isnan(metrics.kappa_m(C))


def test_hand_computed():
    C = np.array([[6, 2, 0], [1, 3, 0], [0, 0, 0]])
    assert metrics.accuracy(C) == pytest.approx(9 / 12)
    np.testing.assert_allclose(metrics.recall(C), [6 / 8, 3 / 4, np.nan])
    chance = (8 * 7 + 4 * 5) / 144
    assert metrics.kappa(C) == pytest.approx((0.75 - chance) / (1 - chance))
    assert metrics.g_mean(C) == pytest.approx(0.75)
    assert metrics.g_mean([[5, 0], [3, 0]]) == 0


def test_stacked_matrices_give_stacked_values_and_sums_are_exact():
    rng = np.random.default_rng(0)
    stack = rng.integers(0, 9, (5, 3, 3))
    for metric in [*metrics.METRICS.values(), *metrics.PER_CLASS.values()]:
        np.testing.assert_array_equal(metric(stack), [metric(one) for one in stack])
    n = stack.sum((1, 2))
    pooled = (metrics.accuracy(stack) * n).sum() / n.sum()
    assert metrics.accuracy(stack.sum(0)) == pytest.approx(pooled)


def test_nothing_tested_is_nan_without_a_warning():
    nothing = np.zeros((2, 2), dtype=int)
    for metric in metrics.METRICS.values():
        assert np.isnan(metric(nothing))
    assert np.isnan(metrics.recall(nothing)).all()


def test_confusion_of_string_and_unknown_labels():
    C = metrics.confusion(np.array(["x", "y"]), np.array(["y", "y"]), np.array(["x", "y"]))
    assert C.tolist() == [[0, 1], [0, 1]]
    with pytest.raises(ValueError, match="z"):
        metrics.confusion(["z"], ["x"], ["x", "y"])


def test_log_loss_agrees_with_scikit_learn():
    rng = np.random.default_rng(1)
    P = rng.dirichlet([1, 1, 1], 50)
    y = rng.integers(0, 3, 50)
    expected = reference.log_loss(y, P, labels=[0, 1, 2])
    assert metrics.log_loss(y, P, [0, 1, 2]) == pytest.approx(expected)


@pytest.mark.parametrize("new", [-1, 5])
def test_log_loss_of_a_class_the_learner_never_saw(new):
    loss = metrics.log_loss([0, new], [[1.0, 0.0], [0.5, 0.5]], [0, 1])
    assert loss == pytest.approx(-np.log(np.finfo(float).eps) / 2)


def test_log_loss_without_any_vote_counts_as_zero_probability():
    assert metrics.log_loss([0], [[0.0, 0.0]], [0, 1]) == pytest.approx(36.04, abs=0.01)


def test_mean_and_std_leave_nan_out():
    values = np.array([[1.0, np.nan, 3.0], [np.nan] * 3])
    np.testing.assert_allclose(metrics.mean(values), [2.0, np.nan])
    np.testing.assert_allclose(metrics.std(values), [np.std([1, 3], ddof=1), np.nan])
    assert np.isnan(metrics.std([1.0]))


def test_recovery_weights_tests_by_the_rows_inside_the_window():
    start, stop = np.array([0, 250, 500, 750]), np.array([250, 500, 750, 1000])
    values = [1.0, 0.4, 0.6, 0.8]
    assert metrics.recovery(values, start, stop, [250], 600) == pytest.approx(
        (0.4 * 250 + 0.6 * 250 + 0.8 * 100) / 600
    )


def test_recovery_is_the_mean_over_drifts_and_stops_at_the_next():
    start = np.arange(0, 100, 10)
    values = np.array([1, 1, 0.2, 0.4, 0.5, 0.7, 0.9, 1, 1, 1])
    found = metrics.recovery(values, start, start + 10, [0, 20, 40], window=30)
    assert found == pytest.approx((np.mean([0.2, 0.4]) + np.mean([0.5, 0.7, 0.9])) / 2)


def test_recovery_leaves_untested_chunks_out_and_is_nan_without_drifts():
    assert metrics.recovery([np.nan, 0.5], [0, 10], [10, 20], [5], 15) == 0.5
    assert np.isnan(metrics.recovery([0.5], [0], [10], [], 600))
    assert np.isnan(metrics.recovery([0.5], [0], [10], [0], 600))
    assert np.isnan(metrics.recovery([0.5], [0], [10], [90], 600))
