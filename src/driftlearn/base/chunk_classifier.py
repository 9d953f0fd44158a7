"""Learners that are handed a data set at a time."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import HasMethods, Interval

from driftlearn._table import Table
from driftlearn.base.chunk import Chunk
from driftlearn.base.committee import Committee
from driftlearn.base.history import History
from driftlearn.base.models import codes, columns_of, proba, takes_weights, trained
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.threads import threads
from driftlearn.learners.cart import CARTClassifier
from driftlearn.parts.member_weights import weighted_error
from driftlearn.parts.row_weights import draw, folds


class Attempt(NamedTuple):
    """A trained model, the rows that trained it, what it says of the chunk, and its error."""

    model: Any
    rows: Chunk
    said: np.ndarray
    error: float


class ChunkClassifier(StreamClassifier):
    """Base of the ensembles that learn chunk by chunk.

    A subclass writes ``_learn(chunk)``, which reads like its paper's figure: it trains with
    `_train`, changes ``team_`` (a `Committee`) through its verbs and leaves the voting weights in
    the column ``"weight"``; and ``_scores(X)``.

    Each `partial_fit` call is one chunk. With ``chunk_size=n`` rows are kept back and cut anew,
    so that the result does not depend on how the caller slices the stream; `fit` also learns
    what is left over at the end.
    """

    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left"), None],
        "chunk_size": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    estimator: Any
    n_estimators: int | None
    chunk_size: int | None
    n_jobs: int | None
    max_retries: int
    n_weak_: int
    team_: Committee

    @property
    def members_(self) -> Table:
        """One row a member: step of birth, weight, last error, classes it knows, size."""
        self._check_fitted()
        return self.team_.table()

    @property
    def n_members_(self) -> int:
        """The number of members: the length of `members_`, without the work of making it."""
        self._check_fitted()
        return len(self.team_)

    @property
    def estimators_(self) -> list[Any]:
        """The members' models, oldest first."""
        self._check_fitted()
        return list(self.team_.models)

    def _begin(self) -> None:
        self.team_ = Committee(self.classes_)
        self.history_ = History()
        self.step_ = 0
        self.waiting_: Chunk | None = None

    def _widen(self, positions: np.ndarray) -> None:
        self.team_.widen(self.classes_)

    def _receive(self, chunk: Chunk, finish: bool) -> None:
        if self.chunk_size is not None:
            if self.waiting_ is not None:
                chunk = self.waiting_.recoded(chunk.classes).then(chunk)
            while len(chunk) >= self.chunk_size:
                self._step(chunk.at(slice(self.chunk_size)))
                chunk = chunk.at(slice(self.chunk_size, None))
            self.waiting_ = chunk if len(chunk) and not finish else None
        if len(chunk) and self.waiting_ is None:
            self._step(chunk)

    def _step(self, chunk: Chunk) -> None:
        self.step_ += 1
        self._learn(chunk)
        self.history_.record(self.step_, self.team_["id"], self.team_["weight"])

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "step_", 0) > 0

    def _check_fitted(self) -> None:
        waiting = getattr(self, "waiting_", None)
        if waiting is not None and not self.step_:
            raise NotFittedError(
                f"This {type(self).__name__} has not learned anything yet: {len(waiting)} of the "
                f"{self.chunk_size} rows of its first chunk have arrived."
            )
        super()._check_fitted()

    def _base_learner(self) -> Any:
        return CARTClassifier() if self.estimator is None else self.estimator

    def _train(self, chunk: Chunk, w: np.ndarray | None = None) -> Any:
        """Train a new model on the chunk, its rows weighted by `w` if given."""
        return self._train_all([chunk if w is None else chunk.weighted(w)])[0]

    def _train_all(self, chunks: list[Chunk]) -> list[Any]:
        """Train a new model on each chunk, in threads if asked to, seeds drawn in order.

        A base learner that takes no weights is trained on a draw by them.
        """
        base = self._base_learner()
        by_draw = not takes_weights(base)
        jobs = []
        for chunk in chunks:
            if by_draw and (chunk.w != chunk.w[0]).any():
                chunk = chunk.at(draw(chunk.w, chunk.y, self.rng_)).weighted(np.ones(len(chunk)))
            jobs.append((chunk, self._seed()))
        return threads(self.n_jobs, lambda chunk, seed: trained(base, chunk, seed), *zip(*jobs))

    def _attempt(
        self, chunk: Chunk, D: np.ndarray, make: Callable[[], Chunk], redrawn: bool
    ) -> Attempt:
        """Train on what `make` gives; while the error under D exceeds 1/2, try again.

        Another attempt is only made where it can end differently: the rows are drawn anew, or
        the base learner itself is random. The best attempt counts.
        """
        base = self._base_learner()
        random = redrawn or any(name.endswith("random_state") for name in base.get_params())
        best: Attempt | None = None
        for _ in range(1 + self.max_retries * random):
            rows = make()
            model = self._train(rows)
            said = self._labels_of(model, chunk.X)
            error = float(weighted_error(said != chunk.y, D))
            if best is None or error < best.error:
                best = Attempt(model, rows, said, error)
            if error <= 0.5:
                break
        assert best is not None
        self.n_weak_ += best.error > 0.5
        return best

    def _cross_validated(self, chunk: Chunk, n_folds: int) -> tuple[Any, np.ndarray]:
        """Train on the chunk; return also what models that did not see its rows say of them.

        Where the chunk cannot be folded they are the model's own.
        """
        fold = folds(chunk.y, n_folds)
        if fold is None:
            newest = self._train(chunk)
            return newest, self._probas_of(newest, chunk.X)
        parts = [np.flatnonzero(fold == f) for f in range(fold.max() + 1)]
        newest, *models = self._train_all(
            [chunk, *(chunk.at(fold != f) for f in range(len(parts)))]
        )
        probas = np.zeros((len(chunk), len(self.classes_)))
        for part, model in zip(parts, models):
            probas[part] = self._probas_of(model, chunk.X[part])
        return newest, probas

    def _labels_of(self, model: Any, X: np.ndarray) -> np.ndarray:
        """Return the class codes that one model gives these rows."""
        return codes(model, X, columns_of(model, self.classes_))

    def _probas_of(self, model: Any, X: np.ndarray) -> np.ndarray:
        """Return the class probabilities of one model, a column for each of ``classes_``."""
        probas = np.zeros((len(X), len(self.classes_)))
        probas[:, columns_of(model, self.classes_)] = proba(model, X)
        return probas
