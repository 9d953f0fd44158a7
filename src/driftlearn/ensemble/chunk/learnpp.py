"""Learn++: incremental boosting."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from sklearn.utils._param_validation import StrOptions

from driftlearn.ensemble.chunk.learnpp_family import LearnPPFamily
from driftlearn.ensemble.member_weights import odds
from driftlearn.ensemble.votes import tally, weighted_vote
from driftlearn.utils.docstrings import inherit_docs


@inherit_docs
@dataclass(eq=False, repr=False)
class LearnPPClassifier(LearnPPFamily):
    """Learn++: boosting over data sets that are seen once.

    All members are kept. A member's voting weight is the logarithm of the inverse of its normalized
    error. New classes are outvoted by members that were not trained on them; `LearnPPMTClassifier`
    and `LearnPPNCClassifier` correct for that.

    Parameters
    ----------
    %(estimator)s
    %(n_per_chunk)s
    vote : {"member", "hypothesis"}, default="member"
        "member": members vote, weighted by their own errors, as in the papers from 2002 on.
        "hypothesis": the composite hypotheses vote, weighted by their errors, as in 2001.
    %(other_parameters)s

    Attributes
    ----------
    %(other_attributes)s

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

    _: KW_ONLY
    vote: str = "member"

    _parameter_constraints = {"vote": [StrOptions({"member", "hypothesis"})]}

    def _record_composite(self, error: float, floor: float) -> None:
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
        decisions = [
            self._decide(labels[first[t] : t + 1], np.arange(first[t], t + 1)).argmax(axis=1)
            for t in members
        ]
        composites = np.array(decisions, dtype=np.int32)
        weight = self.committee_["composite_weight"][members]
        return weighted_vote(composites, weight, len(self.classes_))
