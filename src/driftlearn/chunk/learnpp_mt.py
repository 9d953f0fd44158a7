"""Learn++.MT."""

from __future__ import annotations

import numpy as np

from driftlearn.chunk.learnpp_family import LearnPPFamily
from driftlearn.parts.class_votes import dynamic_vote


class LearnPPMTClassifier(LearnPPFamily):
    """Learn++.MT: members step back where others know a class that they have not met.

    For each row the members that were trained on a class say how sure they are of it; those that
    were not lose weight accordingly. So a new class is not out-voted by the members that cannot
    know it, and fewer members are needed.

    Parameters
    ----------
    estimator, n_per_chunk, and the other parameters of the training loop
        As in `LearnPPClassifier`.

    Attributes
    ----------
    classes_, members_, history_, counts_, n_weak_
        As in `LearnPPClassifier`.

    Notes
    -----
    A class that disappears from the data is still voted for by the members that know it; when it
    returns it is known. A data set of a single class gives members that always name it; they
    step back for the others as soon as those are sure.

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
        return dynamic_vote(labels, committee["weight"][members], committee["knows"][members] > 0)
