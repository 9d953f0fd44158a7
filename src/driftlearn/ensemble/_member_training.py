"""Training of the members of chunk ensembles, in threads if requested."""

from collections.abc import Callable
from functools import partial
from itertools import chain, pairwise
from typing import Any

import numpy as np

from driftlearn.base.base_learners import (
    adapted_models,
    can_transfer_together,
    codes,
    columns_of,
    drawn,
    held_out_proba,
    proba_for_classes,
    seeded,
    trained,
    trains_on_all_rows,
    transferred,
)
from driftlearn.base.chunk import Chunk, folds
from driftlearn.base.one_model import OneModelClassifier
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.threads import elsewhere, n_threads, threads
from driftlearn.ensemble.committee import Committee

MIN_CHUNK_VALUES = 6_000  # with fewer values, starting threads takes longer than they save


class MemberTraining(StreamClassifier):
    """Mixin of `ChunkClassifier` with the methods by which subclasses train models."""

    n_estimators: int | None
    committee_: Committee
    step_: int
    waiting_: Chunk | None
    n_jobs: int | None
    _base_learner: Callable[[], Any]

    def _train(self, chunk: Chunk) -> Any:
        """Return a new model trained on the chunk."""
        return self._train_seeded(chunk)[0]

    def _train_seeded(self, chunk: Chunk) -> tuple[Any, int]:
        """Return a new model trained on the chunk and the model's seed."""
        base = self._base_learner()
        rows, seed = drawn(base, chunk, self.rng_), self._seed()
        return trained(base, rows, seed), seed

    def _train_all(self, chunks: list[Chunk]) -> list[Any]:
        """Return a new model for each chunk, trained in threads if requested."""
        base = self._base_learner()
        rows, seeds = zip(*((drawn(base, chunk, self.rng_), self._seed()) for chunk in chunks))
        return threads(self._n_threads(chunks[0]), partial(trained, base), rows, seeds)

    def _update_models(
        self, how: Callable[..., Any], committee: Committee, chunk: Chunk
    ) -> list[Any]:
        """Return a committee's models after `how` (`updated` or `transferred`) was applied to each.

        Models are trained in threads if requested. The seed of a member that is retrained from
        scratch is derived from its entry in the column ``"seed"`` and the step.
        """
        tasks = self._update_tasks(how, committee, chunk)
        return list(chain(*threads(self._n_threads(chunk), _done, tasks)))

    def _update_tasks(
        self, how: Callable[..., Any], committee: Committee, chunk: Chunk
    ) -> list[Any]:
        """Return functions that update batches of a committee's models with a chunk."""
        models, cuts = committee.models, [*range(len(committee) + 1)]
        seeds = [(int(seed), self.step_) for seed in committee["seed"]]
        train = partial(adapted_models, how, self._base_learner(), chunk=chunk)
        if how is transferred and can_transfer_together(models) and elsewhere.get() is None:
            cuts = shrinking_batches(len(committee), self._n_threads(chunk))
        return [partial(train, models[a:b], seeds[a:b]) for a, b in pairwise(cuts)]

    def _train_and_update(
        self, how: Callable[..., Any], committee: Committee, chunk: Chunk
    ) -> tuple[Any, int, list[Any]]:
        """Return the results of `_train_seeded` and `_update_models`, run in parallel."""
        base = self._base_learner()
        rows, seed = drawn(base, chunk, self.rng_), self._seed()
        new = partial(trained, base, rows, seed)
        todo = [new, *self._update_tasks(how, committee, chunk)]
        newest, *others = threads(self._n_threads(chunk), _done, todo)
        return newest, seed, list(chain(*others))

    def _run_parallel(self, chunk: Chunk, *tasks: Callable[[], Any]) -> list[Any]:
        """Return the results of functions, run in threads if requested.

        The functions run on this machine, even if members are trained on a cluster.
        """
        if elsewhere.get() is not None:
            return [task() for task in tasks]
        return threads(self._n_threads(chunk), _done, tasks)

    def _n_threads(self, chunk: Chunk) -> int:
        """Return the number of threads for training on a chunk; 1 if the chunk is small."""
        small = len(chunk) * chunk.X.shape[1] < MIN_CHUNK_VALUES
        small = small and isinstance(self._base_learner(), StreamClassifier)
        return 1 if small else n_threads(self.n_jobs)

    def _cross_validated(self, chunk: Chunk, n_folds: int) -> tuple[Any, np.ndarray]:
        """Return a model trained on the chunk, and cross-validated probabilities for its rows.

        If the chunk cannot be split into folds, the probabilities are the model's own.
        """
        fold = folds(chunk.y, n_folds)
        if fold is None:
            newest = self._train(chunk)
            return newest, self._probas_of(newest, chunk.X)
        base = self._base_learner()
        if isinstance(base, OneModelClassifier) and base._can_fold():
            newest = self._train(chunk)
            seeds = [self._seed() for _ in range(fold.max() + 1)]
            blanks = [seeded(base, seed) if base._draws() else base for seed in seeds]
            probas = np.zeros((len(chunk), len(self.classes_)))
            probas[:, chunk.present] = base._folded(blanks, chunk, fold)
            return newest, probas
        held = [fold == f for f in range(fold.max() + 1)]
        probas = np.zeros((len(chunk), len(self.classes_)))
        if trains_on_all_rows(base, chunk):
            seeds = [self._seed() for _ in range(len(held) + 1)]
            todo = [partial(trained, base, chunk, seeds[0])]
            for rows, seed in zip(held, seeds[1:]):
                todo.append(partial(held_out_proba, base, chunk, rows, seed, self.classes_))
            newest, *parts = threads(self._n_threads(chunk), _done, todo)
        else:
            newest, *models = self._train_all([chunk, *(chunk.part(~rows) for rows in held)])
            parts = [self._probas_of(m, chunk.X[np.flatnonzero(r)]) for m, r in zip(models, held)]
        for rows, shares in zip(held, parts):
            probas[rows] = shares
        return newest, probas

    def _labels_of(self, model: Any, X: np.ndarray) -> np.ndarray:
        """Return the class codes that a model predicts for these rows."""
        return codes(model, X, columns_of(model, self.classes_))

    def _probas_of(self, model: Any, X: np.ndarray) -> np.ndarray:
        """Return the class probabilities of a model, with one column per class in ``classes_``."""
        return proba_for_classes(model, X, self.classes_)


def shrinking_batches(n: int, n_threads: int) -> list[int]:
    """Return the bounds of batches of `n` models, to be processed by threads in order.

    Large batches save calls; small batches at the end keep all threads busy.

    Examples
    --------
    >>> shrinking_batches(25, 2), shrinking_batches(25, 1)
    ([0, 7, 12, 16, 19, 21, 22, 23, 24, 25], [0, 25])
    """
    cuts, share = [0], 2 * n_threads if n_threads > 1 else 1
    while cuts[-1] < n:
        cuts.append(cuts[-1] - (cuts[-1] - n) // share)
    return cuts


def _done(task: Callable[[], Any]) -> Any:
    return task()
