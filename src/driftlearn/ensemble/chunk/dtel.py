"""DTEL: diversity and transfer-based ensemble learning.

The diversity measures are in `driftlearn.ensemble.diversity`; a tree is transferred by
`CARTClassifier.transfer`.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.base.base_learners import can_adapt, transferred
from driftlearn.base.chunk import Chunk
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.committee import Committee
from driftlearn.ensemble.diversity import (
    disagreement,
    double_fault,
    entropy_without,
    most_redundant,
    q_statistics,
)
from driftlearn.ensemble.member_weights import inverse_error, random_error, squared_error
from driftlearn.ensemble.selection import smallest_errors
from driftlearn.io.schema import Field, InvalidStateError, a
from driftlearn.utils.arguments import Floats, Values
from driftlearn.utils.docstrings import inherit_docs

# Each function returns the model without which the others are most diverse, given the rows that
# each model classifies correctly.
REDUNDANT: dict[str, Callable[[Values, Floats], int]] = {
    "q": lambda correct, w: most_redundant(q_statistics(correct, w)),
    "disagreement": lambda correct, w: most_redundant(-disagreement(correct, w)),
    "double_fault": lambda correct, w: most_redundant(double_fault(correct, w)),
    "entropy": lambda correct, w: int(entropy_without(correct, w).argmax()),
}


@inherit_docs
@dataclass(eq=False, repr=False)
class DTELClassifier(ChunkClassifier):
    """DTEL: diversity and transfer-based ensemble learning.

    An archive preserves models as they were trained. For each chunk, a copy of every archived model
    is transferred to it (a tree keeps its splits, relabels its leaves and grows new ones). The
    transferred copies and a new model vote, weighted by their squared errors. When the archive is
    full, the model whose removal leaves the archive most diverse is dropped. The archive thus comes
    to contain models of different concepts.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; by default ``CARTClassifier(min_samples_leaf=5)``. Archived models
        are adapted by its method `transfer` or, if it has none, by `partial_fit` or `warm_start`.
        Paper settings: `DTELClassifier.as_published()` has
        ``estimator=CARTClassifier(smoothing=0.0)``, ``vote="hard"``.
    n_estimators : int, default=25
        Size of the archive; the paper recommends more than 20. None keeps all models.
    vote : {"hard", "soft"}, default="soft"
        Whether models vote by labels, as published, or by class probabilities.
    diversity : {"q", "disagreement", "double_fault", "entropy"}, default="q"
        Diversity measure, computed from correct predictions on the newest chunk. "q": Yule's Q, as
        in [1]_. "disagreement": how often exactly one of a pair is correct. "double_fault": how
        rarely both of a pair are wrong. "entropy": how evenly, on each row, the models are split
        into correct and wrong ones [2]_. Pairwise measures are averaged over all pairs.
    n_transfers : int, optional
        Number of archived models transferred to each chunk: those with the smallest squared error
        on the chunk before the transfer; on ties, the newest. The others stay in the archive and do
        not vote in this step. This bounds the time per chunk; by default all models are
        transferred.
    %(other_parameters)s

    Attributes
    ----------
    %(classes_)s
    members_ : Table
        One row per member: the transferred models and the newest one.
    %(history_)s
    %(step_)s
    archive_ : Committee
        The archived models, unchanged since their training.

    References
    ----------
    .. [1] Y. Sun, K. Tang, Z. Zhu, X. Yao, "Concept Drift Adaptation by Exploiting Historical
       Knowledge", IEEE Trans. Neural Networks and Learning Systems 29(10), 2018,
       doi:10.1109/TNNLS.2017.2775225.
    .. [2] L. Kuncheva, C. Whitaker, "Measures of Diversity in Classifier Ensembles and Their
       Relationship with the Ensemble Accuracy", Machine Learning 51(2), 2003,
       doi:10.1023/A:1022859003006.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> stream, model = SEA(n_rows=10_000, noise=0.1, random_state=0), DTELClassifier()
    >>> for batch in stream.chunks(250):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> len(model.archive_), model.score(*stream.test_set(9_999, 1_000, random_state=1)) > 0.9
    (25, True)
    """

    n_estimators: int | None = 25
    _: KW_ONLY
    vote: str = "soft"
    diversity: str = "q"
    n_transfers: int | None = None

    PUBLISHED = {**ChunkClassifier.PUBLISHED, "vote": "hard"}
    STATE: ClassVar[dict[str, Field]] = {"archive_": a(Committee)}
    _parameter_constraints = {
        "vote": [StrOptions({"hard", "soft"})],
        "diversity": [StrOptions(set(REDUNDANT))],
        "n_transfers": [Interval(Integral, 1, None, closed="left"), None],
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless the archive has the classes and all columns."""
        archive = state.get("archive_")
        if archive and not {"id", "created_at", "seed"} <= set(archive.numbers):
            raise InvalidStateError("the archive must have the columns id, created_at and seed")
        if archive and not np.array_equal(archive.classes, state["classes_"]):
            raise InvalidStateError("the archive and the learner have different classes")

    def _validate_params(self) -> None:
        super()._validate_params()
        if not can_adapt(self._base_learner()):
            raise ValueError(
                "The 'estimator' parameter of DTELClassifier must have transfer, partial_fit or "
                "warm_start, because archived models are adapted. Got "
                f"{type(self.estimator).__name__}, which has none of them."
            )

    def _begin(self) -> None:
        super()._begin()
        self.archive_ = Committee(self.classes_)

    def _widen(self, positions: np.ndarray) -> None:
        super()._widen(positions)
        self.archive_.widen(self.classes_)

    def _learn(self, chunk: Chunk) -> None:
        archive, y, w = self.archive_, chunk.y, chunk.w
        candidates = self._transfer_candidates(chunk)
        newest, seed, adapted = self._train_and_update(transferred, candidates, chunk)

        committee = self.committee_ = Committee(self.classes_)
        created_at = np.append(candidates["created_at"], self.step_)
        # In the history, a transferred copy is the same member as its original, so its id is the
        # step at which the original was created.
        committee.extend([*adapted, newest], id=created_at, created_at=created_at)
        archive.add(newest, created_at=self.step_, id=self.step_, seed=seed)
        error, redundant = self._run_parallel(
            chunk,
            lambda: squared_error(committee.probas(chunk.X), y, w),
            lambda: self._most_redundant(chunk),
        )
        committee["error"] = error
        guessing = random_error(y, w)
        weight = inverse_error(guessing, error)
        weight[-1] = inverse_error(guessing)  # the newest model counts as perfect on its own chunk
        committee["weight"] = weight
        if redundant is not None:
            archive.drop(redundant)

    def _most_redundant(self, chunk: Chunk) -> int | None:
        """Return the model to drop from the archive, or None if it is not full."""
        if self.n_estimators is None or len(self.archive_) <= self.n_estimators:
            return None
        correct = self.archive_.labels(chunk.X) == chunk.y
        return REDUNDANT[self.diversity](correct, chunk.w)

    def _transfer_candidates(self, chunk: Chunk) -> Committee:
        """Return the archived models to transfer to a chunk."""
        if self.n_transfers is None or len(self.archive_) <= self.n_transfers:
            return self.archive_
        error = squared_error(self.archive_.probas(chunk.X), chunk.y, chunk.w)
        candidates = self.archive_.draft()
        candidates.select(smallest_errors(error, self.n_transfers))
        return candidates

    def _scores(self, X: np.ndarray) -> np.ndarray:
        committee = self.committee_
        return committee.vote(committee.probas(X) if self.vote == "soft" else committee.labels(X))
