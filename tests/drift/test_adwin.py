import inspect
import pickle

import numpy as np
import pytest

from driftlearn.drift import ADWIN
from tests.reference.adwin import AdwinReference


def errors_that_rise(seed=0):
    rng = np.random.default_rng(seed)
    return np.r_[rng.random(500) < 0.1, rng.random(500) < 0.6]


def test_reference():
    detector, reference = ADWIN(delta=0.01, clock=16), AdwinReference(delta=0.01, clock=16)
    found = 0
    for error in errors_that_rise():
        assert detector.update(error) == reference.update(error) == detector.drift_detected
        found += detector.drift_detected
        assert detector.n_detections == found
        assert (detector.width, detector.estimate) == (reference.width, reference.estimate)
        assert detector.variance == reference.variance
    assert found > 0


@pytest.mark.parametrize("most", [2**30, 2**31 - 1])
def test_parts_that_no_window_has(most):
    """The largest valid numbers; a sanitizer detects overflows."""
    detector = ADWIN(min_sub=most, clock=1)
    assert not any(map(detector.update, errors_that_rise()))


def test_input_is_documented_as_errors():
    """With correct predictions in place of errors, a detector reports improvements as increases."""
    assert list(inspect.signature(ADWIN.update).parameters) == ["self", "error"]
    fed_errors, fed_hits = ADWIN(), ADWIN()
    rose = {"errors": set(), "hits": set()}
    for error in errors_that_rise():
        if fed_errors.update(error):
            rose["errors"].add(fed_errors.rising)
        if fed_hits.update(1 - error):
            rose["hits"].add(fed_hits.rising)
    assert rose == {"errors": {True}, "hits": {False}}
    assert fed_errors.estimate > 0.5 > fed_hits.estimate


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_only_finite_errors(bad):
    detector = ADWIN()
    detector.update(0.5)
    with pytest.raises(ValueError, match="error must be finite"):
        detector.update(bad)
    assert (detector.width, detector.estimate) == (1, 0.5)


def test_reset_restores_the_initial_state():
    detector = ADWIN()
    for error in errors_that_rise():
        detector.update(error)
    assert detector.n_detections > 0
    assert detector.reset() is detector
    assert (detector.width, detector.estimate, detector.variance) == (0, 0.0, 0.0)
    assert (detector.n_detections, detector.drift_detected, detector.rising) == (0, False, False)


def test_pickles_and_states_continue_identically():
    errors = errors_that_rise(3)
    detector = ADWIN(delta=0.05, clock=10, max_buckets=4, min_window=20, min_sub=7)
    for error in errors[:550]:
        detector.update(error)
    others = [pickle.loads(pickle.dumps(detector)), ADWIN().set_state(detector.get_state())]
    expected = [detector.update(error) for error in errors[550:]]
    for other in others:
        assert [other.update(error) for error in errors[550:]] == expected
        assert vars(other).keys() == vars(detector).keys()
        assert other.reset().delta == 0.05
        assert (other.clock, other.max_buckets, other.min_window, other.min_sub) == (10, 4, 20, 7)


def test_repr_shows_the_estimate():
    detector = ADWIN()
    detector.update(1)
    assert repr(detector) == "ADWIN(delta=0.002, width=1, estimate=1)"
