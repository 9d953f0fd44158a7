import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlearn.drift import ADWIN, DDM
from driftlearn.evaluate import detection_scores


def reported(scores):
    return scores.delays.tolist(), scores.misses, scores.false_alarms, scores.repeats


def test_by_hand():
    scores = detection_scores([100, 200, 300], [310, 90, 305, 150, 349, 350], 400, horizon=50)
    assert np.array_equal(scores.delays, [np.nan, np.nan, 5.0], equal_nan=True)
    assert (scores.misses, scores.false_alarms, scores.repeats) == (2, 3, 2)
    assert (scores.delay, scores.miss_rate) == (5.0, 2 / 3)
    assert (scores.stationary_rows, scores.false_alarm_rate) == (250, 3 / 250)


def test_edges_of_a_drift():
    """A drift's rows are its own row up to the end of the horizon."""
    for alarm, found in (99, None), (100, 0.0), (109, 9.0), (110, None):
        scores = detection_scores([100], [alarm], 200, horizon=10)
        assert (None if scores.misses else scores.delay) == found
        assert scores.false_alarms == (found is None)


def test_the_next_drift_ends_the_one_before():
    assert reported(detection_scores([10, 20], [20], 30, horizon=15))[1:] == (1, 0, 0)
    assert detection_scores([10, 20], [], 30, horizon=15).stationary_rows == 10


def test_without_a_horizon_only_what_is_before_the_first_drift_is_false():
    assert reported(detection_scores([10, 20], [5, 19, 29], 30)) == ([9.0, 9.0], 0, 1, 0)


@pytest.mark.parametrize("drifts", [[], [0]])
def test_without_a_drift(drifts):
    scores = detection_scores(drifts, [3, 4], 10)
    assert reported(scores) == ([], 0, 2, 0)
    assert np.isnan([scores.delay, scores.miss_rate]).all()
    assert scores.false_alarm_rate == 0.2


def test_row_0_is_quiet():
    scores = detection_scores([1], [], 2, horizon=5)
    assert (scores.stationary_rows, scores.false_alarm_rate) == (1, 0.0)
    assert np.isnan(scores.delay)


@given(
    drifts=st.sets(st.integers(1, 59), max_size=6),
    detections=st.lists(st.integers(0, 59), max_size=20, unique=True),
    horizon=st.none() | st.integers(1, 80),
)
def test_row_by_row(drifts, detections, horizon):
    """The same by a loop over the stream."""
    drift, delays, false_alarms, repeats, quiet = None, {}, 0, 0, 0
    for row in range(60):
        drift = row if row in drifts else drift
        belongs = drift is not None and (horizon is None or row < drift + horizon)
        quiet += not belongs
        if row in detections:
            false_alarms += not belongs
            repeats += belongs and drift in delays
            if belongs:
                delays.setdefault(drift, row - drift)
    scores = detection_scores(sorted(drifts), detections, 60, horizon)
    assert (scores.false_alarms, scores.repeats, scores.stationary_rows) == (
        false_alarms, repeats, quiet,
    )  # fmt: skip
    expected = [delays.get(drift, np.nan) for drift in sorted(drifts)]
    assert np.array_equal(scores.delays, expected, equal_nan=True)


def test_what_detectors_return_is_what_it_takes():
    rng = np.random.default_rng(0)
    errors = np.r_[rng.random(1000) < 0.1, rng.random(1000) < 0.5]
    for detector in ADWIN(), DDM():
        scores = detection_scores([1000], detector.update_many(errors), len(errors), horizon=300)
        assert scores.misses == scores.false_alarms == 0
        assert scores.repeats == detector.n_detections - 1


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"drifts": [10]}, "drifts must be in the range \\[0, 9\\]. Got row 10"),
        ({"detections": [2, -1]}, "detections must be in the range \\[0, 9\\]. Got row -1"),
        ({"detections": [2.5]}, "detections must be a list of row numbers"),
        ({"detections": 3}, "detections must be a list of row numbers"),
        ({"drifts": [True, False]}, "drifts must be a list of row numbers"),
        ({"n_rows": 0}, "n_rows must be an int in the range \\[1, inf\\). Got 0"),
        ({"n_rows": 2.5}, "n_rows must be an int in the range \\[1, inf\\). Got 2.5"),
        ({"horizon": 0}, "horizon must be an int in the range \\[1, inf\\). Got 0"),
        ({"horizon": True}, "horizon must be an int in the range \\[1, inf\\). Got True"),
    ],
)
def test_bad_input(changed, problem):
    with pytest.raises(ValueError, match=problem):
        detection_scores(**{"drifts": [5], "detections": [6], "n_rows": 10, **changed})
