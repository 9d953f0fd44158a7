"""Streaming random patches."""

from __future__ import annotations

from typing import Any

from driftlearn.base._online_model import OnlineModel
from driftlearn.base.external_model import ExternalModel
from driftlearn.base.one_model import OneModelClassifier
from driftlearn.forest._background_bagging import BackgroundBaggingClassifier
from driftlearn.forest._subspace_model import SubspaceModel
from driftlearn.tree._random_features import draw_features, how_many
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier


class StreamingRandomPatchesClassifier(BackgroundBaggingClassifier):
    """Streaming random patches: members that see other rows and other features each.

    A member is handed a random part of the features, drawn when it is begun, and learns each row
    Poisson(6) times. Two ADWINs watch its errors. At a *warning* a new member, of other features,
    begins to learn in the background; at a *drift* it takes the place of the one that it was begun
    for. Members vote with the weight of their accuracy since they took their place. The base
    learner can be anything, where a random forest needs trees.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        The base learner; ``HoeffdingTreeClassifier(grace_period=50, delta=0.01)`` by default.
        Features that are codes of categories are named there, in `nominal_features`, as columns of
        the whole. Naive Bayes runs compiled too, anything else in the same loop at its own speed.
    n_estimators : int, default=10
        Number of members. The paper has 100, which costs ten times as much; on the electricity
        data, row by row, that is worth a point.
    subspace : int, float, "sqrt" or None, default=0.6
        How many features a member sees: so many, this share of all (two at least), the square
        root of their number and one more, or all.
    rate : float, default=6.0
        How often a member learns a row: a Poisson number of this mean.
    warning_delta, drift_delta : float, default=0.01 and 0.001
        Confidence of the two detectors of a member: the smaller, the fewer alarms.
    vote : {"soft", "majority"}, default="soft"
        Members vote with probabilities or with labels; either way weighted by accuracy.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), of the n rows and k classes so far; at most 100.
    random_state : int, Generator, RandomState or None
        Decides the draws and the features.
    n_jobs : int, optional
        Threads among which members that are Hoeffding trees or naive Bayes are shared out; the
        result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row a member: ``id``, ``born`` (the row in which it took its place), ``weight`` (of its
        vote), ``error`` (the estimate of its drift detector), ``classes`` (the labels it has
        learned), ``size``, ``bytes``.
    n_members_, n_rows_ : int
        The number of members; of rows learned.
    estimators_ : list
        The members' models.
    history_ : History
        The voting weights every 200 rows, later every 400, and so on.
    n_warnings_, n_drifts_ : int
        Models begun in the background after a warning so far; members replaced so far.
    committee_ : OnlineCommittee
        The models and what is kept of each.
    engine_ : BackgroundBagging
        The compiled algorithm.

    Notes
    -----
    A detector fires when it cuts its window and the mean error has risen. After a warning its
    detector begins anew; so do both when a member is replaced. Papers leave open, and here it is
    so: a new warning discards what an earlier one began; without a model in the background one is
    begun at the drift; it learns the row of the drift before it takes its place; and a member's
    accuracy counts as if one row before its first had been right, so that nobody is mute.

    References
    ----------
    .. [1] H. M. Gomes, J. Read, A. Bifet, "Streaming random patches for evolving data stream
       classification", IEEE International Conference on Data Mining, 2019,
       doi:10.1109/ICDM.2019.00034.

    Examples
    --------
    >>> from driftlearn import StreamingRandomPatchesClassifier
    >>> from driftlearn.streams import RBF
    >>> stream = RBF(n_rows=8_000, random_state=0)
    >>> model = StreamingRandomPatchesClassifier(random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.9
    >>> model.n_warnings_, model.n_drifts_
    (10, 8)
    """

    _parameter_constraints = {
        **BackgroundBaggingClassifier._parameter_constraints,
        "subspace": HoeffdingTreeClassifier._parameter_constraints["max_features"],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        subspace: Any = 0.6,
        rate: float = 6.0,
        warning_delta: float = 0.01,
        drift_delta: float = 0.001,
        vote: str = "soft",
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        super().__init__(
            estimator,
            n_estimators,
            rate=rate,
            warning_delta=warning_delta,
            drift_delta=drift_delta,
            vote=vote,
            class_weight=class_weight,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.subspace = subspace

    def _new_model(self, seed: int | None = None) -> OnlineModel:
        """Return a model that knows nothing and sees some of the features, both by its seed."""
        seed = self._seed() if seed is None else seed
        d = self.n_features_in_
        columns = draw_features(seed, 1, d, how_many(self.subspace, d))[0]
        base = self._base_learner()
        if isinstance(base, OneModelClassifier):
            inner = base._seeing(columns, d)._make(len(columns), len(self.classes_), seed)
        else:
            inner = ExternalModel(base, seed, len(columns), self.class_book_)
        return SubspaceModel(d, columns, inner)
