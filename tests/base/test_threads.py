"""Several threads on one learner: readers see the model before or after, writers wait."""

import threading

import numpy as np
import pytest
from sklearn.utils import get_tags

import driftlearn
from driftlearn import persist

LEARNERS = [
    getattr(driftlearn, name)
    for name in driftlearn.__all__
    if name.endswith("Classifier") and hasattr(getattr(driftlearn, name)(), "partial_fit")
]
SLOW = {"MLPGoalClassifier": 4, "WindowedAdaBoostClassifier": 6, "FuzzyARTMAPClassifier": 6}
rng = np.random.default_rng(0)
X = rng.random((60 * 25, 3))
Y = np.where(X[:, 0] + X[:, 1] > 1, 1, 0)
MANY = Y.copy()
MANY[600::5] = 2
MANY[900::7] = 3


def made(kind):
    params = kind().get_params()
    small = {"n_estimators": 5} if "n_estimators" in params and "prune" not in params else {}
    return kind(**small, **({"random_state": 0} if "random_state" in params else {}))


def chunks(kind):
    y = MANY if get_tags(kind()).classifier_tags.multi_class else Y
    n = SLOW.get(kind.__name__, 60)
    return [(X[k * 25 : k * 25 + 25], y[k * 25 : k * 25 + 25]) for k in range(n)]


@pytest.mark.compiled
@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_readers_see_one_moment(kind):
    """What a reader gets is what the model said before or after some chunk, never a mixture."""
    rows = chunks(kind)
    asked = X[:40]
    alone = made(kind)
    right = set()
    for x, y in rows:
        alone.partial_fit(x, y)
        right.add((alone.predict_proba(asked).tobytes(), tuple(alone.predict(asked).tolist())))
    probas, labels = ({pair[k] for pair in right} for k in (0, 1))
    model, wrong, done = made(kind).partial_fit(*rows[0]), [], threading.Event()

    def read():
        try:
            while not done.is_set():
                if model.predict_proba(asked).tobytes() not in probas:
                    wrong.append("a mixture of probabilities")
                if tuple(model.predict(asked).tolist()) not in labels:
                    wrong.append("a mixture of labels")
                if hasattr(model, "members_"):
                    len(model.members_)
        except Exception as problem:
            wrong.append(repr(problem))

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for x, y in rows[1:]:
        model.partial_fit(x, y)
    done.set()
    for reader in readers:
        reader.join()
    assert not wrong, wrong[0]
    np.testing.assert_array_equal(model.predict_proba(asked), alone.predict_proba(asked))


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_writers_wait_for_each_other(kind):
    """Two threads teach one model at once: all chunks are learned, each whole."""
    rows = chunks(kind)[:8]
    model, wrong = made(kind), []

    def write(mine):
        try:
            for x, y in mine:
                model.partial_fit(x, y)
        except Exception as problem:
            wrong.append(repr(problem))

    writers = [threading.Thread(target=write, args=(rows[k::2],)) for k in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert not wrong, wrong[0]
    if hasattr(model, "n_rows_"):
        assert model.n_rows_ == 25 * len(rows)
    elif hasattr(model, "step_"):
        assert model.step_ == len(rows)
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("kind", [driftlearn.DWMClassifier, driftlearn.SEAClassifier])
def test_a_learner_is_saved_between_calls(kind):
    """What is saved while another thread teaches is the model before or after some chunk."""
    rows = chunks(kind)
    alone, right = made(kind), set()
    for x, y in rows:
        right.add(persist.dumps(alone.partial_fit(x, y)))
    model, done, saved = made(kind).partial_fit(*rows[0]), threading.Event(), []

    def save():
        while not done.is_set() or not saved:
            saved.append(persist.dumps(model))

    saver = threading.Thread(target=save)
    saver.start()
    for x, y in rows[1:]:
        model.partial_fit(x, y)
    done.set()
    saver.join()
    assert {*saved} <= right
