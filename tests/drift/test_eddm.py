import numpy as np

from driftlearn.drift import EDDM


def mistakes_at(distances):
    errors = np.zeros(sum(distances))
    errors[np.cumsum(distances) - 1] = 1
    return errors


def high(distances):
    return np.mean(distances) + 2 * np.std(distances, ddof=1)


def test_levels_by_hand():
    """Thirty distances of 10 and 20 make a peak; consecutive mistakes fall below it."""
    distances = [10, 20] * 15
    peak = high(distances)
    detector, warned = EDDM(), False
    assert not detector.update_many(mistakes_at(distances)).size
    while not detector.drift_detected:
        distances.append(1)
        peak = max(peak, high(distances))
        share = high(distances) / peak
        assert detector.update(1) == (share < 0.9)
        assert detector.warning_detected == (0.9 <= share < 0.95)
        warned |= detector.warning_detected
    assert warned
    assert (detector.width, detector.estimate) == (0, 0.0)


def test_a_warning_lasts_until_a_mistake_ends_it():
    distances = [10, 20] * 15
    detector = EDDM(drift_level=0.5)
    detector.update_many(mistakes_at(distances))
    while not detector.warning_detected:
        distances.append(1)
        detector.update(1)
    assert detector.n_warning == 1
    detector.update_many([0] * 60)
    assert detector.warning_detected and detector.n_warning == 61
    detector.update(1)
    assert not detector.warning_detected and detector.n_warning == 0


def test_search_for_the_peak():
    """A peak of the first distances differs from the peak of the first thirty."""
    errors = mistakes_at([50, 60] + [1] * 29)
    assert high([50, 60]) > high([50, 60] + [1] * 28) / 0.9
    assert not EDDM().update_many(errors).size
    assert EDDM(early_peak=True).update_many(errors).tolist() == [len(errors) - 1]


def test_no_alarm_before_enough_mistakes():
    errors = mistakes_at([50] * 3 + [1] * 27)
    for early_peak in (False, True):
        assert not EDDM(early_peak=early_peak).update_many(errors).size


def test_only_what_gets_worse_is_a_change():
    assert not EDDM().update_many(mistakes_at([2] * 50 + [10] * 50)).size
    assert not EDDM().update_many(np.ones(500)).size
    assert not EDDM().update_many(np.zeros(500)).size


def test_distances_start_at_the_mistake_of_a_change():
    errors = mistakes_at([10, 20] * 15 + [1] * 50)
    end = EDDM().update_many(errors)[0] + 1
    detector, other = EDDM(), EDDM()
    detector.update_many(errors[:end])
    later = mistakes_at([10, 20] * 15 + [1] * 50)
    assert detector.update_many(later).tolist() == other.update_many(later).tolist() != []
    assert detector.estimate == other.estimate > 0
