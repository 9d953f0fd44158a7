"""Votes on fixed rows, kept up while the ensemble learns."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np

from driftlearn.base._probabilities import normalize
from driftlearn.base.validation import validate_rows

SPARE = 8  # rows more than twice those in use that a file may have before it is made smaller


class Watchable:
    """Mixin of the ensembles whose members never change once made; only their weights do.

    Their ``committee_`` has ``keys()``, what tells members apart, one entry a member: its model, or
    a tuple of all the numbers that make one; and ``say(which, X)``, what the members at these
    positions say about rows, an array whose first axis is that of `which`. A subclass writes

    * ``_count(said, where)``: the class scores, as `_scores` gives them, where ``said[where[j]]``
      is what member j says;
    * ``_terms()``: what scores depend on besides what members say, as values that compare;
    * ``_ties()``: what the above depends on besides members and rows, as objects that are
      replaced, never changed.
    """

    classes_: np.ndarray
    committee_: Any

    def watch(self, X: Any) -> Watch:
        """Return the predictions for fixed rows, to be asked for again and again.

        A test set that is predicted after every few rows of a stream need not be shown to every
        member every time: what a member says is kept until the member leaves.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows, which are copied.

        Returns
        -------
        watch : Watch
            ``watch.predict()`` is what ``self.predict(X)`` would be at that time, and so is
            ``watch.predict_proba()``, to the last bit.

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

    def _count(self, said: np.ndarray, where: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _terms(self) -> tuple[Any, ...]:
        return ()

    def _ties(self) -> tuple[Any, ...]:
        return (self.classes_,)


class Watch:
    """What an ensemble predicts for fixed rows, now.

    It is made by the `watch` of a learner, which does not know of it: there may be many, and the
    learner may be taught, fitted anew or given another state in between. Only members must not
    be changed by hand.

    What each member says is kept, a byte a row, or for members that vote with probabilities a
    number a row and class; what a member has said that left is forgotten. Pickled, a watch
    forgets everything.

    Parameters
    ----------
    learner : Watchable classifier
        The learner, which has learned something.
    X : array-like of shape (n, d)
        The rows, which are copied.

    Attributes
    ----------
    learner : Watchable classifier
        The learner.
    """

    _file: AnswerFile
    _keys: list[Any]
    _marks: list[Any]
    _terms: tuple[Any, ...] | None

    def __init__(self, learner: Any, X: Any):
        self.learner = learner
        self._given = deepcopy(X)
        self._ties: tuple[Any, ...] = ()
        self._tie()

    def predict(self) -> np.ndarray:
        """Return what the learner's `predict` returns for these rows now."""
        return self.learner.classes_[self._shares().argmax(axis=1)]

    def predict_proba(self) -> np.ndarray:
        """Return what the learner's `predict_proba` returns for these rows now."""
        return self._shares().copy()

    @property
    def nbytes(self) -> int:
        """Bytes taken by what members say."""
        return self._file.said.nbytes if self._ties else 0

    def _shares(self) -> np.ndarray:
        """Return the probabilities; where nothing has changed, those of the last time."""
        self._tie()
        learner, committee = self.learner, self.learner.committee_
        keys = committee.keys()
        if not keys:
            self._forget()
            return normalize(learner._scores(self._X))
        marks = [key if type(key) is tuple else id(key) for key in keys]
        if marks != self._marks:
            where = self._file.look_up(
                marks, lambda which: committee.predict_subset(which, self._X)
            )
            # Keys are held so that no other model can get the id of one that is on file.
            self._keys, self._marks, self._where, self._terms = keys, marks, where, None
        terms = learner._terms()
        if terms != self._terms:
            self._last = normalize(learner._count(self._file.said, self._where))
            self._terms = terms
        return self._last

    def _tie(self) -> None:
        """Forget everything if the learner is not the one it was; then the rows must suit it."""
        self.learner._check_fitted()
        ties = self.learner._ties()
        if len(ties) != len(self._ties) or any(a is not b for a, b in zip(ties, self._ties)):
            self._forget()
            self._X = validate_rows(self.learner, self._given)
            self._ties = ties

    def _forget(self) -> None:
        self._file, self._keys, self._marks, self._terms = AnswerFile(), [], [], None

    def __getstate__(self) -> dict[str, Any]:
        return {"learner": self.learner, "_given": self._given}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _ties=())


class AnswerFile:
    """What each member says, in one array with a row a member, found by the member's mark.

    Attributes
    ----------
    said : ndarray
        A row of it belongs to a member or is free.
    rows : dict
        The row that belongs to each mark.

    Examples
    --------
    >>> import numpy as np
    >>> file = AnswerFile()
    >>> where = file.look_up(["a", "b"], lambda which: np.array([[10], [11]])[which])
    >>> where = file.look_up(["b", "c"], lambda which: print(which) or np.array([[12]]))
    [1]
    >>> file.said[where].ravel()
    array([11, 12])
    """

    def __init__(self) -> None:
        self.said = np.empty((0, 0))
        self.rows: dict[Any, int] = {}

    def look_up(self, marks: list[Any], ask: Callable[[list[int]], np.ndarray]) -> np.ndarray:
        """Return each member's row; ask for those that are new, forget those that are gone."""
        found = [self.rows.get(mark) for mark in marks]
        new = {mark: j for j, mark in enumerate(marks) if found[j] is None}
        rows = {mark: row for mark, row in zip(marks, found) if row is not None}
        answers = ask(list(new.values()))
        n = len(rows) + len(new)
        if not n <= len(self.said) <= 2 * n + SPARE:
            said = np.empty((n + n // 4, *answers.shape[1:]), dtype=answers.dtype)
            if rows:
                said[: len(rows)] = self.said[list(rows.values())]
            self.said, rows = said, dict(zip(rows, range(len(rows))))
        free = sorted(set(range(len(self.said))).difference(rows.values()))[: len(new)]
        self.said[free] = answers
        self.rows = rows | dict(zip(new, free))
        return np.array([self.rows[mark] for mark in marks], dtype=np.intp)
