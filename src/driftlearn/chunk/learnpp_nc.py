"""Learn++.NC."""

from __future__ import annotations

import numpy as np

from driftlearn.chunk.learnpp_family import LearnPPFamily
from driftlearn.parts.class_votes import dynamic_vote


class LearnPPNCClassifier(LearnPPFamily):
    """Learn++.NC: members consult each other about classes that not all have met, then vote.

    As in Learn++.MT, but a group's knowledge is that of its data set, and two groups without a
    common member that are both certain do not silence each other.

    Parameters
    ----------
    estimator, n_per_chunk, and the other parameters of the training loop
        As in `LearnPPClassifier`.

    Attributes
    ----------
    classes_, members_, history_, counts_, n_weak_
        As in `LearnPPClassifier`.

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
        knows = self.counts_[committee["born"][members].astype(int) - 1] > 0
        return dynamic_vote(labels, committee["weight"][members], knows, conflicts=True)
