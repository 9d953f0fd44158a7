import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from driftlearn.ensemble.boosting._subset_sums import look_up, pack, tabulate


@given(seed=st.integers(0, 10**6), n=st.integers(1, 40), m=st.integers(1, 40))
def test_two_products(seed, n, m):
    """The sums equal products of the matrix of correct predictions with a vector."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, size=(n, m + 3)).astype(np.int16)
    y = rng.integers(0, 3, size=n)
    n_bytes, m_bytes = -(-n // 8), -(-m // 8)
    by_member = np.full((n_bytes, 8 * m_bytes), 255, dtype=np.uint8)
    by_row = np.full((m_bytes, 8 * n_bytes), 255, dtype=np.uint8)
    pack(codes, y, m, by_member, by_row)
    right = codes[:, :m] == y[:, None]
    np.testing.assert_allclose(product(by_row, n, m), right @ vector(m))
    np.testing.assert_allclose(product(by_member, m, n), vector(n) @ right)


def vector(size):
    return np.random.default_rng(size).normal(size=size)


def product(bits, n_out, n_in):
    values = np.zeros(8 * len(bits))
    values[:n_in] = vector(n_in)
    table, out = np.empty((len(bits), 256)), np.empty(n_out)
    tabulate(values, table)
    look_up(bits, table, out)
    return out
