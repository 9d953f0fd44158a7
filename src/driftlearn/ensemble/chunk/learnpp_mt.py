"""Learn++.MT: voting that accounts for classes unknown to some members."""

import numpy as np

from driftlearn.ensemble.chunk.learnpp_family import LearnPPFamily
from driftlearn.ensemble.class_votes import dynamic_vote
from driftlearn.utils.docstrings import inherit_docs


@inherit_docs
class LearnPPMTClassifier(LearnPPFamily):
    """Learn++.MT: members are down-weighted for classes they were not trained on.

    For each row, the confidence in a class is computed from the members that were trained on it.
    The weights of the other members are reduced accordingly. A new class is therefore not outvoted
    by members that cannot predict it, and fewer members are needed.

    Parameters
    ----------
    %(estimator)s
    %(n_per_chunk)s
    %(other_parameters)s

    Attributes
    ----------
    %(other_attributes)s

    Notes
    -----
    Members continue to vote for a class that disappears from the data, so the class is recognized
    when it returns. Members trained on a data set with a single class always predict that class;
    they are down-weighted where other members are confident.

    References
    ----------
    .. [1] M. Muhlbaier, A. Topalis, R. Polikar, "Learn++.MT: A New Approach to Incremental
       Learning", MCS 2004, LNCS 3077, doi:10.1007/978-3-540-25966-4_5.

    Examples
    --------
    A third class appears in the second data set:

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> old = y < 2
    >>> model = LearnPPMTClassifier(random_state=0).partial_fit(X[old][::2], y[old][::2])
    >>> model.partial_fit(X[1::2], y[1::2]).score(X, y) > 0.9
    True
    """

    def _vote(self, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
        committee = self.committee_
        return dynamic_vote(
            labels, committee["weight"][members], committee["trained_on"][members] > 0
        )
