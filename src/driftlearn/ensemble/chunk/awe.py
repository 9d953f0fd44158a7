"""AWE, the accuracy-weighted ensemble."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from driftlearn.base.chunk import Chunk
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.member_weights import DECIMALS, random_error, squared_error
from driftlearn.ensemble.selection import largest_weights
from driftlearn.utils.typing import Floats


class AWEClassifier(ChunkClassifier):
    """AWE: members weighted by how much better than guessing they are on the newest chunk.

    The weight of a member is ``MSE_r - MSE_i``, the squared error of guessing by the class priors
    less its own; those that do not beat guessing are silent. The newest model's own error comes
    from cross-validation inside its chunk, or it would look perfect.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; ``CARTClassifier(min_samples_leaf=5)`` by default. As published:
        `AWEClassifier.as_published()`: ``estimator=CARTClassifier()``.
    n_estimators : int, default=15
        The most members that vote.
    n_stored : int, default=30
        The most members kept.
    n_folds : int, default=10
        Folds for the newest model's error. They are dealt, not drawn: class by class, round
        robin.
    chunk_size : int, optional
        Cut the rows into chunks of this size; by default each `partial_fit` call is a chunk, and
        `fit` cuts a table of 2,500 rows or more into 5 to 20.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), with the n rows and k classes of a chunk.
    random_state : int, RandomState instance or None
        Seed.
    n_jobs : int, optional
        Threads for training; the result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The labels known, sorted.
    members_ : Table
        One row a member; the column ``worth`` is the weight before the choice of the
        `n_estimators` best.
    history_ : History
        The voting weights over time.
    step_ : int
        The chunks learned; after `fit`, those that the table was cut into.

    Notes
    -----
    The newest model always competes for a place: the `n_stored` best of old and new are kept, and
    of equals the oldest goes. If no member beats guessing, as after an abrupt drift or on a chunk
    of one class, the newest is kept and speaks alone: it alone has learned the present concept.

    References
    ----------
    .. [1] H. Wang, W. Fan, P. S. Yu, J. Han, "Mining concept-drifting data streams using ensemble
       classifiers", KDD 2003, doi:10.1145/956750.956778.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=10_000, noise=0.1, random_state=0), AWEClassifier()
    >>> for batch in stream.chunks(250):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> len(model.members_), int((model.members_["weight"] > 0).sum())
    (30, 15)
    """

    _parameter_constraints = {
        **ChunkClassifier._parameter_constraints,
        "n_stored": [Interval(Integral, 1, None, closed="left"), None],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int | None = 15,
        *,
        n_stored: int | None = 30,
        n_folds: int = 10,
        chunk_size: int | None = None,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.n_stored = n_stored
        self.n_folds = n_folds
        self.chunk_size = chunk_size
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, chunk: Chunk) -> None:
        committee = self.committee_
        guessing = random_error(chunk.y, chunk.w)
        # its own rows would flatter the newest: models that did not see them stand for it
        (newest, unseen), errors = self._run_parallel(
            chunk, lambda: self._cross_validated(chunk, self.n_folds), lambda: self._errors(chunk)
        )
        if len(committee):
            committee["error"] = errors
            committee["worth"] = _worth(guessing, errors)
        error = squared_error(unseen[None], chunk.y, chunk.w)[0]
        worth = _worth(guessing, error)
        room = self.n_stored is None or len(committee) < self.n_stored
        # the best of old and newest stay; of equals the oldest goes, so that the newest is there to
        # speak alone if nobody beats guessing
        if not room and worth >= committee["worth"].min():
            committee.drop(int(committee["worth"].argmin()))
            room = True
        if room:
            committee.add(newest, created_at=self.step_, error=error, worth=worth)
        voters = largest_weights(committee["worth"], self.n_estimators or len(committee))
        weight = np.zeros(len(committee))
        weight[voters] = committee["worth"][voters]
        committee["weight"] = weight

    def _errors(self, chunk: Chunk) -> Floats | None:
        """Return the members' errors on a chunk, if there are members."""
        if not len(self.committee_):
            return None
        return squared_error(self.committee_.probas(chunk.X), chunk.y, chunk.w)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return self.committee_.vote(self.committee_.probas(X))


def _worth(guessing: float, error: np.ndarray) -> np.ndarray:
    """Return by how much an error is below that of guessing; what is mere rounding is 0."""
    gain = guessing - error
    return np.where(np.round(gain, DECIMALS) > 0, gain, 0.0)
