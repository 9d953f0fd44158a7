"""ADWIN bagging: online bagging that replaces its worst member when something changes."""

from __future__ import annotations

from numbers import Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.kernels.bagging import Bagging
from driftlearn.online._learners import PoissonEnsembleClassifier


class ADWINBaggingClassifier(PoissonEnsembleClassifier):
    """ADWIN bagging: members that learn each row Poisson(1) times, each watched by an ADWIN.

    When the detector of any member sees its error rise, the member whose error is highest is
    replaced by a fresh one: at most one a row.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        As in `OnlineBoostClassifier`.
    n_estimators : int, default=10
        Number of members.
    delta : float, default=0.002
        Confidence of the detectors: the smaller, the fewer false alarms.
    replace : {"worst", "fired"}, default="worst"
        Who goes: the worst of all, as published, or every member whose detector fired. After an
        abrupt change all detectors may fire in the same row; "worst" then keeps all members but
        one, whose windows no longer hold the good times and will not fire again.
    vote : {"majority", "soft"}, default="majority"
        Members vote with labels, as in S3, or with probabilities, as in MOA.
    error : {"before", "after"}, default="before"
        Whether a member is tested on a row before it learns it, or after, as in MOA.
    random_state : int, Generator, RandomState or None
        Decides the draws.

    Attributes
    ----------
    classes_, members_, n_members_, estimators_, history_
        As in `OnlineBoostClassifier`; ``error`` is the estimate of the member's detector.
    n_replaced_ : int
        Members replaced so far.
    team_ : driftlearn.kernels.bagging.Bagging
        The compiled ensemble and its detectors.

    References
    ----------
    .. [1] A. Bifet, G. Holmes, B. Pfahringer, R. Kirkby, R. Gavaldà, "New ensemble methods for
       evolving data streams", Knowledge Discovery and Data Mining, 2009,
       doi:10.1145/1557019.1557041.

    Examples
    --------
    >>> from driftlearn.online import ADWINBaggingClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(n_rows=8_000, noise=0.0, random_state=0)
    >>> model = ADWINBaggingClassifier(replace="fired", random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.968
    >>> model.n_replaced_
    15
    """

    _parameter_constraints = {
        **PoissonEnsembleClassifier._parameter_constraints,
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "replace": [StrOptions({"worst", "fired"})],
        "vote": [StrOptions({"majority", "soft"})],
        "error": [StrOptions({"before", "after"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        delta: float = 0.002,
        replace: str = "worst",
        vote: str = "majority",
        error: str = "before",
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.delta = delta
        self.replace = replace
        self.vote = vote
        self.error = error
        self.random_state = random_state

    @property
    def n_replaced_(self) -> int:
        """Members replaced so far."""
        self._check_fitted()
        return int(self.team_.n_replaced)

    def _team(self) -> Bagging:
        team = Bagging(
            self.n_features_in_,
            len(self.classes_),
            delta=self.delta,
            replace_fired=self.replace == "fired",
            soft=self.vote == "soft",
            error_after=self.error == "after",
        )
        return self._filled(team)
