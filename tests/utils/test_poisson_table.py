import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlearn.utils._poisson import PoissonTable, chances, poisson

LAST = np.nextafter(1.0, 0.0)


@pytest.mark.parametrize("rate", [1e-9, 0.3, 1.0, 6.0, 40.0, 500.0])
def test_the_draws_are_those_of_inversion(rate):
    table = PoissonTable(rate)
    assert table.rate == rate
    steps = chances(rate)
    near = np.concatenate([np.nextafter(steps, 0), steps, np.nextafter(steps, 1)])
    parts = np.arange(64) / 64
    every = [np.random.default_rng(0).random(300), near, parts, [0.0, LAST]]
    for u in np.concatenate(every):
        if 0.0 <= u < 1.0:
            assert table.draw(u) == poisson(u, rate)


@given(u=st.floats(0.0, LAST), rate=st.floats(1e-3, 20.0))
def test_any_rate(u, rate):
    assert PoissonTable(rate).draw(u) == poisson(u, rate)


def test_numbers_are_of_the_rate():
    table = PoissonTable(6.0)
    drawn = [table.draw((i + 0.5) / 10_000) for i in range(10_000)]
    assert abs(np.mean(drawn) - 6.0) < 0.01
    assert abs(np.var(drawn) - 6.0) < 0.05
