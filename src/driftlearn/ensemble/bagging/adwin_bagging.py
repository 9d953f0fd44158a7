# cython: infer_types=True
"""ADWIN bagging: online bagging that replaces its worst member when something changes."""

from __future__ import annotations

from numbers import Real
from typing import Any

import cython
import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

if not cython.compiled:
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.drift._adwin_window import AdaptiveWindow
    from driftlearn.ensemble._borrowed import borrowed
    from driftlearn.ensemble._crew import MemberwiseEngine
    from driftlearn.ensemble.bagging.online_bagging import OnlineBagging
    from driftlearn.utils._row_pointers import row_at

from driftlearn.base.threads import N_JOBS
from driftlearn.ensemble._uniform_draws import learn_side_by_side
from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io.schema import InvalidStateError, a, integer, parameters
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier


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
    n_jobs : int, optional
        Threads among which members that are Hoeffding trees or naive Bayes are shared out; the
        result does not depend on it.

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
    >>> from driftlearn import ADWINBaggingClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(n_rows=8_000, noise=0.0, random_state=0)
    >>> model = ADWINBaggingClassifier(random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.97
    >>> model.n_replaced_
    13
    """

    n_estimators: int
    PUBLISHED = {"estimator": HoeffdingTreeClassifier(), "replace": "worst", "vote": "majority"}
    STATE = {**OnlineClassifier.STATE, "engine_": a("ADWINBagging")}
    _rows_are_for_models = True
    _parameter_constraints = {
        **OnlineClassifier._parameter_constraints,
        "n_jobs": N_JOBS,
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
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.delta = delta
        self.replace = replace
        self.vote = vote
        self.error = error
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

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
        learn_side_by_side(self, X, y, w, scores)


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
    is wrong. So all detectors take all rows and look at the same ones: where several fire they do
    in the same row, in which "worst" replaces one.
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
            raise InvalidStateError("a member of ADWIN bagging has no window of errors")

    def _prepare(self):
        OnlineBagging._prepare(self)
        self.delta = self.options["delta"]
        self.replace_fired = self.options["replace"] == "fired"
        self.error_after = self.options["error"] == "after"
        self.ask_before = not self.error_after
        self.detectors = None
        self.fired = np.zeros(len(self.committee), dtype=np.uint8)

    def _borrow(self):
        OnlineBagging._borrow(self)
        self.detectors = borrowed(self.committee.things["detector"], self.detectors)

    def _until_look(self, j):
        if self.replace_fired:  # which is nobody else's business
            return MemberwiseEngine._until_look(self, j)
        return cython.cast(AdaptiveWindow, self.detectors.at[j]).until_look()

    def _stops(self, j):
        return self.fired[j]

    def _take(self, j, first, last):
        wrong: cython.bint = False
        says: cython.int = -1
        fires: cython.bint = False
        tested: cython.bint = self.asked or self.ask_before
        for i in range(first, last):
            if self.asked:
                says = self._answer(j, i)
            if self.ask_before:
                if not self.asked or says < -1:  # that is, votes without a class
                    says = self._ask(j, i)
                wrong = self._wrong(j, i, says)
            error: cython.double = cython.cast(AdaptiveWindow, self.detectors.at[j]).estimate
            k = self._times(error, wrong, self.u[i, j])
            if k > 0:
                self.teach(j, i, k, tested)
            if self.error_after:
                wrong = self._wrong(j, i, self._ask(j, i))
            fires = cython.cast(AdaptiveWindow, self.detectors.at[j]).rises(wrong)
            if fires and self.replace_fired:
                with cython.gil:
                    self._renew(i, j)
                fires = False
        self.fired[j] = fires
        return 0

    def _times(self, error, wrong, u):
        """Return how often a member learns a row, which it was or was not wrong about."""
        return self.once.draw(u)

    def _ask(self, j, i):
        """Return the class that member `j` gives row `i`, -1 if it knows nothing yet."""
        return cython.cast(OnlineModel, self.models.at[j])._say_row(row_at(self.X, i))

    def _wrong(self, j, i, says):
        """Say whether member `j` is wrong about row `i`; who knows nothing yet is."""
        return says != self.y[i]

    def _conclude(self, i):
        """Replace the worst member, if a detector fired."""
        for j in range(self.fired.shape[0]):
            if self.fired[j]:
                self._renew(i, self.errors().argmax())
                return

    def _renew(self, i, j):
        """Replace member `j` after row `i`."""
        model = self._make(i, j)
        if model is not None:
            detector = AdaptiveWindow(self.delta)
            self._admit(i, j, model, {"detector": detector})
            self.detectors.put(j, detector)
            self.n_replaced += 1

    def errors(self):
        """Return the error of each member over its detector's window."""
        return np.array([detector.estimate for detector in self.committee["detector"]])
