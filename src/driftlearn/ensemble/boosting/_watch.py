"""Cached predictions for fixed rows, kept up to date while the ensemble is trained."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np

from driftlearn.base._probabilities import normalize
from driftlearn.base.validation import validate_rows

SPARE = 8  # a cache shrinks when it has more than twice the rows in use plus this number


class Watchable:
    """Mixin of ensembles whose members never change after training; only their weights do.

    Their ``committee_`` has ``keys()``, an identifying key for each member (its model, or a tuple
    of its parameters), and ``predict_subset(which, X)``, the predictions of the members at these
    positions, an array whose first axis is that of `which`. A subclass defines

    * ``_count(predicted, where)``: the class scores, as returned by `_scores`, where
      ``predicted[where[j]]`` are the predictions of member j;
    * ``_terms()``: comparable values of everything scores depend on, except the members'
      predictions;
    * ``_ties()``: the other objects that predictions depend on; these are replaced, never modified.
    """

    classes_: np.ndarray
    committee_: Any

    def watch(self, X: Any) -> Watch:
        """Return a `Watch`, which predicts the same rows repeatedly at low cost.

        Use it for a test set that is predicted after every few rows of a stream. Each member
        predicts the rows once; its predictions are cached until the member is removed.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows, which are copied.

        Returns
        -------
        watch : Watch
            ``watch.predict()`` and ``watch.predict_proba()`` are bit-identical to
            ``self.predict(X)`` and ``self.predict_proba(X)`` at the time of the call.

        Examples
        --------
        >>> from driftlearn import IBoostClassifier
        >>> from driftlearn.streams import SEA
        >>> stream = SEA(thresholds=(8,), n_rows=3_000, noise=0.0, random_state=0)
        >>> first, *others = stream.chunks(1_000)
        >>> model = IBoostClassifier().partial_fit(first.X, first.y)
        >>> X, y = stream.test_set(0, 1_000, random_state=1)
        >>> watch = model.watch(X)
        >>> for batch in others:
        ...     model = model.partial_fit(batch.X, batch.y)
        ...     print((watch.predict() == y).mean())
        0.973
        0.971
        """
        return Watch(self, X)

    def _count(self, predicted: np.ndarray, where: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _terms(self) -> tuple[Any, ...]:
        return ()

    def _ties(self) -> tuple[Any, ...]:
        return (self.classes_,)


class Watch:
    """Predictions of an ensemble for fixed rows, with cached member predictions.

    Created by the method `watch` of a classifier, which does not keep a reference to the watch. A
    classifier may have several watches, and may be trained, refitted or restored between
    predictions. Members must not be modified directly.

    The cache takes one byte per member and row, or a float per member, row and class if members
    vote with probabilities. Entries of removed members are dropped. The cache is not pickled.

    Parameters
    ----------
    learner : Watchable classifier
        The fitted ensemble.
    X : array-like of shape (n, d)
        The rows, which are copied.

    Attributes
    ----------
    learner : Watchable classifier
        The ensemble.
    """

    _cache: PredictionCache
    _keys: list[Any]
    _marks: list[Any]
    _terms: tuple[Any, ...] | None

    def __init__(self, learner: Any, X: Any):
        self.learner = learner
        self._given = deepcopy(X)
        self._ties: tuple[Any, ...] = ()
        self._tie()

    def predict(self) -> np.ndarray:
        """Return the ensemble's current predictions for the rows."""
        return self.learner.classes_[self._shares().argmax(axis=1)]

    def predict_proba(self) -> np.ndarray:
        """Return the ensemble's current class probabilities for the rows."""
        return self._shares().copy()

    @property
    def nbytes(self) -> int:
        """Size of the cache in bytes."""
        return self._cache.predicted.nbytes if self._ties else 0

    def _shares(self) -> np.ndarray:
        """Return the class probabilities, recomputed only if the ensemble has changed."""
        self._tie()
        learner, committee = self.learner, self.learner.committee_
        keys = committee.keys()
        if not keys:
            self._clear()
            return normalize(learner._scores(self._X))
        marks = [key if type(key) is tuple else id(key) for key in keys]
        if marks != self._marks:
            where = self._cache.look_up(
                marks, lambda which: committee.predict_subset(which, self._X)
            )
            # Keeping the keys alive prevents a new model from getting the id of a cached model.
            self._keys, self._marks, self._where, self._terms = keys, marks, where, None
        terms = learner._terms()
        if terms != self._terms:
            self._last = normalize(learner._count(self._cache.predicted, self._where))
            self._terms = terms
        return self._last

    def _tie(self) -> None:
        """Clear the cache and revalidate the rows if the ensemble was refitted or restored."""
        self.learner._check_fitted()
        ties = self.learner._ties()
        if len(ties) != len(self._ties) or any(a is not b for a, b in zip(ties, self._ties)):
            self._clear()
            self._X = validate_rows(self.learner, self._given)
            self._ties = ties

    def _clear(self) -> None:
        self._cache, self._keys, self._marks, self._terms = PredictionCache(), [], [], None

    def __getstate__(self) -> dict[str, Any]:
        return {"learner": self.learner, "_given": self._given}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _ties=())


class PredictionCache:
    """Cache of member predictions: one array with a row per member, indexed by the member's key.

    Attributes
    ----------
    predicted : ndarray
        The predictions; each row belongs to a member or is unused.
    rows : dict
        Maps each member's key to its row.

    Examples
    --------
    >>> import numpy as np
    >>> cache = PredictionCache()
    >>> where = cache.look_up(["a", "b"], lambda which: np.array([[10], [11]])[which])
    >>> where = cache.look_up(["b", "c"], lambda which: print(which) or np.array([[12]]))
    [1]
    >>> cache.predicted[where].ravel()
    array([11, 12])
    """

    def __init__(self) -> None:
        self.predicted = np.empty((0, 0))
        self.rows: dict[Any, int] = {}

    def look_up(self, marks: list[Any], predict: Callable[[list[int]], np.ndarray]) -> np.ndarray:
        """Return each member's row, after predicting with new members and dropping removed ones."""
        found = [self.rows.get(mark) for mark in marks]
        new = {mark: j for j, mark in enumerate(marks) if found[j] is None}
        rows = {mark: row for mark, row in zip(marks, found) if row is not None}
        new_predictions = predict(list(new.values()))
        n = len(rows) + len(new)
        if not n <= len(self.predicted) <= 2 * n + SPARE:
            shape = n + n // 4, *new_predictions.shape[1:]
            predicted = np.empty(shape, dtype=new_predictions.dtype)
            if rows:
                predicted[: len(rows)] = self.predicted[list(rows.values())]
            self.predicted, rows = predicted, dict(zip(rows, range(len(rows))))
        free = sorted(set(range(len(self.predicted))).difference(rows.values()))[: len(new)]
        self.predicted[free] = new_predictions
        self.rows = rows | dict(zip(new, free))
        return np.array([self.rows[mark] for mark in marks], dtype=np.intp)
