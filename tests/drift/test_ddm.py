import math

import numpy as np

from driftlearn.drift import DDM


def test_levels_by_hand():
    """Nine correct predictions and an error, repeatedly: the lowest rate is that of 39 errors."""
    quiet = ([0] * 9 + [1]) * 4
    p_min = min(
        (sum(quiet[:n]) / n for n in range(31, 41)),
        key=lambda p: p + math.sqrt(p * (1 - p) / 39),
    )
    assert p_min == 3 / 39
    s_min = math.sqrt(p_min * (1 - p_min) / 39)
    detector = DDM()
    assert not detector.update_many(quiet).size
    assert not detector.warning_detected
    for k in range(1, 50):
        p = (4 + k) / (40 + k)
        reached = (p + math.sqrt(p * (1 - p) / (40 + k)) - p_min) / s_min
        assert detector.update(1) == (reached >= 3)
        assert detector.warning_detected == (2 <= reached < 3)
        if detector.drift_detected:
            break
    assert (detector.width, detector.estimate) == (0, 0.0)
    assert detector.n_warning > 1


def test_the_warning_zone_is_counted():
    rng = np.random.default_rng(4)
    errors = np.concatenate([rng.random(300) < p for p in (0.2, 0.35, 0.2, 0.5)])
    detector, count, left = DDM(), 0, 0
    for error in errors:
        before = count
        detector.update(error)
        assert not (detector.drift_detected and detector.warning_detected)
        in_zone = detector.drift_detected or detector.warning_detected
        left += before > 0 and not in_zone
        count = before + 1 if in_zone else 0
        assert detector.n_warning == count
        if detector.drift_detected:
            count = 0
    assert detector.n_detections and left


def test_always_right_is_no_alarm_and_the_first_mistake_is():
    assert not DDM().update_many(np.zeros(1000)).size
    assert not DDM().update_many(np.ones(1000)).size
    assert DDM().update_many([0.0] * 50 + [1.0]).tolist() == [50]
    assert not DDM(min_window=51).update_many([0.0] * 50 + [1.0]).size


def test_only_what_gets_worse_is_a_change():
    rng = np.random.default_rng(0)
    assert not DDM().update_many(np.r_[rng.random(500) < 0.6, rng.random(500) < 0.1]).size


def test_levels_are_reached_at_equality():
    def rate(p, n):
        return p + math.sqrt(p * (1.0 - p) / n)

    s_min = math.sqrt(1 / 8)
    level = (rate(3 / 4, 4) - 1 / 2) / s_min
    near = [level * (1 + k * 2**-52) for k in range(-20, 21)]
    equal = [each for each in near if 1 / 2 + each * s_min == rate(3 / 4, 4)]
    beyond = [each for each in near if 1 / 2 + each * s_min > rate(3 / 4, 4)]
    assert equal and beyond
    for each in near:
        found = DDM(each, each, min_window=1).update_many([0, 1, 1, 1]).tolist()
        assert found == ([] if each in beyond else [3])
