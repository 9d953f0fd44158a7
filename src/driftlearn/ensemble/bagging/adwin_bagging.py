# cython: infer_types=True
"""ADWIN bagging: online bagging that replaces members whose error increases."""

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any

import cython
import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

if not cython.compiled:
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.drift._adwin_window import AdaptiveWindow
    from driftlearn.ensemble._batch_engine import BatchEngine
    from driftlearn.ensemble._pointer_list import pointers_to
    from driftlearn.utils._row_pointers import row_at

from driftlearn.ensemble._committee_checks import committee_of
from driftlearn.ensemble._engine_classifier import EngineCounter
from driftlearn.ensemble.bagging.online_bagging import OnlineBagging, OnlineBaggingClassifier
from driftlearn.io.schema import a, integer, parameters
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier
from driftlearn.utils.docstrings import inherit_docs


@cython.annotation_typing(False)
@inherit_docs
@dataclass(eq=False, repr=False)
class ADWINBaggingClassifier(OnlineBaggingClassifier):
    """ADWIN bagging: online bagging with an ADWIN drift detector for each member.

    Each member is trained on each row Poisson(1) times. When a member's detector reports an
    increase of its error, a member is replaced by an untrained one.

    Paper settings: `ADWINBaggingClassifier.as_published()` has
    ``estimator=HoeffdingTreeClassifier()``, ``replace="worst"`` and ``vote="majority"``. With these
    settings, the member with the highest error is replaced, at most one per row.

    Parameters
    ----------
    %(estimator)s
    %(n_estimators)s
    delta : float, default=0.002
        Confidence of the detectors: smaller values give fewer false alarms.
    replace : {"worst", "fired"}, default="fired"
        Which member is replaced: the one with the highest error, as in the paper, or each member
        whose detector fired. After an abrupt change, all detectors may fire at the same row.
        "worst" then replaces only one member; the windows of the others no longer contain errors
        from before the change, so their detectors will not fire again.
    vote : {"soft", "majority"}, default="soft"
        Whether members vote with probabilities, as in MOA, or with labels, as in Grbovic and
        Vucetic (2011).
    error : {"before", "after"}, default="before"
        Whether a member is tested on a row before it is trained on the row, or afterwards, as in
        MOA.
    %(nominal_features)s
    %(class_weight)s
    %(random_state)s
    %(n_jobs)s

    Attributes
    ----------
    %(classes_)s
    members_ : Table
        One row per member: ``id``, ``created_at`` (row), ``weight`` (voting weight, always 1),
        ``error`` (the estimate of its detector), ``classes`` (labels it was trained on), ``size``,
        ``bytes``.
    %(n_members_)s
    %(estimators_)s
    %(history_)s
    n_replaced_ : int
        Members replaced so far.
    committee_ : OnlineCommittee
        The models and their detectors.
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

    _: KW_ONLY
    delta: float = 0.002
    replace: str = "fired"
    error: str = "before"

    PUBLISHED = {"estimator": HoeffdingTreeClassifier(), "replace": "worst", "vote": "majority"}
    STATE = {"engine_": a("ADWINBagging")}
    n_replaced_ = EngineCounter("Number of members replaced so far.")
    _parameter_constraints = {
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "replace": [StrOptions({"worst", "fired"})],
        "error": [StrOptions({"before", "after"})],
    }

    def _initial_row(self) -> dict[str, Any]:
        return {"detector": AdaptiveWindow(self.delta)}

    def _new_engine(self) -> Any:
        return ADWINBagging(self.committee_, self._options())


@cython.cclass
class ADWINBagging(OnlineBagging):
    """Online bagging engine that replaces members when their ADWIN detectors fire.

    Parameters
    ----------
    committee : OnlineCommittee
        The members, each with its detector.
    options : dict
        The classifier's `delta`, `replace`, `vote` and `error`.

    Notes
    -----
    A detector receives the member's errors. It fires if it cuts its window and the mean is higher
    after the row than before. The member with the highest mean is the worst. A prediction of an
    untrained member counts as wrong, so all detectors receive all rows and test their windows at
    the same rows: if several fire, they do so at the same row, where "worst" replaces one member.
    """

    STATE = {
        "committee": committee_of(detector=AdaptiveWindow),
        "options": parameters(ADWINBaggingClassifier),
        "n_replaced": integer(0),
    }

    def __init__(self, committee, options):
        OnlineBagging.__init__(self, committee, options)
        self.n_replaced = 0

    def _prepare(self):
        OnlineBagging._prepare(self)
        self.delta = self.options["delta"]
        self.replaces_fired = self.options["replace"] == "fired"
        self.tests_after = self.options["error"] == "after"
        self.tests_before = not self.tests_after
        self.detectors = None
        self.fired = np.zeros(len(self.committee), dtype=np.uint8)

    def _train_member(self, j, first, stop):
        wrong: cython.bint = False
        fires: cython.bint = False
        predicted: cython.int = -1
        scored: cython.bint = self.keeps_votes or self.tests_before
        for i in range(first, stop):
            if self.keeps_votes:
                predicted = self._vote(j, i)
            if self.tests_before:
                if not self.keeps_votes or predicted < -1:  # the vote has no class
                    predicted = self._predict(j, i)
                wrong = self._is_wrong(j, i, predicted)
            error: cython.double = cython.cast(AdaptiveWindow, self.detectors.at[j]).estimate
            k = self._training_weight(error, wrong, self.u[i, j])
            if k > 0:
                self._update_member(j, i, k, scored)
            if self.tests_after:
                wrong = self._is_wrong(j, i, self._predict(j, i))
            fires = cython.cast(AdaptiveWindow, self.detectors.at[j]).rises(wrong)
            if fires and self.replaces_fired:
                with cython.gil:
                    self._start_again(i, j)
                fires = False
        self.fired[j] = fires
        return 0

    def _training_weight(self, error, wrong, u):
        """Return the number of times a member with error rate `error` is trained on a row."""
        return self.poisson_1.draw(u)

    def _predict(self, j, i):
        """Return the class that member `j` predicts for row `i`; -1 before it is trained."""
        return cython.cast(OnlineModel, self.models.at[j])._predict_row(row_at(self.X, i))

    def _is_wrong(self, j, i, predicted):
        """Return whether a prediction of member `j` for row `i` is wrong."""
        return predicted != self.y[i]

    def _end_batch(self, i):
        """Replace the member with the highest error if a detector fired (``replace="worst"``)."""
        for j in range(self.fired.shape[0]):
            if self.fired[j]:
                self._start_again(i, self.member_errors().argmax())
                return

    def _start_again(self, i, j):
        """Replace member `j` by an untrained one after row `i`."""
        model = self._new_model_for(i, j)
        if model is not None:
            detector = AdaptiveWindow(self.delta)
            self._replace_member(i, j, model, {"detector": detector})
            self.detectors.set(j, detector)
            self.n_replaced += 1

    def member_errors(self):
        """Return the error of each member over its detector's window."""
        return np.array([detector.estimate for detector in self.committee["detector"]])

    def _refresh_pointers(self):
        OnlineBagging._refresh_pointers(self)
        self.detectors = pointers_to(self.committee.objects["detector"], self.detectors)

    def _rows_until_checkpoint(self, j):
        if self.replaces_fired:  # replacing a member does not affect other members
            return BatchEngine._rows_until_checkpoint(self, j)
        return cython.cast(AdaptiveWindow, self.detectors.at[j]).errors_until_test()

    def _ends_batch(self, j):
        return self.fired[j]
