"""`fit` with a single table."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

import driftlearn
from driftlearn.checks._suite import same
from driftlearn.ensemble import ChunkClassifier
from driftlearn.streams import SEA

X, Y = SEA(n_rows=2_650, noise=0.1, random_state=0).take(2_650)
LEARNERS = [
    kind
    for name in driftlearn.__all__
    if isinstance(kind := getattr(driftlearn, name), type) and issubclass(kind, ChunkClassifier)
]
ONE_MODEL = {driftlearn.RefitClassifier, driftlearn.SMOTEClassifier}


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_long_table_is_cut(learner):
    """It equals consecutive chunks; learners with a single model get all rows."""
    w = np.linspace(0.5, 2.0, len(Y))
    model = learner(random_state=0).fit(X, Y, sample_weight=w)
    chunked = learner(random_state=0)
    size = len(Y) if learner in ONE_MODEL else 530
    for start in range(0, len(Y), size):
        rows = slice(start, start + size)
        chunked.partial_fit(X[rows], Y[rows], sample_weight=w[rows])
    assert model.step_ == chunked.step_ == (1 if learner in ONE_MODEL else 5)
    same(model, chunked, X[:300], "a table, and its chunks")


def test_others_are_not():
    model = driftlearn.AWEClassifier
    assert model().fit(X[:2_499], Y[:2_499]).step_ == 1
    assert model().partial_fit(X, Y).step_ == 1
    assert model(chunk_size=1_000).fit(X, Y).step_ == 3


def test_cross_validation_evaluates_the_ensemble():
    class Counts(driftlearn.AWEClassifier):
        def score(self, X, y):
            return self.n_members_

    assert cross_val_score(Counts(), X, Y, cv=20).tolist() == [5] * 20


def test_buffered_rows_are_kept_without_chunk_size():
    model = driftlearn.AWEClassifier(chunk_size=50).partial_fit(X[:70], Y[:70])
    model.set_params(chunk_size=None).partial_fit(X[70:100], Y[70:100])
    assert model.waiting_ is None and model.step_ == 2
    cut = driftlearn.AWEClassifier().partial_fit(X[:50], Y[:50]).partial_fit(X[50:100], Y[50:100])
    same(model, cut, X[:300], "rows that waited, and their chunk")
