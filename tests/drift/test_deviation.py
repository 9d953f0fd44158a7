import pickle

import numpy as np
import pytest

from driftlearn.drift import DeviationWindow
from driftlearn.drift._split_window import SplitWindow
from tests.reference.online_boost import DeviationDetector


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"window_size": 40, "k_sd": 2.0, "min_sub": 5},
        {"window_size": 2, "k_sd": 0.5, "min_sub": 1},
    ],
    ids=["default", "short", "shortest"],
)
def test_reference(how):
    rng = np.random.default_rng(0)
    errors = np.r_[rng.random(250) < 0.1, rng.random(150) < 0.7, rng.random(150) < 0.2]
    detector, reference, found = DeviationWindow(**how), DeviationDetector(**how), 0
    for error in errors:
        assert detector.update(error) == reference.update(error) == detector.drift_detected
        assert detector.width == len(reference.errors)
        assert detector.estimate == pytest.approx(np.mean(reference.errors), abs=1e-12)
        found += detector.drift_detected
    assert detector.n_detections == found > 0


def test_state_and_reset():
    rng = np.random.default_rng(1)
    detector = DeviationWindow(window_size=60, min_sub=10, k_sd=2.5)
    for error in rng.random(130) < 0.3:
        detector.update(error)
    copy = DeviationWindow().set_state(detector.get_state())
    other = pickle.loads(pickle.dumps(detector._window)).copy()
    for error in rng.random(200) < 0.8:
        assert detector.update(error) == copy.update(error) == other.update(error)
        assert detector.width == copy.width == other.width
    assert repr(detector) == repr(copy)
    assert detector.n_detections > 0
    detector.reset()
    assert (detector.width, detector.estimate, detector.n_detections) == (0, 0.0, 0)


@pytest.mark.parametrize("bad", [-0.1, 1.5, float("nan"), float("inf")])
def test_errors_are_shares(bad):
    with pytest.raises(ValueError, match=r"in the range \[0, 1\]"):
        DeviationWindow().update(bad)


def test_no_room():
    with pytest.raises(ValueError, match=r"window_size must be at least 2 \* min_sub"):
        SplitWindow(window_size=9, min_sub=5)
