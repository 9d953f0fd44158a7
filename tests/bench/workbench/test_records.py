"""Records survive packing, whatever their classes do."""

import numpy as np
import pytest

from driftlearn.bench.workbench.records import pack, unpack
from driftlearn.evaluate import Step


def step(k, classes):
    rng = np.random.default_rng(k)
    classes = np.array(classes)
    counts = rng.integers(0, 9, (len(classes), len(classes)))
    numbers = rng.random(8)
    numbers[k % 8] = np.nan
    log_loss, fit, predict, *others = numbers.tolist()
    return Step("x", k, 10 * k, 10 * k + 10, classes, counts, log_loss, 10, fit, predict, *others,
                rng.random((3, 10)))  # fmt: skip


@pytest.mark.parametrize(
    "lists",
    [[], [[0, 1]], [[0, 1]] * 4, [[], [], ["a"], ["a", "b"], ["a", "b"]], [[1], [1, 2], [1, 2, 3]]],
    ids=len,
)
def test_packing_is_undone(lists):
    steps = [step(k, classes) for k, classes in enumerate(lists)]
    again = unpack("x", pack(steps))
    assert len(again) == len(steps)
    for one, other in zip(steps, again):
        np.testing.assert_array_equal(one.classes, other.classes)
        np.testing.assert_array_equal(one.confusion, other.confusion)
        assert repr(one) == repr(other)
