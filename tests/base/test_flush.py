"""Training on the buffered rows of an incomplete chunk or block."""

import numpy as np
import pytest

from driftlearn import CARTClassifier, FLBClassifier, LearnPPNSEClassifier, RefitClassifier
from driftlearn.io import dumps, loads
from tests.ensemble.boosting.boosted_cases import bands

X, Y, _ = bands(1, 100, noise=0.1)


class Refuses(CARTClassifier):
    """Tree that cannot be grown on few rows."""

    def _learn(self, chunk):
        if len(chunk) < 35:
            raise RuntimeError("too few rows")
        super()._learn(chunk)


@pytest.mark.parametrize("learner", [LearnPPNSEClassifier, RefitClassifier])
def test_after_loading(learner):
    """A loaded learner flushes the rows that were buffered when it was saved, bit-identically."""
    model = learner(chunk_size=40).partial_fit(X, Y)
    loaded = loads(dumps(model))
    assert len(loaded.waiting_) == 20
    assert dumps(loaded.flush()) == dumps(model.flush())
    assert model.waiting_ is None and model.step_ == 3


def test_new_class_among_buffered_rows():
    model = LearnPPNSEClassifier(chunk_size=30).partial_fit(X[:10], np.full(10, 5))
    model.partial_fit(X[10:20], np.full(10, 3)).flush()
    assert model.classes_.tolist() == [3, 5]
    assert model.members_["classes"][0] == [3, 5]


def test_rejected_rows_remain_buffered():
    model = LearnPPNSEClassifier(Refuses(), chunk_size=40).partial_fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(RuntimeError, match="too few"):
        model.flush()
    assert len(model.waiting_) == 20 and model.step_ == 2
    np.testing.assert_array_equal(before, model.predict_proba(X))


def test_empty_buffer():
    assert not hasattr(LearnPPNSEClassifier(chunk_size=9).flush(), "classes_")
    assert LearnPPNSEClassifier().partial_fit(X, Y).flush().step_ == 1
    assert not hasattr(FLBClassifier().flush(), "classes_")


def test_a_block():
    """`flush` equals what `fit` does with the last rows; if it fails, all rows remain buffered."""
    model = FLBClassifier(block_size=40, random_state=0).partial_fit(X, Y)
    whole = FLBClassifier(block_size=40, random_state=0).fit(X, Y)
    assert model.waiting_.n == 20
    np.testing.assert_array_equal(model.flush().predict_proba(X), whole.predict_proba(X))
    assert model.waiting_.n == 0 and len(model.flush().members_) == len(whole.members_)

    model = FLBClassifier(Refuses(), block_size=40, random_state=0).partial_fit(X, Y)
    before, draws = model.predict_proba(X), model.rng_.bit_generator.state
    with pytest.raises(RuntimeError, match="too few"):
        model.flush()
    assert model.waiting_.n == 20 and model.rng_.bit_generator.state == draws
    np.testing.assert_array_equal(before, model.predict_proba(X))
