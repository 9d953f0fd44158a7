"""Probabilities of the default settings on a stream with label noise."""

import numpy as np
import pytest

import driftlearn
from driftlearn.evaluate import metrics
from driftlearn.streams import SEA

# expected calibration error without smoothing and with hard votes: 0.04 to 0.17
LEARNERS = {
    "AWE": 0.06, "DIC": 0.06, "DTEL": 0.09, "DYNSE": 0.06, "LearnPPNSE": 0.08, "SEA": 0.09,
    "WeightedMajority": 0.1, "NoChange": 0.05, "Majority": 0.05,
}  # fmt: skip


@pytest.mark.parametrize("name", LEARNERS)
def test_probabilities_are_calibrated(name):
    model, probas = getattr(driftlearn, f"{name}Classifier")(), []
    X, y = SEA(n_rows=4_000, noise=0.1, random_state=0).take(4_000)
    for start in range(0, 4_000, 250):
        if start >= 500:
            probas.append(model.predict_proba(X[start : start + 250]))
        model.partial_fit(X[start : start + 250], y[start : start + 250])
    probas, y, classes = np.concatenate(probas), y[500:], np.unique(y)
    assert probas.min() > 0
    assert metrics.calibration_error(metrics.calibration(y, probas, classes)) < LEARNERS[name]
    assert metrics.log_loss(y, probas, classes) < 0.7
