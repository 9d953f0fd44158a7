"""Learn++."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions

from driftlearn.ensemble.chunk.learnpp_family import LearnPPFamily
from driftlearn.ensemble.member_weights import odds
from driftlearn.ensemble.votes import tally, weighted_vote


class LearnPPClassifier(LearnPPFamily):
    """Learn++: boosting over data sets that are seen once, all members kept.

    A member's vote is the logarithm of one over its normalised error. Classes that appear later
    are out-voted by the members that cannot know them; `LearnPPMTClassifier` and
    `LearnPPNCClassifier` repair that.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; ``CARTClassifier(min_samples_leaf=5)`` by default. As published:
        `LearnPPClassifier.as_published()`: ``estimator=CARTClassifier()``. The papers' own
        experiments have a small network, see `MLPGoalClassifier`.
    n_per_chunk : int, default=5
        Members generated for each data set.
    vote : {"member", "hypothesis"}, default="member"
        Whether the members vote by their own errors, as from 2002 on, or the composite
        hypotheses by theirs, as in 2001.
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
    .. [1] R. Polikar, L. Udpa, S. S. Udpa, V. Honavar, "Learn++: An incremental learning
       algorithm for supervised neural networks", IEEE Trans. Systems, Man and Cybernetics C
       31(4), 2001, doi:10.1109/5326.983933.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LearnPPClassifier(random_state=0)
    >>> model.partial_fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2]).score(X, y)
    0.98
    """

    _parameter_constraints = {
        **LearnPPFamily._parameter_constraints,
        "vote": [StrOptions({"member", "hypothesis"})],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_per_chunk: int = 5,
        *,
        vote: str = "member",
        sample_size: int | float | None = None,
        replacement: bool = True,
        resampling: bool = True,
        error_floor: str | float = "half_instance",
        max_retries: int = 10,
        on_weak: str = "clip",
        early_stop: bool = False,
        composite: str = "sub",
        initial: str = "evaluate",
        validation_share: float | None = None,
        ties: str = "first",
        chunk_size: int | None = None,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        super().__init__(
            estimator, n_per_chunk, sample_size=sample_size, replacement=replacement,
            resampling=resampling, error_floor=error_floor, max_retries=max_retries,
            on_weak=on_weak, early_stop=early_stop, composite=composite, initial=initial,
            validation_share=validation_share, ties=ties, chunk_size=chunk_size,
            class_weight=class_weight, random_state=random_state, n_jobs=n_jobs,
        )  # fmt: skip
        self.vote = vote

    def _note_composite(self, error: float, floor: float) -> None:
        committee = self.committee_
        beta = odds(np.array(error), floor)
        weight = committee["composite_weight"] if len(committee) > 1 else np.zeros(1)
        weight[-1] = np.log(1.0 / beta)
        committee["composite_weight"] = weight

    def _vote(self, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
        return tally(labels, self.committee_["weight"][members], len(self.classes_))

    def _final(self, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
        if self.vote == "member":
            return self._decide(labels, members)
        first = self.committee_["first"].astype(int)
        said = [
            self._decide(labels[first[t] : t + 1], np.arange(first[t], t + 1)).argmax(axis=1)
            for t in members
        ]
        composites = np.array(said, dtype=np.int32)
        weight = self.committee_["composite_weight"][members]
        return weighted_vote(composites, weight, len(self.classes_))
