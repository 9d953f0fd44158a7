import numpy as np
import pytest
from scipy.stats import ks_2samp

from driftlearn.drift import KSWIN
from driftlearn.drift._sampled_window import bound, exact_limit, p_value


def drawn(rng, n, size):
    """Return sample positions among n by a Fisher-Yates shuffle."""
    places = list(range(n))
    for k, uniform in enumerate(rng.random(size)):
        j = k + int(uniform * (n - k))
        places[k], places[j] = places[j], places[k]
    return places[:size]


# scipy uses another method if rounding makes a probability larger than 1
rounded = pytest.mark.filterwarnings("ignore:ks_2samp. Exact calculation unsuccessful")


@rounded
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("kind", ["binary", "few", "normal"])
@pytest.mark.parametrize(("window_size", "sample_size"), [(100, 30), (40, 20), (7, 2)])
def test_every_distance_is_that_of_scipy(window_size, sample_size, kind, exact):
    rng = np.random.default_rng(1)
    errors = np.concatenate([rng.normal(mean, size=300) for mean in (0, 1.5, -1)])
    if kind != "normal":
        errors = np.round(errors) if kind == "few" else (errors > 0.5).astype(float)
    level = 0.02 if window_size > 7 else 0.4
    detector = KSWIN(level, window_size, sample_size, exact, random_state=5)
    draws, window, found = np.random.default_rng(5), [], 0
    for error in errors:
        window = [*window, error][-window_size:]
        changed, expected, rising = False, 0.0, False
        if len(window) == window_size:
            older, newest = window[:-sample_size], window[-sample_size:]
            sample = [older[k] for k in drawn(draws, len(older), sample_size)]
            test = ks_2samp(sample, newest, method="exact")
            expected = test.statistic
            limit = np.sqrt(-np.log(level) / sample_size)
            changed = test.pvalue <= level if exact else expected > limit
            if changed:
                rising = np.mean(newest) > np.mean(older)
                window = newest
                found += 1
        assert detector.update(error) == changed
        assert detector.distance == pytest.approx(expected, abs=1e-12)
        assert detector.rising == rising
        assert detector.width == len(window)
        assert detector.estimate == pytest.approx(np.mean(window))
    assert detector.n_detections == found > 0


@rounded
@pytest.mark.parametrize("n", [1, 2, 3, 10, 30, 57])
def test_p_values_are_those_of_scipy(n):
    for k in range(1, n + 1):
        sample = np.arange(n)
        test = ks_2samp(sample, sample + k - 0.5, method="exact")
        assert test.statistic == pytest.approx(k / n)
        assert p_value(k, n) == pytest.approx(test.pvalue, abs=1e-12)


def test_limits():
    assert [bound(level, 30) for level in (1.0, 0.005, 1e-5, 1e-20)] == [1, 13, 19, 31]
    assert [exact_limit(level, 30) for level in (1.0, 0.005, 1e-5, 1e-20)] == [1, 14, 19, 31]


def test_draws_are_fair():
    """Return how often each of the older errors is in the sample."""
    detector = KSWIN(1e-9, window_size=10, sample_size=3, random_state=0)
    hits = 0
    for k in range(7000):
        detector.update(1.0 if k % 10 == 0 else 0.0)
        hits += detector.distance > 0 and k % 10 in (3, 4, 5, 6, 7, 8, 9)
    assert hits / 4900 == pytest.approx(3 / 7, abs=0.03)


def test_seeds():
    rng = np.random.default_rng(0)
    errors = np.concatenate([rng.random(500) < p for p in (0.1, 0.5, 0.2)])
    found = [tuple(KSWIN(random_state=seed).update_many(errors)) for seed in (0, 0, 1, 2, 3, None)]
    assert found[0] == found[1] and len({*found}) > 1


def test_a_change_of_spread_is_seen():
    rng = np.random.default_rng(0)
    errors = np.r_[rng.normal(size=500), rng.normal(scale=6, size=100)]
    found = KSWIN(1e-3, 300, 60, random_state=0).update_many(errors)
    assert len(found) == 1 and 500 < found[0] < 600
