"""The adaptive random forest."""

from __future__ import annotations

from typing import Any

from driftlearn.forest._background_bagging import BackgroundBaggingClassifier
from driftlearn.tree.hoeffding_tree import quick_tree


class AdaptiveRandomForestClassifier(BackgroundBaggingClassifier):
    """Adaptive random forest: bagged trees of random leaves, each with a successor in sight.

    Each tree learns each row Poisson(6) times, and each of its leaves looks for a split among a
    few features only, drawn when the leaf is born. Two ADWINs watch the errors of each tree. At a
    *warning* a new tree begins to learn in the background; at a *drift* it takes the place of the
    one that it was begun for. Trees vote with the weight of their accuracy since they took their
    place.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        The base learner; by default the paper's tree,
        ``HoeffdingTreeClassifier(grace_period=50, delta=0.01, max_features="sqrt")``. Features
        that are codes of categories are named there, in `nominal_features`. Naive Bayes runs
        compiled too, anything else in the same loop at its own speed.
    n_estimators : int, default=10
        Number of members. The paper has 100, which costs ten times as much; on the electricity
        data, row by row, that is worth a point.
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
        One row a member: ``id``, ``created_at`` (the row in which it took its place), ``weight``
        (of its vote), ``error`` (the estimate of its drift detector), ``classes`` (the labels it
        has learned), ``size``, ``bytes``.
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
    A leaf keeps statistics of all features, so that naive Bayes at a leaf asks all of them.

    References
    ----------
    .. [1] H. M. Gomes, A. Bifet, J. Read, J. P. Barddal, F. Enembreck, B. Pfahringer, G. Holmes,
       T. Abdessalem, "Adaptive random forests for evolving data stream classification", Machine
       Learning 106, 2017, doi:10.1007/s10994-017-5642-8.

    Examples
    --------
    >>> from driftlearn import AdaptiveRandomForestClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(n_rows=8_000, noise=0.0, random_state=0)
    >>> model = AdaptiveRandomForestClassifier(random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.988
    >>> model.n_warnings_, model.n_drifts_
    (23, 20)
    """

    def _base_learner(self) -> Any:
        if self.estimator is None:
            return quick_tree().set_params(max_features="sqrt")
        return self.estimator
