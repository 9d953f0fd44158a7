"""Boosting ensembles on rows with extreme weights."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np

from driftlearn import FLCClassifier, NSOnlineBoostClassifier, OnlineBoostClassifier

LEARNERS = (FLCClassifier, NSOnlineBoostClassifier, OnlineBoostClassifier)


def probabilities():
    """Return the probabilities of all learners; warnings are errors."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] > 0).astype(int)
    weights = np.where(np.arange(60) % 7 == 3, 1e100, rng.choice([1e-100, 1.0, 0.0], 60))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        models = [
            each(random_state=0).partial_fit(X, y, sample_weight=weights) for each in LEARNERS
        ]
        return np.array([model.predict_proba(X) for model in models])


def test_uncompiled_code_divides_by_no_zero():
    """An error is rounded to 1 if a wrong row outweighs all correct rows."""
    script = (
        f"import sys; sys.path[:0] = {sys.path!r}\n"
        "from test_extreme_weights import probabilities\n"
        "print(probabilities().tobytes().hex())"
    )
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parent,
        env={**os.environ, "DRIFTLEARN_PURE": "1"},
    )  # fmt: skip
    compiled = probabilities()
    assert np.isfinite(compiled).all()
    assert found.stdout.strip() == compiled.tobytes().hex()
