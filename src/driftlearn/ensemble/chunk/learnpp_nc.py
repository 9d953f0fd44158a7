"""Learn++.NC: consult-and-vote for new classes."""

import numpy as np

from driftlearn.ensemble.chunk.learnpp_family import LearnPPFamily
from driftlearn.ensemble.class_votes import dynamic_vote
from driftlearn.utils.docstrings import inherit_docs


@inherit_docs
class LearnPPNCClassifier(LearnPPFamily):
    """Learn++.NC: dynamically weighted consult-and-vote for new classes.

    For each row, the confidence in a class is computed from the members whose data set contained
    it. The weights of members of other data sets are reduced accordingly. Two disjoint groups of
    members that are both certain do not cancel each other, unlike in Learn++.MT, which considers
    the training sample of each member.

    Parameters
    ----------
    %(estimator)s
    %(n_per_chunk)s
    %(other_parameters)s

    Attributes
    ----------
    %(other_attributes)s

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
        trained_on = self.counts_[committee["created_at"][members].astype(int) - 1] > 0
        return dynamic_vote(labels, committee["weight"][members], trained_on, conflicts=True)
