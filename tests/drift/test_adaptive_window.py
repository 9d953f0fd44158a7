import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlearn.drift._adwin_window import AdaptiveWindow
from tests.reference.adwin import AdwinReference


def drifting(n, seed, binary=True, every=400):
    rng = np.random.default_rng(seed)
    level = rng.random(n // every + 1)[np.arange(n) // every]
    return (rng.random(n) < level).astype(float) if binary else rng.random(n) * level


def follow(adwin, reference, errors):
    """Update both and return the number of changes; all numbers must agree."""
    changes = 0
    for error in errors:
        changed = adwin.update(error)
        assert changed == reference.update(error)
        changes += changed
        assert (adwin.width, adwin.total) == (reference.width, reference.total)
        assert (adwin.estimate, adwin.variance) == (reference.estimate, reference.variance)
    return changes


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_reference(seed, binary):
    assert follow(AdaptiveWindow(), AdwinReference(), drifting(3000, seed, binary)) > 0


@given(
    seed=st.integers(0, 10**6),
    how=st.fixed_dictionaries(
        {
            "delta": st.sampled_from([1e-6, 0.002, 0.3, 0.9]),
            "clock": st.integers(1, 40),
            "max_buckets": st.integers(1, 8),
            "min_window": st.integers(1, 60),
            "min_sub": st.integers(0, 20),
        }
    ),
)
def test_reference_with_any_parameters(seed, how):
    errors = drifting(400, seed, every=100)
    follow(AdaptiveWindow(**how), AdwinReference(**how), errors)


@pytest.mark.parametrize("min_sub", [0, 1])
def test_either_side_of_a_cut_is_larger_than_the_least(min_sub):
    """One error after many correct predictions would be a cut if parts could be that short."""
    how = {"delta": 0.9, "clock": 1, "min_window": 1, "min_sub": min_sub}
    errors = np.r_[np.zeros(200), np.ones(20), np.zeros(20)]
    adwin = AdaptiveWindow(**how)
    assert follow(adwin, AdwinReference(**how), errors) > 0
    first = next(
        n for n in range(1, 20) if any(map(AdaptiveWindow(**how).update, errors[: 200 + n]))
    )
    assert first > min_sub + 1
    how["max_buckets"] = 300
    follow(AdaptiveWindow(**how), AdwinReference(**how), np.r_[np.ones(min_sub + 1), np.zeros(150)])


def test_buckets_are_the_references():
    adwin, reference = AdaptiveWindow(), AdwinReference()
    follow(adwin, reference, drifting(1000, 5, binary=False))
    state = adwin.get_state()
    mine = [
        (2**row, state["bucket_sum"][row, k], state["bucket_var"][row, k])
        for row in reversed(range(len(state["count"])))
        for k in range(state["count"][row])
    ]
    assert mine == reference.buckets()


def test_estimate_is_the_mean_of_the_latest_errors():
    errors = drifting(2000, 1, binary=False)
    adwin = AdaptiveWindow()
    for n, error in enumerate(errors, start=1):
        adwin.update(error)
        if n % 100 == 0:
            latest = errors[n - adwin.width : n]
            assert adwin.estimate == pytest.approx(latest.mean())
            assert adwin.variance == pytest.approx(latest.var())


def test_rising_distinguishes_increase_and_decrease():
    for before, after, worse in ((0.1, 0.7, True), (0.7, 0.1, False)):
        rng = np.random.default_rng(0)
        adwin = AdaptiveWindow()
        found = []
        for level in (before, after):
            for _ in range(500):
                if adwin.update(float(rng.random() < level)):
                    found.append(adwin.rising)
                else:
                    assert not adwin.rising
        assert found
        assert set(found) == {worse}


def test_constant_errors_never_alarm():
    adwin = AdaptiveWindow()
    assert not any(adwin.update(0.1) for _ in range(5000))
    assert adwin.width == adwin.n_updates == 5000
    assert adwin.variance == pytest.approx(0, abs=1e-12)


def test_empty_window():
    adwin = AdaptiveWindow()
    assert (adwin.width, adwin.estimate, adwin.variance) == (0, 0.0, 0.0)


def test_copies_pickles_and_states_continue_identically():
    errors = drifting(1500, 9)
    adwin = AdaptiveWindow(delta=0.01, clock=8)
    for error in errors[:700]:
        adwin.update(error)
    restored = AdaptiveWindow()
    restored.set_state(adwin.get_state())
    others = [adwin.copy(), pickle.loads(pickle.dumps(adwin)), restored]
    expected = [adwin.update(error) for error in errors[700:]]
    assert any(expected)
    for other in others:
        assert [other.update(error) for error in errors[700:]] == expected
        assert (other.total, other.variance) == (adwin.total, adwin.variance)


@pytest.mark.parametrize("bad", [{"delta": 0.0}, {"delta": 1.0}, {"clock": 0}, {"max_buckets": 0}])
def test_bad_parameters(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        AdaptiveWindow(**bad)


def test_restored_windows_get_the_same_state():
    """Also after a bucket row was dropped and is used again."""
    rng = np.random.default_rng(0)
    errors = [*(rng.random(5_000) < np.repeat([0.1, 0.6, 0.2, 0.9, 0.3], 1_000)).astype(float)]
    window, n_rows = AdaptiveWindow(), []
    for begin in range(0, len(errors), 50):
        restored = AdaptiveWindow()
        restored.set_state(window.get_state())
        for each in (window, restored):
            for error in errors[begin : begin + 50]:
                each.update(error)
        state, other = window.get_state(), restored.get_state()
        assert all(np.array_equal(state[name], other[name]) for name in state)
        n_rows.append(len(state["count"]))
    assert min(np.diff(n_rows)) < 0
