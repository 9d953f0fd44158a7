"""Fixed models of every kind: single predictions, batch predictions, and after a pickle."""

import pickle

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from driftlearn.base.external_model import ClassBook
from driftlearn.ensemble._fixed_model import ExternalTrainer
from driftlearn.ensemble._row_window import RowWindow
from driftlearn.ensemble.boosting._external_models import ExternalModels
from driftlearn.ensemble.boosting._fixed_models import FixedOnlineModels, FixedStumps, roomier
from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
from tests.ensemble.boosting.boosted_cases import Nearest

CLASSES = np.array(["no", "yes"])
KINDS = {
    "stumps": (FixedStumps, None),
    "online": (lambda: FixedOnlineModels(NaiveBayesModel(2, 2)), None),
    "external": (lambda: ExternalModels(ClassBook(CLASSES)), GaussianNB()),
    "no weights": (lambda: ExternalModels(ClassBook(CLASSES)), Nearest()),
}


@pytest.fixture(params=KINDS.values(), ids=list(KINDS))
def made(request):
    """Return eleven models, more than initially fit, each trained on another window."""
    make, base = request.param
    rng = np.random.default_rng(0)
    X = rng.random((70, 2))
    y = (X.sum(axis=1) > 1).astype(int)
    models, window = make(), RowWindow(2, 2, 30)
    models.begin(X, ExternalTrainer(base, CLASSES, rng))
    row_by_row, now, predicted = [], np.zeros(16, dtype=np.int16), np.zeros(30, dtype=np.int16)
    for i in range(70):
        models.vote(X, i, now)
        row_by_row.append(now[: models.n].copy())
        window.append(X, i, y[i], 1.0)
        if i >= 20 and i % 4 == 0 and models.n < 11:
            models.train(window, rng.random(window.n), window, predicted[: window.n])
            models.admit()
            assert models.codes(window.rows())[-1].tolist() == predicted[: window.n].tolist()
    return models, X, row_by_row


def test_one_by_one_and_all_at_once(made):
    models, X, row_by_row = made
    predicted = models.codes(X)
    assert predicted.shape == (11, 70) and len(models.keys()) == len(models.sizes()) == 11
    for i, now in enumerate(row_by_row):
        assert now.tolist() == predicted[: len(now), i].tolist()
    assert models.codes(X, [7, 2]).tolist() == predicted[[7, 2]].tolist()


def test_keep_and_pickle(made):
    models, X, _ = made
    predicted = models.codes(X)
    models.keep(np.array([1, 4, 9, 0, 0], dtype=np.intp), 3)
    copy = pickle.loads(pickle.dumps(models))
    assert models.n == copy.n == 3
    assert models.can_fail == copy.can_fail == isinstance(models, ExternalModels)
    for one in (models, copy):
        assert one.codes(X).tolist() == predicted[[1, 4, 9]].tolist()


def test_widen(made):
    models, X, _ = made
    predicted = models.codes(X)
    if isinstance(models, ExternalModels):
        models.book.labels = np.array(["maybe", "no", "yes"])
    models.widen(np.array([1, 2]), 3)
    assert models.codes(X).tolist() == (predicted + 1).tolist()
    assert models.fits(2, 3)
    if not isinstance(models, ExternalModels):
        assert not models.fits(2, 2) and not models.fits(1, 3)


def test_stumps_of_different_numbers():
    state = {**FixedStumps().get_state(), "threshold": np.zeros(1)}
    with pytest.raises(ValueError, match="differ in length"):
        FixedStumps().set_state(state)


def test_room():
    assert roomier(np.zeros((0, 3), dtype=np.uint8)).shape == (8, 3)
    assert len(roomier(np.zeros(9))) == 18
