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
    from driftlearn.engines.engine import Engine
    from driftlearn.engines.online_committee import OnlineCommittee
    from driftlearn.kernels.poisson import poisson

from driftlearn._schema import Misfit, a, integer, parameters
from driftlearn.base.online_classifier import OnlineClassifier
from driftlearn.online.draws import learn_with_draws


@cython.annotation_typing(False)
class ADWINBaggingClassifier(OnlineClassifier):
    """ADWIN bagging: members that learn each row Poisson(1) times, each watched by an ADWIN.

    When the detector of any member sees its error rise, the member whose error is highest is
    replaced by a fresh one: at most one a row.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        The base learner; `GaussianNBClassifier` by default. `HoeffdingTreeClassifier` runs
        compiled too, anything else in the same loop at its own speed. A learner of another
        library cannot take a class that it has not been told of: such a member starts again
        from the row that has it, unless the first call announces all labels with `classes`.
    n_estimators : int, default=10
        Number of members.
    delta : float, default=0.002
        Confidence of the detectors: the smaller, the fewer false alarms.
    replace : {"worst", "fired"}, default="worst"
        Who goes: the worst of all, as published, or every member whose detector fired. After an
        abrupt change all detectors may fire in the same row; "worst" then keeps all members but
        one, whose windows no longer hold the good times and will not fire again.
    vote : {"majority", "soft"}, default="majority"
        Members vote with labels, as in Grbovic and Vucetic (2011), or with probabilities, as in
        MOA.
    error : {"before", "after"}, default="before"
        Whether a member is tested on a row before it learns it, or after, as in MOA.
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
    >>> model = ADWINBaggingClassifier(replace="fired", random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.968
    >>> model.n_replaced_
    15
    """

    n_estimators: int
    STATE = {**OnlineClassifier.STATE, "engine_": a("ADWINBagging")}
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
        return int(self.engine_.n_replaced)

    def _begin(self) -> None:
        super()._begin()
        self.committee_ = self._new_committee()
        for _ in range(self.n_estimators):
            self.committee_.add(self._new_model(), detector=AdaptiveWindow(self.delta))
        self.engine_ = ADWINBagging(self.committee_, self._options())

    def _learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        learn_with_draws(self, X, y, w, scores)


@cython.cclass
class ADWINBagging(Engine):
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
        "committee": a(OnlineCommittee),
        "options": parameters(ADWINBaggingClassifier),
        "n_replaced": integer(0),
    }

    def __init__(self, committee, options):
        self.committee = committee
        self.options = options
        self.n_replaced = 0
        self._prepare()

    @staticmethod
    def check_state(state):
        """Raise ValueError unless every member has a detector."""
        detectors = state["committee"].things.get("detector", [])
        if len(detectors) != len(state["committee"]) or not all(
            isinstance(detector, AdaptiveWindow) for detector in detectors
        ):
            raise Misfit("a member of ADWIN bagging has no window of errors")

    def _prepare(self):
        self.delta = self.options["delta"]
        self.replace_fired = self.options["replace"] == "fired"
        self.soft = self.options["vote"] == "soft"
        self.error_after = self.options["error"] == "after"
        self.fired = np.zeros(len(self.committee), dtype=np.uint8)
        self.equal = np.ones(len(self.committee))

    def learn(self, X, y, w, u, new_model, scores=None):
        """Learn all rows, in order.

        Parameters
        ----------
        X, y, w : arrays
            Rows, class codes, weights.
        u : array of shape (rows, members)
            Uniform numbers; `new_model` may draw those of later rows anew.
        new_model : callable
            ``new_model(i)`` returns a model that row ``i`` calls for.
        scores : array of shape (rows, classes), optional
            Where to write the votes on each row before it is learned.
        """
        asked: cython.bint = scores is not None
        for i in range(X.shape[0]):
            if asked:
                self._vote(X, i, scores[i])
            if self._learn_one(X, i, y[i], w[i], u):
                self._renew(i, new_model)
            self.committee.n_rows += 1

    def _learn_one(self, X, i, y, w, u):
        """Learn a row; return whether any detector fired."""
        says: cython.int = -1
        any_fired: cython.bint = False
        committee = self.committee
        detectors: list = committee.things["detector"]
        committee.note(y)
        for j in range(committee.numbers.shape[0]):
            detector = cython.cast(AdaptiveWindow, detectors[j])
            if not self.error_after:
                says = committee.predict(j, X, i)
            k = poisson(u[i, j], 1.0)
            if k > 0:
                committee.learn(j, X, i, y, k * w)
            if self.error_after:
                says = committee.predict(j, X, i)
            self.fired[j] = False
            if says >= 0:
                before = detector.estimate
                if detector.update(1.0 if says != y else 0.0) and detector.estimate > before:
                    self.fired[j] = True
                    any_fired = True
        return any_fired

    def _renew(self, i, new_model):
        """Replace the worst member, or all whose detectors fired."""
        leavers = np.flatnonzero(self.fired) if self.replace_fired else [self.errors().argmax()]
        for j in leavers:
            self.committee.replace(j, new_model(i), detector=AdaptiveWindow(self.delta))
            self.n_replaced += 1

    def errors(self):
        """Return the error of each member over its detector's window."""
        return np.array([detector.estimate for detector in self.committee["detector"]])

    def _vote(self, X, i, votes):
        """Write the votes on row `i`."""
        if self.soft:
            self.committee.blend_one(X, i, self.equal, votes)
        else:
            self.committee.vote(X, i, self.equal, votes)

    def scores(self, X):
        """Return the votes: (rows, classes)."""
        vote = self.committee.blend if self.soft else self.committee.tally
        return vote(X, self.equal)

    def describe(self):
        """Return a table of the members, as a dict of columns."""
        return self.committee.describe(np.ones(len(self.committee)), self.errors())

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.committee.widen(positions, n_classes)
