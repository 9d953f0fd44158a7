"""Learn++.NC."""

from __future__ import annotations

import numpy as np

from driftlearn.ensemble.chunk.learnpp_family import LearnPPFamily
from driftlearn.ensemble.class_votes import dynamic_vote


class LearnPPNCClassifier(LearnPPFamily):
    """Learn++.NC: members consult each other about classes that not all have met, then vote.

    For each row the members whose data set had a class say how sure they are of it, and those of
    other data sets lose weight accordingly. Two groups without a common member that are both
    certain do not silence each other; in Learn++.MT, which asks what each member itself was
    trained on, they do.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; ``CARTClassifier(min_samples_leaf=5)`` by default. As published:
        `LearnPPNCClassifier.as_published()`: ``estimator=CARTClassifier()``. The papers' own
        experiments have a small network, see `MLPGoalClassifier`.
    n_per_chunk : int, default=5
        Members generated for each data set.
    sample_size : int or float, optional
        Rows drawn for a member, or their share of the data set; as many as it has by default.
    replacement : bool, default=True
        Whether a row may be drawn more than once.
    resampling : bool, default=True
        Whether members are trained on a draw by the distribution, in which every class of the
        data set is present, or on all rows weighted by it.
    error_floor : "half_instance" or float, default="half_instance"
        The smallest error that counts, so that no vote is infinite.
    max_retries : int, default=10
        How often a member whose error exceeds 1/2 is trained again, where training again can
        give another result.
    on_weak : {"clip", "drop", "raise"}, default="clip"
        What happens to a member that is still worse: it stays without a vote, it is dropped, or
        an error is raised.
    early_stop : bool, default=False
        Whether a composite without error ends the data set; otherwise the distribution starts
        again.
    composite : {"sub", "all"}, default="sub"
        Whose composite the distribution follows: that of this data set's members, or of all.
    initial : {"evaluate", "uniform"}, default="evaluate"
        Whether the first distribution stresses what the ensemble so far gets wrong.
    validation_share : float, optional
        Share of each class of a data set that is held out, at random, to choose how many members
        are kept. A validation set that is given to `partial_fit` takes its place.
    ties : {"first", "last"}, default="first"
        Which number of members is kept where several are equally accurate on the rows held out:
        the smallest or the largest.
    chunk_size : int, optional
        Cut the rows into chunks of this size; by default each `partial_fit` call is a chunk, and
        `fit` cuts a table of 2,500 rows or more into 5 to 20.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), with the n rows and k classes of a chunk.
    random_state : int, RandomState instance or None
        Seed.
    n_jobs : int, optional
        Threads for training; the result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The labels known, sorted.
    members_ : Table
        One row a member.
    history_ : History
        The voting weights over time.
    step_ : int
        The chunks learned; after `fit`, those that the table was cut into.
    counts_ : ndarray of shape (data sets, classes)
        Weighted rows of each class in every data set so far.
    n_weak_ : int
        Members that stayed above an error of 1/2 when they were trained.

    References
    ----------
    .. [1] M. Muhlbaier, A. Topalis, R. Polikar, "Learn++.NC: Combining Ensemble of Classifiers
       With Dynamically Weighted Consult-and-Vote for Efficient Incremental Learning of New
       Classes", IEEE Trans. Neural Networks 20(1), 2009, doi:10.1109/TNN.2008.2008326.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> old = y < 2
    >>> model = LearnPPNCClassifier(random_state=0).partial_fit(X[old][::2], y[old][::2])
    >>> model.partial_fit(X[1::2], y[1::2]).score(X, y) > 0.9
    True
    """

    def _vote(self, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
        committee = self.committee_
        knows = self.counts_[committee["created_at"][members].astype(int) - 1] > 0
        return dynamic_vote(labels, committee["weight"][members], knows, conflicts=True)
