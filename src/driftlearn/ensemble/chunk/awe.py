"""AWE: accuracy-weighted ensemble."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import Interval

from driftlearn.base.chunk import DECIMALS, Chunk
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.member_weights import random_error, squared_error
from driftlearn.ensemble.selection import largest_weights
from driftlearn.utils.arguments import Floats
from driftlearn.utils.docstrings import inherit_docs


@inherit_docs
@dataclass(eq=False, repr=False)
class AWEClassifier(ChunkClassifier):
    """AWE: accuracy-weighted ensemble.

    The weight of a member is ``MSE_r - MSE_i``: the squared error of guessing by the class priors
    minus its own, both on the newest chunk. Members that are no better than guessing do not vote.
    The error of the newest model is estimated by cross-validation within its chunk, because its
    training error would be too low.

    Parameters
    ----------
    %(estimator)s
    n_estimators : int, default=15
        Maximum number of members that vote.
    n_stored : int, default=30
        Maximum number of members kept.
    n_folds : int, default=10
        Number of folds for the newest model's error. Folds are assigned round robin within each
        class, without randomness.
    %(other_parameters)s

    Attributes
    ----------
    %(classes_)s
    members_ : Table
        One row per member; the column ``worth`` is the weight before the `n_estimators` best are
        selected.
    %(history_)s
    %(step_)s

    Notes
    -----
    The `n_stored` best of the old and new models are kept; of equally good models, the oldest is
    dropped. If no member is better than guessing (after an abrupt drift, or on a chunk of one
    class), the newest member is kept and votes alone, because only it was trained on the current
    concept.

    References
    ----------
    .. [1] H. Wang, W. Fan, P. S. Yu, J. Han, "Mining concept-drifting data streams using ensemble
       classifiers", KDD 2003, doi:10.1145/956750.956778.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=10_000, noise=0.1, random_state=0), AWEClassifier()
    >>> for batch in stream.chunks(250):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> len(model.members_), int((model.members_["weight"] > 0).sum())
    (30, 15)
    """

    n_estimators: int | None = 15
    _: KW_ONLY
    n_stored: int | None = 30
    n_folds: int = 10

    _parameter_constraints = {
        "n_stored": [Interval(Integral, 1, None, closed="left"), None],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
    }

    def _learn(self, chunk: Chunk) -> None:
        committee = self.committee_
        guessing = random_error(chunk.y, chunk.w)
        # The newest member's training error would be too low, so its error is estimated by
        # cross-validation.
        (newest, unseen), errors = self._run_parallel(
            chunk, lambda: self._cross_validated(chunk, self.n_folds), lambda: self._errors(chunk)
        )
        if len(committee):
            committee["error"] = errors
            committee["worth"] = _worth(guessing, errors)
        error = squared_error(unseen[None], chunk.y, chunk.w)[0]
        worth = _worth(guessing, error)
        room = self.n_stored is None or len(committee) < self.n_stored
        # Among equal members the oldest is dropped, so that the newest remains to vote alone if no
        # member is better than guessing.
        if not room and worth >= committee["worth"].min():
            committee.drop(int(committee["worth"].argmin()))
            room = True
        if room:
            committee.add(newest, created_at=self.step_, error=error, worth=worth)
        voters = largest_weights(committee["worth"], self.n_estimators or len(committee))
        weight = np.zeros(len(committee))
        weight[voters] = committee["worth"][voters]
        committee["weight"] = weight

    def _errors(self, chunk: Chunk) -> Floats | None:
        """Return the members' errors on a chunk; None if there are no members."""
        if not len(self.committee_):
            return None
        return squared_error(self.committee_.probas(chunk.X), chunk.y, chunk.w)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return self.committee_.vote(self.committee_.probas(X))


def _worth(guessing: float, error: np.ndarray) -> np.ndarray:
    """Return the error of guessing minus the given error; 0 if they differ by rounding only."""
    gain = guessing - error
    return np.where(np.round(gain, DECIMALS) > 0, gain, 0.0)
