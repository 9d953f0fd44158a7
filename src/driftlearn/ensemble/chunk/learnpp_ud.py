"""Learn++.UD: Learn++ for unbalanced data (a reconstruction)."""

import numpy as np

from driftlearn.ensemble.chunk.learnpp_family import LearnPPFamily
from driftlearn.ensemble.class_votes import class_weights, own_class_vote
from driftlearn.utils.docstrings import inherit_docs


@inherit_docs
class LearnPPUDClassifier(LearnPPFamily):
    """Learn++.UD: members vote per class, weighted by their training rows of that class.

    This is a *reconstruction*. The paper that Learn++.UDNC cites for it [1]_ calls its algorithm
    Learn++.MT2, and its full text was not available; this implementation follows the description in
    [2]_. Members do not consult each other, so new classes are outvoted.

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
    .. [1] M. Muhlbaier, A. Topalis, R. Polikar, "Incremental learning from unbalanced data",
       IJCNN 2004, doi:10.1109/IJCNN.2004.1380080.
    .. [2] G. Ditzler, M. Muhlbaier, R. Polikar, "Incremental Learning of New Classes in
       Unbalanced Datasets: Learn++.UDNC", MCS 2010, LNCS 5997.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LearnPPUDClassifier(random_state=0).partial_fit(X[::2], y[::2])
    >>> model.partial_fit(X[1::2], y[1::2]).score(X, y)
    0.99
    """

    def _class_weights(self, members: np.ndarray) -> np.ndarray:
        """Return the weights w_tc of these members by class, given all rows so far."""
        committee = self.committee_
        p = 1.0 - 2.0 * committee["error"][members]
        return class_weights(p, committee["rows"][members], self.counts_.sum(axis=0))

    def _vote(self, labels: np.ndarray, members: np.ndarray) -> np.ndarray:
        return own_class_vote(labels, self._class_weights(members))
