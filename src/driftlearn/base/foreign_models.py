"""Classifiers of any make as the fixed models of a compiled boosting loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.base.chunk import Chunk
from driftlearn.base.foreign_model import ClassBook
from driftlearn.base.models import codes, columns_of, drawn, trained
from driftlearn.base.stream_classifier import SEEDS
from driftlearn.engines.fixed_models import FixedModels


class ForeignTrainer:
    """Trains models for a compiled loop, which knows rows, class codes and weights only.

    Parameters
    ----------
    base : classifier
        The base learner; one that takes no weights is trained on a draw by them.
    classes : ndarray
        The labels that class codes stand for.
    rng : Generator
        Draws, and decides every `random_state` of the models.
    """

    def __init__(self, base: Any, classes: np.ndarray, rng: np.random.Generator):
        self.base, self.classes, self.rng = base, classes, rng

    def train(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Any:
        """Return a new model, trained on these rows; those of weight zero are left out."""
        chunk = Chunk(X, y, w, self.classes).weighted(w)
        chunk = drawn(self.base, chunk, self.rng)
        return trained(self.base, chunk, int(self.rng.integers(SEEDS)))

    def mark(self) -> Any:
        """Return where the generator is now."""
        return self.rng.bit_generator.state

    def back_to(self, mark: Any) -> None:
        """Put the generator back to where it was."""
        self.rng.bit_generator.state = mark


class ForeignModels(FixedModels):
    """Classifiers of any make, trained by a `ForeignTrainer` and asked about many rows in one go.

    What they say about the rows to come is asked for when `begin` names these rows, and when a
    candidate is trained.

    Parameters
    ----------
    book : ClassBook
        What class codes stand for; it is kept up to date by whoever holds the models.

    Attributes
    ----------
    models : list
        The models, oldest first.
    """

    STATE = ("book", "models")

    def __init__(self, book: ClassBook):
        self.book, self.models = book, []
        self._prepare()

    def _prepare(self) -> None:
        self.n, self.can_fail = len(self.models), True
        self.end()

    def begin(self, X: Any, trainer: Any) -> None:
        """Take note of the rows that `vote` will be asked about, and ask about all of them."""
        self.trainer, self.row = trainer, -1
        self.rows = np.asarray(X)
        self.ahead = self.ask(self.rows)

    def end(self) -> None:
        """Forget those rows."""
        self.trainer = self.rows = self.candidate = self.candidate_ahead = None
        self.ahead = np.empty((0, 0), dtype=np.int16)

    def vote(self, X: Any, i: int, codes: Any) -> None:
        """Write the code that each model gives row `i` of `X`, which is the row in hand now."""
        self.row = i
        np.asarray(codes)[: self.n] = self.ahead[: self.n, i]

    def train(self, window: Any, weights: Any, said: Any) -> None:
        """Train a candidate on the window; write the codes it gives the window's rows."""
        X, to_come = window.rows().copy(), slice(self.row + 1, None)
        self.candidate = self.trainer.train(X, window.labels().copy(), np.array(weights))
        answers = self._codes(self.candidate, np.concatenate([X, self.rows[to_come]]))
        np.asarray(said)[:] = answers[: len(X)]
        self.candidate_ahead = np.zeros(len(self.rows), dtype=np.int16)
        self.candidate_ahead[to_come] = answers[len(X) :]

    def admit(self) -> None:
        """Make the candidate the newest model."""
        self.models.append(self.candidate)
        if self.n == len(self.ahead):
            ahead = np.empty((2 * self.n + 1, len(self.rows)), dtype=np.int16)
            ahead[: self.n] = self.ahead
            self.ahead = ahead
        self.ahead[self.n] = self.candidate_ahead
        self.n += 1

    def keep(self, index: Any, n_kept: int) -> None:
        """Keep the models at these ascending positions."""
        kept = np.array(index[:n_kept])
        self.models = [self.models[k] for k in kept]
        self.ahead = self.ahead[kept]
        self.n = n_kept

    def ask(self, X: np.ndarray, which: Any = None) -> np.ndarray:
        """Return the code that each model, or each at these positions, gives each row."""
        chosen = self.models if which is None else [self.models[j] for j in which]
        said = np.empty((len(chosen), len(X)), dtype=np.int16)
        for k, model in enumerate(chosen):
            said[k] = self._codes(model, X)
        return said

    def _codes(self, model: Any, X: np.ndarray) -> np.ndarray:
        return codes(model, X, columns_of(model, self.book.labels))

    def keys(self) -> list[Any]:
        """Return the models."""
        return list(self.models)

    def sizes(self) -> list[Any]:
        """Return `size_` of each model, None where there is no such thing."""
        return [getattr(model, "size_", None) for model in self.models]
