"""Base class of ensembles that are trained chunk by chunk."""

from dataclasses import KW_ONLY, dataclass
from math import ceil
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import HasMethods, Interval

from driftlearn.base.chunk import Chunk
from driftlearn.base.prequential import test_then_train_chunks
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.threads import N_JOBS, thread_limit
from driftlearn.base.validation import takes_missing
from driftlearn.ensemble._member_training import MemberTraining
from driftlearn.ensemble.committee import Committee, HasCommittee
from driftlearn.ensemble.history import MOST_STEPS, History
from driftlearn.io.schema import Field, InvalidStateError, a, integer, optional
from driftlearn.tables.passthrough import passthrough, takes_sparse
from driftlearn.tree.cart import CARTClassifier
from driftlearn.utils.arguments import Self

# Limits on how `fit` splits a table. With other limits, accuracy is lower if the rows are in random
# order; more chunks gain little if there is drift.
FEWEST_ROWS, FEWEST_CHUNKS, MOST_CHUNKS = 500, 5, 20


@dataclass(eq=False, repr=False)
class ChunkClassifier(HasCommittee, MemberTraining):
    """Base class of ensembles that are trained chunk by chunk.

    A subclass inherits the parameters `estimator`, `chunk_size`, `class_weight` (already included
    in the row weights), `random_state` and `n_jobs`. It declares further parameters as fields of a
    `dataclass(eq=False, repr=False)` or in a constructor. It implements these hooks:

    * ``_learn(chunk: Chunk) -> None``: train on one chunk, as in the pseudocode of the paper: train
      models, change ``self.committee_`` through its methods, and set its column ``"weight"`` to the
      voting weights;
    * ``_scores(X: ndarray) -> ndarray``: return nonnegative class scores of shape (rows, classes),
      such as those of ``self.committee_.vote(...)``;
    * ``_begin() -> None`` (optional): initialize further state, in attributes that end in ``_``;
      ``super()._begin()`` initializes committee, history and step;
    * ``_widen(positions: ndarray) -> None`` (optional): adapt to an extended class list: the old
      class code ``c`` is now ``positions[c]``; ``super()._widen(positions)`` adapts the committee;
    * ``_base_learner() -> classifier`` (optional): return the base learner; the default is CART
      with at least five rows per leaf;
    * ``_measures() -> bool`` (optional): return whether the learner itself computes with features;
      the default is False. Then rows may have missing values (nan) if the base learner accepts
      them, and an external base learner gets the user's data frame or sparse matrix: ``chunk.X`` is
      a `PassthroughRows`, which is indexed like an array;
    * ``_validate_params() -> None`` (optional): reject combinations of parameters.

    A subclass may use

    * ``self.classes_``, ``self.n_features_in_``, ``self.step_`` (number of chunks, including the
      current chunk), ``self.rng_`` (the generator for all random numbers);
    * ``self._train(chunk) -> model``: a new model of the base learner, seeded from ``rng_``;
    * ``self._train_seeded(chunk) -> (model, int)``: a new model and its seed, for a member that may
      have to be retrained from scratch;
    * ``self._update_models(how, committee, chunk) -> list of models``: a committee's models after
      each was adapted to the chunk by `how`: `updated` or `transferred` of
      `driftlearn.base.base_learners`. Members need the column ``"seed"``;
    * ``self._train_and_update(how, committee, chunk) -> (model, int, list of models)``: the results
      of the latter two methods, run in parallel threads if requested;
    * ``self._train_all(chunks) -> list of models``: one model per chunk, in threads if requested;
    * ``self._cross_validated(chunk, n_folds) -> (model, ndarray)``: a new model, and
      cross-validated class probabilities of the chunk's rows;
    * ``self._labels_of(model, X) -> ndarray of int``, ``self._probas_of(model, X) -> ndarray``:
      predictions of one model, with the class codes and columns of the ensemble;
    * ``self.committee_``, a `Committee`: ``labels(X)``, ``probas(X)`` and ``vote(...)``, ``add``,
      ``drop``, ``select``, ``truncate``, ``replace``, and its columns.

    A hook may fail at any point: training works on a copy of the learner, which replaces the
    original at the end. State must therefore be replaced instead of modified in place, unless it
    has a method ``draft()`` that returns a working copy.

    Each `partial_fit` call is one chunk, and `fit` splits a long table into several, unless the
    class attribute ``_splits_tables`` is False. With ``chunk_size=n`` rows are buffered and split
    into chunks of n, so that the result does not depend on how the caller splits the stream;
    `flush` trains on an incomplete chunk, which `fit` also does at the end.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; by default ``CARTClassifier(min_samples_leaf=5)``. As published:
        `ChunkClassifier.as_published()`: ``estimator=CARTClassifier()``.
    chunk_size : int, optional
        Number of rows per chunk. By default each `partial_fit` call is a chunk, and `fit`
        splits a table of 2,500 rows or more into 5 to 20 chunks.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied. A dict maps labels to weights; other
        classes have weight 1. "balanced" uses n / (k * rows of the class), with the n rows and k
        classes of a chunk.
    random_state : int, RandomState instance or None
        Seed.
    n_jobs : int, optional
        Number of threads for training. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The known labels, sorted.
    members_ : Table
        One row per member.
    history_ : History
        The voting weights over time.
    step_ : int
        Number of chunks trained on; after `fit`, the number of chunks into which the table was
        split.
    """

    estimator: Any = None
    _: KW_ONLY
    chunk_size: int | None = None
    class_weight: Any = None
    random_state: Any = None
    n_jobs: int | None = None

    PUBLISHED: ClassVar[dict[str, Any]] = {"estimator": CARTClassifier()}
    STATE: ClassVar[dict[str, Field]] = {
        "committee_": a(Committee),
        "history_": a(History),
        "step_": integer(0, MOST_STEPS),
        "waiting_": optional(a(Chunk, n_features="n_features_in_"), needed=True),
    }
    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left"), None],
        "chunk_size": [Interval(Integral, 1, None, closed="left"), None],
        "n_jobs": N_JOBS,
    }

    _splits_tables = True  # False for learners with a single model, which needs all rows of `fit`

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless the members match the learner."""
        committee = state.get("committee_")
        if committee and not np.array_equal(committee.classes, state["classes_"]):
            raise InvalidStateError("the members and the learner have different classes")
        if committee and not {"id", "weight"} <= set(committee.numbers):
            raise InvalidStateError("members must have an id and a weight")

    def _begin(self) -> None:
        self.committee_ = Committee(self.classes_)
        self.history_ = History()
        self.step_ = 0
        self.waiting_ = None

    def _widen(self, positions: np.ndarray) -> None:
        self.committee_.widen(self.classes_)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit from scratch on a table, which is split into chunks in the order of its rows.

        Chunks have ``chunk_size`` rows. Without ``chunk_size``, a table of 2,500 rows or more is
        split into 5 to 20 chunks of equal size, with about 500 rows each up to a table of 10,000
        rows. A shorter table is a single chunk, because a few members trained on few rows each are
        worse than a single model trained on all rows. ``step_`` is the number of chunks.

        Parameters
        ----------
        X, y, sample_weight
            As in `StreamClassifier.fit`.

        Returns
        -------
        self

        Examples
        --------
        >>> from driftlearn import SEAClassifier
        >>> from driftlearn.streams import SEA
        >>> X, y = SEA(n_rows=5_000, random_state=0).take(5_000)
        >>> SEAClassifier().fit(X, y).step_
        10
        """
        return super().fit(X, y, sample_weight)

    def flush(self) -> Self:
        """Train on the buffered rows as a chunk, regardless of their number.

        With ``chunk_size``, the rows since the last complete chunk are buffered. If training fails,
        the learner is unchanged, as in `partial_fit`. Without buffered rows the call has no effect.

        Returns
        -------
        self

        Examples
        --------
        >>> from driftlearn import AUE2Classifier
        >>> model = AUE2Classifier(chunk_size=2).partial_fit([[0.0], [1.0], [0.1]], [0, 1, 0])
        >>> model.n_members_, model.flush().n_members_, model.flush().n_members_
        (1, 2, 2)
        """
        with self._locked():
            waiting: Chunk | None = getattr(self, "waiting_", None)
            if waiting is not None:
                draft = self._draft(start=False)
                draft._validate_params()
                draft.waiting_ = None
                draft._step(waiting.with_classes(draft.classes_))
                self.__dict__ = draft.__dict__
        return self

    def _receive(self, chunk: Chunk, finish: bool, **how: Any) -> None:
        if self.waiting_ is not None:
            chunk, self.waiting_ = self.waiting_.with_classes(chunk.classes).then(chunk), None
        size = self.chunk_size or len(chunk)
        if self.chunk_size is None and finish and self._splits_tables:
            size = rows_of_a_chunk(len(chunk))
        while len(chunk) >= size:
            self._step(chunk.at(slice(size)), **how)
            chunk = chunk.at(slice(size, None))
        if len(chunk) and finish:
            self._step(chunk, **how)
        elif len(chunk):
            self.waiting_ = chunk.copied()

    def _test_then_learn(self, chunk: Chunk, probas: np.ndarray) -> None:
        test_then_train_chunks(self, chunk, probas)

    def _step(self, chunk: Chunk, **how: Any) -> None:
        self.step_ += 1
        with thread_limit(self._n_threads(chunk)):
            self._learn(self._weighed(chunk), **how)
        self.history_.record(self.step_, self.committee_["id"], self.committee_["weight"])

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "step_", 0) > 0

    def _check_fitted(self) -> None:
        waiting = getattr(self, "waiting_", None)
        if waiting is not None and not self.step_:
            raise NotFittedError(
                f"{type(self).__name__} has buffered {len(waiting)} of {self.chunk_size} rows and "
                "has not been trained yet. Call flush() to train on a partial chunk."
            )
        super()._check_fitted()

    def _base_learner(self) -> Any:
        return CARTClassifier(min_samples_leaf=5) if self.estimator is None else self.estimator

    def _measures(self) -> bool:
        """Return whether the learner itself, not only its models, computes with features."""
        return False

    def _takes_missing(self) -> bool:
        return not self._measures() and takes_missing(self._base_learner())

    def _passes_rows(self) -> bool:
        """Return whether members may get data frames and sparse matrices as passed to `fit`."""
        return not self._measures() and not isinstance(self._base_learner(), StreamClassifier)

    def _passthrough(self, X: Any, *y: Any, reset: bool) -> Any:
        return (
            passthrough(self, self._base_learner(), X, *y, reset=reset)
            if self._passes_rows()
            else None
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._passes_rows() and takes_sparse(self._base_learner())
        return tags


def rows_of_a_chunk(n: int) -> int:
    """Return the chunk size for a table of `n` rows; the last chunk has the rest.

    Examples
    --------
    >>> [rows_of_a_chunk(n) for n in (1, 2_499, 2_500, 9_999, 10_001, 1_000_000)]
    [1, 2499, 500, 527, 501, 50000]
    """
    n_chunks = min(n // FEWEST_ROWS, MOST_CHUNKS)
    return n if n_chunks < FEWEST_CHUNKS else ceil(n / n_chunks)
