"""OCB: online coordinate boosting."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from driftlearn.base.chunk import Chunk
from driftlearn.engines.row_window import RowWindow
from driftlearn.kernels.ocb import CoordinateBoost
from driftlearn.online._boosted import BoostedClassifier, Host


class OCBClassifier(BoostedClassifier):
    """Online coordinate boosting: members that never change, confidences that always do.

    AdaBoost on the first `init_size` rows makes the members. After that every row moves their
    confidences to what AdaBoost would give them on all rows so far, approximately: how a change
    of one confidence shifts the weights at a later stage is worked out from sums over pairs of
    members, not from the rows, which are not kept. Nothing is forgotten, so that a change of
    concept takes long to show. It is for two classes; a third is a ValueError.

    Until the initial rows are complete the heavier class so far is predicted. `fit` makes do with
    the rows it is given.

    Parameters
    ----------
    estimator : classifier, optional
        Base learner, `StumpClassifier` by default; as in `IBoostClassifier`.
    n_estimators : int, default=200
        Rounds of AdaBoost, at most.
    init_size : int, default=200
        Rows on which the members are trained.
    order : int, default=5
        Earlier members whose changes count for a member's sums.
    smoothing : float, default=0.5
        What all sums start from.
    random_state : int, Generator, RandomState or None
        Decides what is random in the base learner, and draws for one that takes no weights.

    Attributes
    ----------
    classes_, n_members_, estimators_, history_
        As in `IBoostClassifier`.
    members_ : Table
        As in `IBoostClassifier`; ``error`` is by the weights at the member's stage.
    team_ : driftlearn.kernels.ocb.CoordinateBoost
        The compiled ensemble.

    References
    ----------
    .. [1] R. Pelossof, M. Jones, I. Vovsha, C. Rudin, "Online coordinate boosting", IEEE
       International Conference on Computer Vision Workshops, 2009.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=8_000, noise=0.0, random_state=0), OCBClassifier()
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.916
    """

    n_estimators: int
    _parameter_constraints = {
        **BoostedClassifier._parameter_constraints,
        "init_size": [Interval(Integral, 1, None, closed="left")],
        "order": [Interval(Integral, 0, None, closed="left")],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 200,
        *,
        init_size: int = 200,
        order: int = 5,
        smoothing: float = 0.5,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.init_size = init_size
        self.order = order
        self.smoothing = smoothing
        self.random_state = random_state

    def _team(self) -> CoordinateBoost:
        window = RowWindow(self.n_features_in_, len(self.classes_), self.init_size)
        order = min(self.order, self.n_estimators - 1)
        return CoordinateBoost(window, self._members(), self.n_estimators, order, self.smoothing)

    def _meet(self, labels: np.ndarray) -> None:
        known = np.union1d(getattr(self, "classes_", labels), labels)
        if len(known) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"the classes are {known.tolist()}."
            )
        super()._meet(labels)

    def _receive(self, chunk: Chunk, finish: bool) -> None:
        super()._receive(chunk, finish)
        if finish:
            self.team_.finish(Host(self))

    def _scores(self, X: np.ndarray) -> np.ndarray:
        if self.team_.members.n == 0:
            return self.team_.scores(X)
        return super()._scores(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
