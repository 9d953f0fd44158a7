"""Prediction sets compared with their reference, and the reference with an example by hand."""

import numpy as np
import pytest

from driftlearn.model_selection import PredictionSets
from tests.reference.conformal import ReferenceSets, pinball

N_CLASSES = 3


def predictions(n_rows, seed=0):
    """Return probabilities that are right at first, then those of two classes swapped."""
    rng = np.random.default_rng(seed)
    probas = rng.dirichlet(np.ones(N_CLASSES), n_rows).round(2)  # with ties
    y = np.array([rng.choice(N_CLASSES, p=p / p.sum()) for p in probas])
    probas[n_rows // 2 :] = probas[n_rows // 2 :][:, [1, 0, 2]]
    return probas, y


def both(probas, y, size, delay=0):
    """Return the sets and their reference after training on chunks; single rows if it is 1."""
    sets, reference, sizes = PredictionSets(N_CLASSES), ReferenceSets(), []
    for begin in range(0, len(y), size):
        rows = slice(begin, begin + size)
        before = sum(sizes[: max(len(sizes) - delay, 0)])
        if size == 1:
            sets.update_rows(probas[rows], y[rows])
        else:
            sets.update(probas[rows], y[rows], delay)
        sizes.append(min(len(y[rows]), 1000))
        reference.update(as_dicts(probas[rows]), y[rows].tolist(), before)
    return sets, reference


def as_dicts(probas):
    return [dict(enumerate(p)) for p in probas.tolist()]


@pytest.mark.parametrize("n_rows", [1, 40, 700])
@pytest.mark.parametrize(("size", "delay"), [(1, 0), (70, 0), (70, 3)])
@pytest.mark.parametrize("by_label", [False, True])
def test_sets(n_rows, size, delay, by_label):
    probas, y = predictions(n_rows)
    sets, reference = both(probas, y, size, delay)
    new, _ = predictions(6, seed=1)
    for coverage in (0.5, 0.9):
        found = sets.predict(new, coverage, by_label=by_label, allow_empty=True)
        expected = reference.sets(as_dicts(new), coverage, by_label, allow_empty=True)
        assert [{*np.flatnonzero(row).tolist()} for row in found] == expected


def test_rates_are_equal_to_rounding():
    probas, y = predictions(3100)  # of which the first 1,000 are not replayed
    for size, delay in ((50, 0), (90, 2)):
        sets, reference = both(probas, y, size, delay)
        for code in (None, 1):
            assert sets._rate(0.9, code) == pytest.approx(reference.rate(0.9, code), abs=1e-12)


def test_long_steps():
    probas, y = predictions(2500)
    sets, reference = both(probas, y, 1200, 1)
    found = sets.predict(probas[:9], 0.8, allow_empty=True)
    expected = reference.sets(as_dicts(probas[:9]), 0.8, allow_empty=True)
    assert [{*np.flatnonzero(row).tolist()} for row in found] == expected
    assert sets.n_rows == len(reference.rows) == 2100


def test_reference_by_hand():
    """Three rows: the first has no p-value, the others have 1/2 and 1/3."""
    reference = ReferenceSets()
    for p in (0.75, 0.5, 0.25):
        reference.update([{0: p, 1: 1 - p}], [0])
    assert [row[4] for row in reference.rows] == [None, 1 / 2, 1 / 3]
    # A p-value of 1/2 is not below the rate 0.5, which increases by 0.5 times each step size. The
    # next one is below, so the rates go back. The larger step sizes have larger losses, but all
    # rates are equal.
    assert reference.rate(0.5) == pytest.approx(0.5, abs=1e-12)
    assert pinball(0.1, 0.5, 0.3) == pytest.approx(0.02)
    assert pinball(0.1, 0.2, 0.3) == pytest.approx(0.09)
    # Scores of 0.25 and 0.75 have the p-values 4/4 and 2/4 among 0.25, 0.5 and 0.75.
    assert reference.sets([{0: 0.75, 1: 0.25}], 0.4, allow_empty=True) == [{0}]
    assert reference.sets([{0: 0.75, 1: 0.25}], 0.8, allow_empty=True) == [{0, 1}]
