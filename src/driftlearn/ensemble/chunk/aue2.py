"""AUE2: accuracy updated ensemble."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from driftlearn.base.base_learners import updated
from driftlearn.base.chunk import Chunk
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.member_weights import inverse_error, random_error, squared_error
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier, quick_tree
from driftlearn.utils.docstrings import inherit_docs


@inherit_docs
@dataclass(eq=False, repr=False)
class AUE2Classifier(ChunkClassifier):
    """AUE2: accuracy updated ensemble.

    Incremental members are updated with every chunk and weighted inversely to their squared error
    on it. The newest member gets the weight of a perfect member. The ensemble reacts to both
    gradual and abrupt drift.

    Paper settings: `AUE2Classifier.as_published()` has ``estimator=HoeffdingTreeClassifier()``.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        The base learner; by default a Hoeffding tree that splits early,
        ``HoeffdingTreeClassifier(grace_period=50, delta=0.01)``. External learners cannot adopt
        new classes: such a member is trained from scratch on the chunk with the new class.
    n_estimators : int, default=10
        Maximum number of members; the member with the smallest weight is replaced.
    %(other_parameters)s

    Attributes
    ----------
    %(other_attributes)s

    References
    ----------
    .. [1] D. Brzezinski, J. Stefanowski, "Reacting to Different Types of Concept Drift: The
       Accuracy Updated Ensemble Algorithm", IEEE Trans. Neural Networks and Learning Systems
       25(1), 2014, doi:10.1109/TNNLS.2013.2251352.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=10_000, noise=0.1, random_state=0), AUE2Classifier()
    >>> for batch in stream.chunks(250):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(9_999, 1_000, random_state=1)) > 0.9
    True
    """

    n_estimators: int | None = 10

    PUBLISHED = {"estimator": HoeffdingTreeClassifier()}

    def _default_base_learner(self) -> Any:
        return quick_tree()

    def _validate_params(self) -> None:
        super()._validate_params()
        if not hasattr(self._base_learner(), "partial_fit"):
            raise ValueError(
                "The 'estimator' parameter of AUE2Classifier must have partial_fit, because "
                f"members are updated. Got {type(self.estimator).__name__}, which does not have it."
            )

    def _learn(self, chunk: Chunk) -> None:
        committee = self.committee_
        guessing = random_error(chunk.y, chunk.w)
        if len(committee):
            committee["error"] = squared_error(committee.probas(chunk.X), chunk.y, chunk.w)
            committee["weight"] = inverse_error(guessing, committee["error"])
        perfect = inverse_error(guessing)
        room = self.n_estimators is None or len(committee) < self.n_estimators
        if not room and committee["weight"].min() < perfect:
            committee.drop(int(committee["weight"].argmin()))
            room = True
        committee.replace(self._update_models(updated, committee, chunk))
        if room:
            newest, seed = self._train_seeded(chunk)
            committee.add(newest, weight=perfect, created_at=self.step_, seed=seed)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return self.committee_.vote(self.committee_.probas(X))
