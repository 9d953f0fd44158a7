# cython: infer_types=True
"""ADWIN bagging: online bagging that replaces its worst member when something changes."""

from __future__ import annotations

from numbers import Real
from typing import Any

import cython
import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

if not cython.compiled:
    from driftlearn.engines.adaptive_window import AdaptiveWindow
    from driftlearn.kernels.poisson import poisson
    from driftlearn.online.online_bagging import OnlineBagging

from driftlearn._schema import Misfit, a, integer, parameters
from driftlearn.base.online_classifier import OnlineClassifier
from driftlearn.learners.hoeffding_tree import HoeffdingTreeClassifier
from driftlearn.online.draws import learn_with_draws


@cython.annotation_typing(False)
class ADWINBaggingClassifier(OnlineClassifier):
    """ADWIN bagging: members that learn each row Poisson(1) times, each watched by an ADWIN.

    When the detector of a member sees its error rise, the member is replaced by a fresh one. As
    published: `ADWINBaggingClassifier.as_published()`: ``estimator=HoeffdingTreeClassifier()``,
    ``replace="worst"``, ``vote="majority"``. There the member goes whose error is highest, at most
    one a row.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        The base learner; by default a Hoeffding tree that looks early,
        ``HoeffdingTreeClassifier(grace_period=50, delta=0.01)``. `GaussianNBClassifier` runs
        compiled too, anything else in the same loop at its own speed. A learner of another
        library cannot take a class that it has not been told of: such a member starts again
        from the row that has it, unless the first call announces all labels with `classes`.
    n_estimators : int, default=10
        Number of members.
    delta : float, default=0.002
        Confidence of the detectors: the smaller, the fewer false alarms.
    replace : {"worst", "fired"}, default="fired"
        Who goes: the worst of all, as published, or every member whose detector fired. After an
        abrupt change all detectors may fire in the same row; "worst" then keeps all members but
        one, whose windows no longer hold the good times and will not fire again.
    vote : {"soft", "majority"}, default="soft"
        Members vote with labels, as in Grbovic and Vucetic (2011), or with probabilities, as in
        MOA.
    error : {"before", "after"}, default="before"
        Whether a member is tested on a row before it learns it, or after, as in MOA.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), of the n rows and k classes so far; at most 100.
    random_state : int, Generator, RandomState or None
        Decides the draws.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row a member: ``id``, ``born`` (the row), ``weight`` (of its vote, 1), ``error``
        (its detector's estimate), ``classes`` (the labels it has learned),
        ``size``, ``bytes``.
    n_members_, n_rows_ : int
        The number of members; of rows learned.
    estimators_ : list
        The members' models.
    history_ : History
        The voting weights every 200 rows, later every 400, and so on.
    n_replaced_ : int
        Members replaced so far.
    committee_ : OnlineCommittee
        The models and what is kept of each.
    engine_ : ADWINBagging
        The compiled algorithm.

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
    >>> model = ADWINBaggingClassifier(random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.966
    >>> model.n_replaced_
    17
    """

    n_estimators: int
    PUBLISHED = {"estimator": HoeffdingTreeClassifier(), "replace": "worst", "vote": "majority"}
    STATE = {**OnlineClassifier.STATE, "engine_": a("ADWINBagging")}
    _rows_are_for_models = True
    _parameter_constraints = {
        **OnlineClassifier._parameter_constraints,
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
        replace: str = "fired",
        vote: str = "soft",
        error: str = "before",
        class_weight: Any = None,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.delta = delta
        self.replace = replace
        self.vote = vote
        self.error = error
        self.class_weight = class_weight
        self.random_state = random_state

    @property
    def n_replaced_(self) -> int:
        """Members replaced so far."""
        self._check_fitted()
        return int(self.engine_.n_replaced)

    def _begin(self) -> None:
        super()._begin()
        self.committee_ = self._new_committee()
        for _ in range(self.n_estimators):
            self.committee_.add(self._new_model(), detector=AdaptiveWindow(self.delta))
        self.engine_ = self._new_engine()

    def _new_engine(self) -> Any:
        return ADWINBagging(self.committee_, self._options())

    def _learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        learn_with_draws(self, X, y, w, scores)


@cython.cclass
class ADWINBagging(OnlineBagging):
    """Members that each learn a row Poisson(1) times, and a window of the errors of each.

    Parameters
    ----------
    committee : OnlineCommittee
        The members, each with its detector.
    options : dict
        The classifier's `delta`, `replace`, `vote` and `error`.

    Notes
    -----
    A detector fires if it cuts its window and its mean is higher after the row than before it. It
    is fed errors: the member with the highest mean is the worst. A member that knows nothing yet
    is not tested.
    """

    STATE = {
        **OnlineBagging.STATE,
        "options": parameters(ADWINBaggingClassifier),
        "n_replaced": integer(0),
    }

    def __init__(self, committee, options):
        OnlineBagging.__init__(self, committee, options)
        self.n_replaced = 0

    @staticmethod
    def check_state(state):
        """Raise ValueError unless every member has a detector."""
        detectors = state["committee"].things.get("detector", [])
        if len(detectors) != len(state["committee"]) or not all(
            isinstance(detector, AdaptiveWindow) for detector in detectors
        ):
            raise Misfit("a member of ADWIN bagging has no window of errors")

    def _prepare(self):
        OnlineBagging._prepare(self)
        self.delta = self.options["delta"]
        self.replace_fired = self.options["replace"] == "fired"
        self.error_after = self.options["error"] == "after"
        self.ask_before = not self.error_after
        self.fired = np.zeros(len(self.committee), dtype=np.uint8)

    def _learn_one(self, X, i, y, w, u, new_model):
        wrong: cython.int = -1
        any_fired: cython.bint = False
        committee = self.committee
        detectors: list = committee.things["detector"]
        for j in range(committee.numbers.shape[0]):
            detector = cython.cast(AdaptiveWindow, detectors[j])
            if self.ask_before:
                wrong = self._wrong(j, X, i, y)
            k = self._times(detector, wrong, u[i, j])
            if k > 0:
                committee.learn_tested(j, X, i, y, k * w)
            if self.error_after:
                wrong = self._wrong(j, X, i, y)
            self.fired[j] = False
            if wrong >= 0 and detector.rises(wrong):
                self.fired[j] = True
                any_fired = True
        if any_fired:
            self._renew(i, new_model)

    def _times(self, detector, wrong, u):
        """Return how often a member learns a row, which it was or was not wrong about."""
        return poisson(u, 1.0)

    def _wrong(self, j, X, i, y):
        """Return 1 if member `j` is wrong about row `i`, 0 if right, -1 if it knows nothing yet."""
        says = self.committee.answer(j, X, i)
        return -1 if says < 0 else says != y

    def _renew(self, i, new_model):
        """Replace the worst member, or all whose detectors fired."""
        leavers = np.flatnonzero(self.fired) if self.replace_fired else [self.errors().argmax()]
        for j in leavers:
            self.committee.replace(j, new_model(i), detector=AdaptiveWindow(self.delta))
            self.n_replaced += 1

    def errors(self):
        """Return the error of each member over its detector's window."""
        return np.array([detector.estimate for detector in self.committee["detector"]])
