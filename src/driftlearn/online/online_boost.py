"""OnlineBoost, boosting one row at a time."""

from __future__ import annotations

from typing import Any

from driftlearn.kernels.boosting import Boosting
from driftlearn.online._learners import PoissonEnsembleClassifier


class OnlineBoostClassifier(PoissonEnsembleClassifier):
    """OnlineBoost: a chain of online learners, each trained harder on what others got wrong.

    A row passes along the chain with a weight that starts at 1. Each member learns it Poisson
    (weight) times; where the member is then right the weight shrinks, where it is wrong it grows,
    so that right and wrong rows share the next member's attention in equal halves. A member's
    vote counts by the odds of its being right. It never forgets; `NSOnlineBoostClassifier` and
    `FLCClassifier` are this with an answer to drift.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        The base learner; `GaussianNBClassifier` by default. `HoeffdingTreeClassifier` runs
        compiled too, anything else in the same loop at its own speed. A learner of another
        library cannot take a class that it has not been told of: such a member starts again
        from the row that has it, unless the first call announces all labels with `classes`.
    n_estimators : int, default=50
        Length of the chain, S3's M.
    random_state : int, Generator, RandomState or None
        Decides the draws.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row a member: ``id``, ``born`` (the row), ``weight`` (of its vote), ``error``,
        ``classes`` (the labels it has learned), ``size``.
    n_members_ : int
        Their number.
    estimators_ : list
        The members themselves.
    history_ : History
        The voting weights every 200 rows, later every 400, and so on.
    team_ : driftlearn.kernels.boosting.Boosting
        The compiled ensemble; ``team_.n_rows`` counts the rows.

    Notes
    -----
    The row's weight is added to a member's sums before they are used, as in the original and in
    MOA; S3 prints the opposite order, which divides by zero. A member whose error is not below
    1/2 does not vote but goes on learning.

    References
    ----------
    .. [1] N. Oza, S. Russell, "Experimental comparisons of online and batch versions of bagging
       and boosting", Knowledge Discovery and Data Mining, 2001, doi:10.1145/502512.502565.

    Examples
    --------
    >>> from driftlearn.online import OnlineBoostClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(thresholds=(8,), n_rows=5_000, noise=0.0, random_state=0)
    >>> model = OnlineBoostClassifier(n_estimators=20, random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(4_999, 1_000, random_state=1))
    0.967
    """

    def __init__(self, estimator: Any = None, n_estimators: int = 50, *, random_state: Any = None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state

    def _team(self) -> Boosting:
        return self._filled(Boosting(self.n_features_in_, len(self.classes_)))
