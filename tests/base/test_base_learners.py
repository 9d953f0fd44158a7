"""Training of members: rows and seeds."""

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from driftlearn import AUE2Classifier, CARTClassifier, DTELClassifier
from driftlearn.base.base_learners import drawn, trained, updated
from driftlearn.base.chunk import Chunk

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 2)), np.arange(40) % 2
CLASSES = np.array([0, 1, 2])


def chunk_of(w=None, y=Y):
    return Chunk(X, y, np.ones(40) if w is None else w, CLASSES)


@pytest.mark.parametrize("base", [CARTClassifier(), GaussianNB()])
def test_learners_with_weights_are_trained_on_all_rows(base):
    chunk = chunk_of(np.linspace(1, 2, 40))
    assert drawn(base, chunk, np.random.default_rng(0)) is chunk


def test_learners_without_weights_are_trained_on_a_sample():
    heavy = np.where(np.arange(40) < 10, 1.0, 1e-9)
    rng = np.random.default_rng(0)
    even = chunk_of(np.full(40, 3.0))
    assert drawn(KNeighborsClassifier(), even, rng) is even
    rows = drawn(KNeighborsClassifier(), chunk_of(heavy), rng)
    assert len(rows) == 40 and (rows.w == 1).all()
    assert np.isin(rows.X, X[:10]).all()


def test_restarted_models_have_separate_seeds():
    """A new class restarts an external model with a seed that depends on its seed and the step
    only.
    """
    base = SGDClassifier()
    model = trained(base, chunk_of(), 5)
    news = chunk_of(y=np.arange(40) % 3)
    again = [updated(base, model, seed, news).random_state for seed in ((5, 2), (5, 3), (6, 2))]
    assert len({model.random_state, *again}) == 4
    assert updated(base, model, (5, 2), news).random_state == again[0]
    assert updated(base, model, (5, 2), chunk_of()).random_state == model.random_state


@pytest.mark.parametrize("learner", [AUE2Classifier, DTELClassifier])
def test_restarted_members_are_seeded_by_the_ensemble(learner):
    def seeds(random_state):
        model = learner(SGDClassifier(), random_state=random_state).partial_fit(X, Y)
        model.partial_fit(X, Y).partial_fit(X, np.arange(40) % 3)
        return [member.random_state for member in model.estimators_]

    found = [seeds(random_state) for random_state in (0, 1, 2, 0)]
    assert found[0] == found[3]
    assert len({seed for some in found[:3] for seed in some}) == 9
