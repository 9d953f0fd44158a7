"""Base class of classifiers that are trained chunk by chunk: buffered rows, `fit` and `flush`."""

from math import ceil
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import NotFittedError

from driftlearn.base.chunk import Chunk
from driftlearn.base.prequential import test_then_train_chunks
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.io.schema import Field, a, optional
from driftlearn.utils.arguments import Self

# Limits on the chunks into which `fit` splits a table. Other limits were less accurate on rows in
# random order, and more chunks gained little under drift.
FEWEST_ROWS, FEWEST_CHUNKS, MOST_CHUNKS = 500, 5, 20


class ChunkedClassifier(StreamClassifier):
    """Base class of classifiers that are trained chunk by chunk.

    Each `partial_fit` call is one chunk, and `fit` splits a long table into several, unless
    ``_splits_tables`` is False. With ``chunk_size=n`` rows are buffered and split into chunks of n,
    so that the result does not depend on how the caller splits the stream; `flush` trains on an
    incomplete chunk, which `fit` also does at the end.

    A subclass implements ``_learn(chunk)``, which may use ``step_``, the number of chunks.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "waiting_": optional(a(Chunk, n_features="n_features_in_"), needed=True),
    }
    _splits_tables = True  # False for learners with a single model, which needs all rows of `fit`
    chunk_size: int | None
    step_: int
    waiting_: Chunk | None

    def _begin(self) -> None:
        self.step_ = 0
        self.waiting_ = None

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
                draft = self if self._in_place else self._draft(start=False)
                draft._validate_params()
                draft._receive(waiting.at(slice(0)).with_classes(draft.classes_), finish=True)
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
        self._learn(self._weighed(chunk), **how)

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


def rows_of_a_chunk(n: int) -> int:
    """Return the chunk size for a table of `n` rows; the last chunk has the rest.

    Examples
    --------
    >>> [rows_of_a_chunk(n) for n in (1, 2_499, 2_500, 9_999, 10_001, 1_000_000)]
    [1, 2499, 500, 527, 501, 50000]
    """
    n_chunks = min(n // FEWEST_ROWS, MOST_CHUNKS)
    return n if n_chunks < FEWEST_CHUNKS else ceil(n / n_chunks)
