import numpy as np
import pytest

from driftlearn.drift import PageHinkley


def statistics(errors, delta, fading=1.0):
    """Return the distances of both sums from their extremes after each error, by definition."""
    means = np.cumsum(errors) / np.arange(1, len(errors) + 1)
    rising, falling = [], []
    for t in range(1, len(errors) + 1):
        weights = fading ** np.arange(t - 1, -1, -1)
        rising.append(weights @ (errors[:t] - means[:t] - delta))
        falling.append(weights @ (errors[:t] - means[:t] + delta))
    return rising - np.minimum.accumulate(rising), np.maximum.accumulate(falling) - falling


@pytest.mark.parametrize("fading", [1.0, 0.99])
@pytest.mark.parametrize("direction", ["rising", "falling", "both"])
@pytest.mark.parametrize("levels", [(0.2, 0.7), (0.8, 0.3)], ids=["worse", "better"])
def test_definition(levels, direction, fading):
    rng = np.random.default_rng(2)
    errors = np.concatenate([rng.normal(level, 0.3, 200) for level in levels])
    up, down = statistics(errors, 0.02, fading)
    watched = {"rising": up, "falling": down, "both": np.maximum(up, down)}[direction]
    late = np.arange(len(errors)) >= 25
    expected = np.flatnonzero((watched > 8) & late)[:1]
    detector = PageHinkley(8, 0.02, min_window=25, fading=fading, direction=direction)
    found = [i for i, error in enumerate(errors) if detector.update(error)][:1]
    assert found == expected.tolist()
    assert bool(found) == (direction in ("both", "rising" if levels[0] < 0.5 else "falling"))


def test_rising_is_the_direction():
    errors = np.r_[np.zeros(100), np.ones(200), np.zeros(300)]
    detector = PageHinkley(10, direction="both")
    found = {i: detector.rising for i, error in enumerate(errors) if detector.update(error)}
    assert [*found.values()] == [True, False]
    assert not detector.rising


def test_no_alarm_up_to_min_window():
    errors = np.r_[np.zeros(10), np.full(30, 1000.0)]
    assert PageHinkley(min_window=0).update_many(errors)[0] == 10
    assert PageHinkley(min_window=30).update_many(errors)[0] == 30


def test_statistics_are_reset_after_a_change():
    rng = np.random.default_rng(0)
    errors = np.r_[rng.random(300) < 0.1, rng.random(700) < 0.8]
    first, *others = PageHinkley(20).update_many(errors)
    assert first > 300
    assert PageHinkley(20).update_many(errors[first + 1 :]).tolist() == [
        other - first - 1 for other in others
    ]


def test_the_largest_errors():
    detector = PageHinkley(direction="both")
    detector.update_many(np.tile([1e100, -1e100], 5000))
    assert np.isfinite(detector.estimate)
