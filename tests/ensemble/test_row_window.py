import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlearn.ensemble._row_window import RowWindow
from driftlearn.ensemble.boosting._fixed_models import FixedStumps


@given(
    seed=st.integers(0, 10**6),
    size=st.integers(1, 20),
    n_values=st.integers(1, 30),
    steps=st.lists(st.integers(1, 9), max_size=30),
)
def test_rows_in_the_order_of_age_and_of_value(seed, size, n_values, steps):
    """Rows, counts and order after any changes between two sorts."""
    rng = np.random.default_rng(seed)
    window, rows, labels, weights = RowWindow(2, 3, size), [], [], []
    for step in steps:
        for _ in range(step):
            x, y, w = rng.integers(n_values, size=2) - 3.0, rng.integers(3), rng.random()
            window.append(x[None], 0, y, w)
            rows, labels, weights = [*rows, x], [*labels, y], [*weights, w]
        kept = size if rng.random() < 0.7 else int(rng.integers(1, size + 1))
        window.shrink(kept)
        rows, labels, weights = (values[-size:][-kept:] for values in (rows, labels, weights))
        assert window.rows().tolist() == np.array(rows).tolist()
        assert window.labels().tolist() == labels
        assert window.n_present == len(set(labels))
        predicted = np.empty(window.n, dtype=np.int16)
        found, fresh = FixedStumps(), FixedStumps()
        found.train(window, np.array(weights), window, predicted)
        found.admit()
        again = pickle.loads(pickle.dumps(window))
        fresh.train(again, np.array(weights), again, predicted)
        fresh.admit()
        for name, value in found.get_state().items():
            assert value.tolist() == fresh.get_state()[name].tolist()


def test_codes_move_with_the_rows():
    window = RowWindow(1, 2, 3)
    for k in range(20):
        window.append(np.array([[float(k)]]), 0, k % 2, 1.0)
        if k == 5:
            window.add_member(np.array([0, 1, 0], dtype=np.int16))
    state = window.get_state()
    assert state["X"][:, 0].tolist() == [17, 18, 19]
    assert state["codes"].shape == (3, 1)
    window.widen(np.array([1, 2]), 3)
    assert window.labels().tolist() == [2, 1, 2]
    assert window.n_present == 2


@pytest.mark.parametrize(("name", "code"), [("y", 2), ("codes", -1)])
def test_a_state_with_a_class_that_is_not_there(name, code):
    window = RowWindow(1, 2, 3)
    window.append(np.array([[1.0]]), 0, 1, 1.0)
    window.add_member(np.array([0], dtype=np.int16))
    state = window.get_state()
    state[name].flat[0] = code
    with pytest.raises(ValueError, match="out of range for 2 classes"):
        RowWindow(1, 2, 3).set_state(state)
