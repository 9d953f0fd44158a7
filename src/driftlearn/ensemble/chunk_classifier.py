"""Base class of ensembles that are trained chunk by chunk."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval

from driftlearn.base.chunk import Chunk
from driftlearn.base.chunked import ChunkedClassifier
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.threads import N_JOBS, thread_limit
from driftlearn.base.validation import takes_missing
from driftlearn.ensemble._member_training import MemberTraining
from driftlearn.ensemble.committee import Committee, HasCommittee
from driftlearn.ensemble.history import MOST_STEPS, History
from driftlearn.io.schema import Field, InvalidStateError, a, integer
from driftlearn.tables.passthrough import passthrough, takes_sparse
from driftlearn.tree.cart import CARTClassifier


@dataclass(eq=False, repr=False)
class ChunkClassifier(ChunkedClassifier, HasCommittee, MemberTraining):
    """Base class of ensembles that are trained chunk by chunk.

    A subclass inherits the parameters `estimator`, `chunk_size`, `nominal_features` (passed to the
    base learner), `class_weight` (already included in the row weights), `random_state` and
    `n_jobs`. It declares further parameters as fields of a `dataclass(eq=False, repr=False)` or in
    a constructor. It implements these hooks:

    * ``_learn(chunk: Chunk) -> None``: train on one chunk, as in the pseudocode of the paper: train
      models, change ``self.committee_`` through its methods, and set its column ``"weight"`` to the
      voting weights;
    * ``_scores(X: ndarray) -> ndarray``: return nonnegative class scores of shape (rows, classes),
      such as those of ``self.committee_.vote(...)``;
    * ``_begin() -> None`` (optional): initialize further state, in attributes that end in ``_``;
      ``super()._begin()`` initializes committee, history and step;
    * ``_widen(positions: ndarray) -> None`` (optional): adapt to an extended class list: the old
      class code ``c`` is now ``positions[c]``; ``super()._widen(positions)`` adapts the committee;
    * ``_default_base_learner() -> classifier`` (optional): return the base learner used if
      `estimator` is None; the default is CART with at least five rows per leaf;
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

    Rows are split into chunks as described in `ChunkedClassifier`.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; by default ``CARTClassifier(min_samples_leaf=5)``. As published:
        `ChunkClassifier.as_published()`: ``estimator=CARTClassifier(smoothing=0.0)``.
    chunk_size : int, optional
        Number of rows per chunk. By default each `partial_fit` call is a chunk, and `fit`
        splits a table of 2,500 rows or more into 5 to 20 chunks.
    nominal_features : array-like, optional
        Columns (positions or a mask) that contain category codes. They are passed to the base
        learner if it has this parameter, unless its own value is set.
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
    nominal_features: Any = None
    class_weight: Any = None
    random_state: Any = None
    n_jobs: int | None = None

    PUBLISHED: ClassVar[dict[str, Any]] = {"estimator": CARTClassifier.as_published()}
    STATE: ClassVar[dict[str, Field]] = {
        "committee_": a(Committee),
        "history_": a(History),
        "step_": integer(0, MOST_STEPS),
    }
    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left"), None],
        "chunk_size": [Interval(Integral, 1, None, closed="left"), None],
        "n_jobs": N_JOBS,
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless the members match the learner."""
        committee = state.get("committee_")
        if committee and not np.array_equal(committee.classes, state["classes_"]):
            raise InvalidStateError("the members and the learner have different classes")
        if committee and not {"id", "weight"} <= set(committee.numbers):
            raise InvalidStateError("members must have an id and a weight")

    def _begin(self) -> None:
        super()._begin()
        self.committee_ = Committee(self.classes_)
        self.history_ = History()

    def _widen(self, positions: np.ndarray) -> None:
        self.committee_.widen(self.classes_)

    def _step(self, chunk: Chunk, **how: Any) -> None:
        with thread_limit(self._n_threads(chunk)):
            super()._step(chunk, **how)
        self.history_.record(self.step_, self.committee_["id"], self.committee_["weight"])

    def _default_base_learner(self) -> Any:
        return CARTClassifier(min_samples_leaf=5)

    def _check_features(self, X: np.ndarray) -> None:
        base = self._base_learner()
        if isinstance(base, StreamClassifier):
            base._check_features(X)

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
