import copy

import numpy as np
import pytest

from driftlearn.drift.block import BlockTest
from tests.reference.flb import FLBReference


def test_reference():
    """The same blocks are changes as by the reference's two-pass mean and deviation."""
    rng = np.random.default_rng(0)
    test, reference, found = BlockTest(), FLBReference(None), 0
    for k in range(300):
        error = rng.binomial(100, 0.1 + 0.2 * (k // 40 % 2)) / 100
        changed = reference._changed(1 - error, 100)
        reference.accuracies = [] if changed else [*reference.accuracies, 1 - error]
        assert test.update(error=error, n=100) == changed == test.drift_detected
        assert test.n_blocks == len(reference.accuracies)
        found += changed
    assert test.n_detections == found >= 3


def test_only_what_gets_worse_is_a_change():
    test = BlockTest()
    for error in (0.5, 0.52, 0.5, 0.48, 0.5, 0.0):
        assert not test.update(error=error, n=200)


def test_level_is_the_share_of_false_alarms():
    rng = np.random.default_rng(1)
    for level in (0.1, 0.01):
        alarms = 0
        for _ in range(3000):
            test = BlockTest(level, min_blocks=40)
            *before, error = rng.binomial(1000, 0.3, size=41) / 1000
            for earlier in before:
                assert not test.update(earlier, 1000)
            alarms += test.update(error, 1000)
        assert alarms / 3000 == pytest.approx(level, rel=0.3)


def test_perfect_blocks_do_not_make_one_mistake_a_change():
    test = BlockTest()
    for _ in range(10):
        assert not test.update(0.0, 100)
    assert not test.update(0.01, 100)
    assert test.update(0.06, 100)
    assert (test.n_blocks, test.mean) == (0, 0.0)


def test_state():
    test = BlockTest(0.05)
    for error in (0.1, 0.2, 0.15, 0.1, 0.12, 0.14):
        test.update(error, 50)
    other = BlockTest().set_state(copy.deepcopy(test.get_state()))
    assert other.update(0.9, 50) and test.update(0.9, 50)
    assert other.get_state() == test.get_state()
    assert test.reset().n_detections == 0
    assert repr(test) == "BlockTest(level=0.05, n_blocks=0, mean=0)"


@pytest.mark.parametrize("level", [0.0, 1.0])
def test_bad_level(level):
    with pytest.raises(ValueError, match=r"level.*must be a float in the range"):
        BlockTest(level)


@pytest.mark.parametrize("error", [-0.1, 1.1, float("nan")])
def test_bad_error(error):
    with pytest.raises(ValueError, match="error must be in the range"):
        BlockTest().update(error, 10)
