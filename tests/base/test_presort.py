import numpy as np
import pytest

from driftlearn.base._presort import presort

RNG = np.random.default_rng(0)
COLUMNS = {
    "spread": RNG.normal(size=400),
    "of all sizes": RNG.normal(size=400) * 10.0 ** RNG.integers(-70, 70, 400),
    "small integers": RNG.integers(-9, 9, 400).astype(float),
    "two values": RNG.choice([2.5, -1.0], 400),
    "one value": np.full(400, 3.0),
    "zeros of both signs": RNG.choice([0.0, -0.0, 1.0], 400),
    "gaps": np.where(RNG.random(400) < 0.2, np.nan, RNG.normal(size=400)),
    "one value and gaps": np.where(RNG.random(400) < 0.2, np.nan, 1.0),
    "close together, falling": 1.0 + np.arange(400)[::-1] * 2.0**-52,
    "close together but for one": np.append(1.0 + RNG.random(399) * 1e-9, 1e300),
    "infinite": RNG.choice([np.inf, -np.inf, 0.0, 1.0], 400),
    "one row": np.ones(1),
    "two rows": np.array([1.0, -1.0]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_order_is_that_of_a_stable_sort(name):
    column = COLUMNS[name]
    X = np.column_stack([column, column[::-1]])
    for f, order in enumerate(presort(X)):
        np.testing.assert_array_equal(order, np.argsort(X[:, f], kind="stable"))
