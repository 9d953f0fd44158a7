"""Performance expected without labels: estimates, corrections, intervals, drift, files."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import driftlearn as dl
from driftlearn.io import dumps, loads
from driftlearn.model_selection.expected_performance import (
    MOST_CHUNKS,
    PerformanceRecord,
    expected,
    realized,
)

MODELS = {"bayes": dl.GaussianNBClassifier(), "logistic": dl.LogisticClassifier()}


def chunk(seed, n_rows=300, shift=0.0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(shift, 1, (n_rows, 3))
    return X, (X[:, 0] + X[:, 1] + noise * rng.normal(size=n_rows) > 0).astype(int)


def trained(n_chunks=20, delay=0, cls=dl.OnlineStackingClassifier):
    model = cls(MODELS, delay=delay, random_state=0)
    for seed in range(n_chunks):
        model.partial_fit(*chunk(seed))
    return model


def by_hand(probas):
    """Expected AUC as a sum over all pairs of rows, for two classes."""
    p, q = probas[:, 1], 1 - probas[:, 1]
    wins = (p[:, None] > p) + 0.5 * (p[:, None] == p)
    return float((p[:, None] * q * wins).sum() / (p.sum() * q.sum()))


def test_expected_metrics_by_hand_and_realized_ones_as_scikit_learn():
    rng = np.random.default_rng(0)
    probas = np.stack([p := rng.random(50).round(1) * 0.9 + 0.05, 1 - p], axis=1)
    accuracy, loss, auc = expected(probas)
    assert accuracy == pytest.approx(np.maximum(p, 1 - p).mean())
    assert loss == pytest.approx(-(p * np.log(p) + (1 - p) * np.log(1 - p)).mean())
    assert auc == pytest.approx(by_hand(probas))
    y = (rng.random(50) < probas[:, 1]).astype(int)
    assert realized(probas, y)[2] == pytest.approx(roc_auc_score(y, probas[:, 1]))
    assert np.isnan(realized(probas[:1], y[:1])[2])


@pytest.mark.parametrize("cls", [dl.OnlineStackingClassifier, dl.AutoClassifier])
def test_estimates_are_near_the_truth_and_intervals_hold_most_truths(cls):
    model, inside, errors = trained(cls=cls), [], []
    for seed in range(100, 130):
        X, y = chunk(seed)
        found = model.expected_performance(X)["accuracy"]
        low, high = found["interval"]
        truth = (model.predict(X) == y).mean()
        inside.append(low <= truth <= high)
        errors.append(found["expected"] - truth)
    assert np.mean(inside) > 0.75 and abs(np.mean(errors)) < 0.03


def test_a_systematic_error_is_corrected():
    record, rng = PerformanceRecord(), np.random.default_rng(0)
    probas = np.tile([0.9, 0.1], (200, 1))  # right in 70 % of the rows only
    for _ in range(MOST_CHUNKS + 5):
        record.update(rng.normal(size=(200, 2)), probas, [probas], (rng.random(200) > 0.7) + 0)
    found = record.estimate(rng.normal(size=(200, 2)), probas, [probas])
    assert found["accuracy"]["expected"] == pytest.approx(0.7, abs=0.03)
    assert len(record.n_rows) == len(record.table()) == MOST_CHUNKS


def test_a_shift_of_features_widens_the_interval():
    model = trained()
    same, shifted = (model.expected_performance(chunk(99, shift=s)[0]) for s in (0.0, 1.5))
    assert same["wider by drift"] < 2 < shifted["wider by drift"]
    widths = [np.subtract(*each["log loss"]["interval"][::-1]) for each in (same, shifted)]
    assert widths[1] > widths[0]


def test_inspections_show_estimates_and_truths():
    for cls in (dl.OnlineStackingClassifier, dl.AutoClassifier):
        table = dl.inspect(trained(8, cls=cls)).table("expected")
        assert len(table) == 7 and (abs(table["expected accuracy"] - table["accuracy"]) < 0.2).all()


def test_corrections_with_larger_errors_are_not_used():
    record, raw = PerformanceRecord(), np.full((9, 3), 0.8)
    other = raw + np.array([0.1, 0.0, -0.1])
    record.raw, record.truths, record.corrected = raw, raw, other
    assert record._chosen(raw[0], raw[0] + 0.1).tolist() == raw[0].tolist()
    record.corrected, record.raw = raw, other
    assert record._chosen(raw[0], raw[0] + 0.1) == pytest.approx([0.9, 0.8, 0.9])


def test_there_is_no_interval_before_five_chunks():
    model = trained(3)
    found = model.expected_performance(chunk(50)[0])
    assert found["accuracy"]["interval"] is None and 0.5 < found["accuracy"]["expected"] < 1


def test_late_labels_and_files():
    model = trained(12, delay=2)
    assert len(model.performance_.n_rows) == 9
    restored, X = loads(dumps(model)), chunk(50)[0]
    assert restored.expected_performance(X) == model.expected_performance(X)


def test_votes_are_not_calibrated():
    model = dl.AutoClassifier(MODELS, chunk_size=1).partial_fit(*chunk(0))
    with pytest.raises(ValueError, match="requires calibrated probabilities"):
        model.expected_performance(chunk(1)[0])
