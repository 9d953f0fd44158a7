"""The schedule of RefitClassifier, and which rows it keeps."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from driftlearn import RefitClassifier


class Recorder(ClassifierMixin, BaseEstimator):
    """Records the numbers of the chunks that it was trained on."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.chunks_ = sorted({*X[:, 0].astype(int).tolist()})
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def fits(n_chunks_passed, **params):
    """Return for each chunk the chunks that the model was trained on."""
    model, found = RefitClassifier(Recorder(), **params), []
    for k in range(1, n_chunks_passed + 1):
        model.partial_fit(np.full((4, 1), float(k)), [0, 1, 0, 1])
        found.append(model.committee_.models[0].chunks_)
    return found


def test_every_third_chunk():
    assert fits(8, n_chunks=2, every=3) == [[1]] * 3 + [[3, 4]] * 3 + [[6, 7]] * 2


def test_growth_trains_young_models_often():
    newest = [chunks[-1] for chunks in fits(20, n_chunks=None, every=6, growth=1.5)]
    assert sorted({*newest}) == [1, 2, 3, 5, 8, 12, 18]


def test_no_training_after_a_number_of_chunks():
    assert fits(9, n_chunks=None, every=3, until=5) == [[1]] * 3 + [[1, 2, 3, 4]] * 6


def test_all_chunks():
    assert fits(9, n_chunks=None)[-1] == [*range(1, 10)]


@pytest.mark.parametrize(("max_rows", "oldest"), [(0, 12), (9, 10), (12, 9)])
def test_the_number_of_stored_rows_is_limited(max_rows, oldest):
    """The newest chunk is always used, and is not counted."""
    assert fits(12, n_chunks=None, max_rows=max_rows)[-1] == [*range(oldest, 13)]


def test_the_last_rows_of_a_long_chunk_are_stored():
    model = RefitClassifier(Recorder(), n_chunks=None, max_rows=3)
    model.partial_fit([[1.0], [2.0], [3.0], [4.0], [5.0]], [0, 1, 0, 1, 0])
    model.partial_fit([[6.0], [7.0]], [0, 1])
    assert model.committee_.models[0].chunks_ == [3, 4, 5, 6, 7]
    assert sum(map(len, model.buffer_)) == 2


def test_rows_that_are_not_stored_take_no_memory():
    model = RefitClassifier(Recorder(), None, max_rows=5).partial_fit(np.ones((8, 1)), [0, 1] * 4)
    assert [len(each) for each in model.buffer_] == [5]
    assert all(each.X.base is None for each in model.buffer_)


def test_rows_of_rare_classes_are_kept_between_trainings():
    model = RefitClassifier(Recorder(), n_chunks=1, every=4, class_rows=2)
    for k in range(1, 10):
        model.partial_fit(np.full((3, 1), float(k)), [0, 0, int(k == 2)])
    assert model.committee_.models[0].chunks_ == [2, 9]
    model.partial_fit([[10.0]], [2])
    assert len(model.older_) <= 7
