# cython: infer_types=True
"""Bagging whose members each have a successor ready: what forests that adapt have in common."""

from __future__ import annotations

from numbers import Real
from typing import Any

import cython
import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

if not cython.compiled:
    from driftlearn.drift._adwin_window import AdaptiveWindow
    from driftlearn.ensemble._borrowed import borrowed
    from driftlearn.ensemble._crew import MemberwiseEngine, Room
    from driftlearn.ensemble._online_committee import OnlineCommittee
    from driftlearn.utils._poisson import poisson
    from driftlearn.utils._row_pointers import place_at, row_at

from driftlearn.base._online_model import OnlineModel
from driftlearn.base.threads import N_JOBS
from driftlearn.ensemble._committee_checks import check_columns
from driftlearn.ensemble._online_committee import MOST_ROWS
from driftlearn.ensemble._uniform_draws import learn_side_by_side
from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.io.schema import (
    InvalidStateError,
    a,
    integer,
    integers,
    list_of,
    optional,
    parameters,
)
from driftlearn.utils._class_axis import widened

COLUMNS = "right", "seen"
RIGHT = cython.declare(cython.int, 2)
SEEN = cython.declare(cython.int, 3)


@cython.annotation_typing(False)
class BackgroundBaggingClassifier(OnlineClassifier):
    """Base of the ensembles whose members are replaced by models grown in the background.

    They differ in the models: a subclass says what its base learner is, and what a model sees.
    """

    n_estimators: int
    STATE = {**OnlineClassifier.STATE, "engine_": a("BackgroundBagging")}
    _parameter_constraints = {
        **OnlineClassifier._parameter_constraints,
        "n_jobs": N_JOBS,
        "rate": [Interval(Real, 0, 100, closed="right")],
        "warning_delta": [Interval(Real, 0, 1, closed="neither")],
        "drift_delta": [Interval(Real, 0, 1, closed="neither")],
        "vote": [StrOptions({"majority", "soft"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        rate: float = 6.0,
        warning_delta: float = 0.01,
        drift_delta: float = 0.001,
        vote: str = "soft",
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.rate = rate
        self.warning_delta = warning_delta
        self.drift_delta = drift_delta
        self.vote = vote
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def n_warnings_(self) -> int:
        """Warnings so far."""
        self._check_fitted()
        return int(self.engine_.n_warnings)

    @property
    def n_drifts_(self) -> int:
        """Members replaced so far."""
        self._check_fitted()
        return int(self.engine_.n_drifts)

    def _begin(self) -> None:
        super()._begin()
        self.committee_ = self._new_committee(*COLUMNS)
        for _ in range(self.n_estimators):
            self.committee_.add(
                self._new_model(),
                warning=AdaptiveWindow(self.warning_delta),
                drift=AdaptiveWindow(self.drift_delta),
            )
        self.engine_ = BackgroundBagging(self.committee_, self._options())

    def _learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        learn_side_by_side(self, X, y, w, scores)

    def _weights_now(self) -> tuple[Any, Any]:
        return self.committee_["id"], self.engine_.weights()


@cython.cclass
class BackgroundBagging(MemberwiseEngine):
    """Members that each learn a row Poisson(rate) times, two detectors and a successor of each.

    Parameters
    ----------
    committee : OnlineCommittee
        The members, each with its detectors ``"warning"`` and ``"drift"``.
    options : dict
        The classifier's `rate`, `warning_delta`, `drift_delta` and `vote`.

    Notes
    -----
    A detector fires if it cuts its window and its mean is higher after the row than before it. A
    member that knows nothing yet is not tested. A member and its successor learn a row equally
    often.
    """

    STATE = {
        "committee": a(OnlineCommittee),
        "options": parameters(BackgroundBaggingClassifier),
        "background": list_of(optional(a(OnlineModel)), "members"),
        "background_met": integers("members", "classes", least=0, below=2),
        "n_warnings": integer(0, MOST_ROWS),
        "n_drifts": integer(0, MOST_ROWS),
    }

    def __init__(self, committee, options):
        self.committee = committee
        self.options = options
        self.background = [None] * len(committee)
        self.background_met = np.zeros((len(committee), committee.n_classes), dtype=np.uint8)
        self.n_warnings = 0
        self.n_drifts = 0
        self._prepare()

    @staticmethod
    def check_state(state):
        """Raise ValueError unless every member has its detectors, and models fit the problem."""
        committee, background = state["committee"], state["background"]
        check_columns(committee, COLUMNS)
        for name in ("warning", "drift"):
            detectors = committee.things.get(name, [])
            if len(detectors) != len(committee) or not all(
                isinstance(detector, AdaptiveWindow) for detector in detectors
            ):
                raise InvalidStateError(
                    f"a member of a forest has no window of errors for a {name}"
                )
        right, seen = committee["right"], committee["seen"]
        if not ((right >= 0) & (right <= seen) & (seen < np.inf)).all():
            raise InvalidStateError("a member of a forest was right more often than it was asked")
        shape = committee.n_features, committee.n_classes
        if state["background_met"].shape != (len(committee), shape[1]) or any(
            model is not None and (model.n_features, model.n_classes) != shape
            for model in background
        ):
            raise InvalidStateError("a model in the background is not of the problem of its forest")

    def _prepare(self):
        MemberwiseEngine._prepare(self)
        self.successors = self.warnings = self.drifts = None
        self.rate = self.options["rate"]
        self.warning_delta = self.options["warning_delta"]
        self.drift_delta = self.options["drift_delta"]
        self.soft = self.options["vote"] == "soft"
        self.has_successor = np.zeros(len(self.committee), dtype=np.uint8)

    def _borrow(self):
        MemberwiseEngine._borrow(self)
        self.successors = borrowed(self.background, self.successors)
        self.warnings = borrowed(self.committee.things["warning"], self.warnings)
        self.drifts = borrowed(self.committee.things["drift"], self.drifts)
        for j in range(self.has_successor.shape[0]):
            self.has_successor[j] = self.background[j] is not None

    def _take(self, j, first, last):
        warned: cython.bint
        drifted: cython.bint
        numbers = self.committee.numbers
        # kept here in between: other threads write numbers nearby
        right: cython.double = numbers[j, RIGHT]
        seen: cython.double = numbers[j, SEEN]
        for i in range(first, last):
            y = self.y[i]
            says = self._answer(j, i, _share(right, seen))
            k = poisson(self.u[i, j], self.rate)
            warned = drifted = False
            if k > 0:
                self.teach(j, i, k, True)
            if says >= 0:
                error: cython.double = 1.0 if says != y else 0.0
                right += 1.0 - error
                seen += 1.0
                warned = cython.cast(AdaptiveWindow, self.warnings.at[j]).rises(error)
                drifted = cython.cast(AdaptiveWindow, self.drifts.at[j]).rises(error)
            if warned or (drifted and not self.has_successor[j]):
                with cython.gil:
                    self._warn(i, j, warned)
            if k > 0 and self.has_successor[j]:
                self._teach_successor(j, i, k)
            if drifted and self.has_successor[j]:
                with cython.gil:
                    self._promote(i, j)
                right = seen = 0.0
        numbers[j, RIGHT] = right
        numbers[j, SEEN] = seen
        return 0

    def _answer(self, j, i, weight):
        """Write down the vote of member `j` on row `i`, by its weight; return its class or -1."""
        best: cython.int = -1
        highest: cython.double = 0.0
        row = row_at(self.X, i)
        place = i - self.first if self.asked else 0
        votes = place_at(cython.cast(Room, self.rooms.at[j]).votes, place)
        if self.soft:
            cython.cast(OnlineModel, self.models.at[j])._test_row(row, votes)
            for c in range(self.committee.n_classes):
                if votes[c] > highest:
                    best = c
                    highest = votes[c]
                votes[c] *= weight
        else:
            for c in range(self.committee.n_classes):
                votes[c] = 0.0
            best = cython.cast(OnlineModel, self.models.at[j])._say_row(row)
            if best >= 0:
                votes[best] = weight
        return best

    def _teach_successor(self, j, i, k):
        """Have the model in the background of member `j` learn row `i`."""
        y = self.y[i]
        row = row_at(self.X, i)
        cython.cast(OnlineModel, self.successors.at[j])._take_row(row, y, k * self.w[i])
        if not self.background_met[j, y]:
            self.background_met[j, y] = 1
        return 0

    def _warn(self, i, j, warned):
        """Begin a model in the background of member `j`, for a warning or a drift without one."""
        model = self._make(i, j)
        if model is None:
            return
        if warned:
            self.n_warnings += 1
            self._watch(j, "warning", self.warnings, self.warning_delta)
        self.background[j] = model
        self.background_met[j, :] = 0
        self.successors.put(j, self.background[j])
        self.has_successor[j] = True

    def _promote(self, i, j):
        """Put the model in the background in the place of its member, after row `i`."""
        self.n_drifts += 1
        self._admit(i, j, self.background[j], {})
        self._watch(j, "warning", self.warnings, self.warning_delta)
        self._watch(j, "drift", self.drifts, self.drift_delta)
        self.committee.met[j, :] = self.background_met[j, :]
        self.background[j] = None
        self.has_successor[j] = False

    def _watch(self, j, name, held, delta):
        """Have a fresh detector of this name for member `j`."""
        detector = AdaptiveWindow(delta)
        self.committee.things[name][j] = detector
        held.put(j, detector)

    def weights(self):
        """Return the weight of each member's vote."""
        numbers = self.committee.numbers
        return np.array([_share(row[RIGHT], row[SEEN]) for row in numbers])

    def scores(self, X):
        """Return the votes: (rows, classes)."""
        vote = self.committee.blend if self.soft else self.committee.tally
        return vote(X, self.weights())

    def describe(self):
        """Return a table of the members, as a dict of columns."""
        errors = [detector.estimate for detector in self.committee["drift"]]
        return self.committee.describe(self.weights(), np.array(errors))

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.background_met = widened(self.background_met, positions, n_classes, axis=1)
        for model in self.background:
            if model is not None:
                model.widen(positions, n_classes)
        self.committee.widen(positions, n_classes)
        self._prepare()


def _share(right, seen):
    """Return the share of right answers, as if one before the first had been right."""
    return (1.0 + right) / (1.0 + seen)
