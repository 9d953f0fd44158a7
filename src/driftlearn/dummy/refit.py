"""Sliding-window baseline: any classifier, retrained on the latest chunks."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import reduce
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from driftlearn.base.chunk import Chunk
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ensemble.history import MOST_STEPS
from driftlearn.io.schema import Field, a, integer, list_of, newer
from driftlearn.utils.docstrings import inherit_docs


@inherit_docs
@dataclass(eq=False, repr=False)
class RefitClassifier(ChunkClassifier):
    """Sliding-window baseline: any classifier, retrained on the latest chunks.

    This is the usual way to use a batch learner on a stream, and a baseline that an ensemble with
    memory should beat. Unlike the ensembles, it stores rows: those of the last ``n_chunks - 1``
    chunks, and `class_rows` rows of each class. With one table a day,
    ``RefitClassifier(LGBMClassifier(), 56, every=7)`` is a model that is retrained every week on
    the last eight weeks.

    Parameters
    ----------
    estimator : classifier, optional
        Any classifier; by default ``CARTClassifier(min_samples_leaf=5)``.
    n_chunks : int or None, default=5
        Number of chunks in the window, including the newest. With 1, the model is trained on the
        newest chunk only; with None, on all chunks.
    every : int, default=1
        Number of chunks from one training to the next. The first chunk is always trained on.
    growth : float, optional
        Also train as soon as the number of chunks has grown by this factor since the last training,
        so that a young model is trained often and `every` applies later.
    until : int, optional
        Number of the last chunk at which the model may be trained; no rows are stored afterwards.
        This gives the baseline of a model that is never retrained.
    max_rows : int, optional
        Maximum number of stored rows; the oldest chunks are discarded first. Of a chunk with more
        rows, the last ones are stored.
    class_rows : int, default=0
        Minimum number of training rows of each class. If the window has fewer rows of a class, the
        newest older rows are added, so classes that occur in runs are not forgotten.
    chunk_size : int, optional
        Number of rows per chunk. By default each `partial_fit` or `fit` call is a chunk,
        because a single model benefits from all rows of a table.
    %(nominal_features)s
    %(class_weight)s
    %(random_state)s

    Attributes
    ----------
    %(classes_)s
    members_ : Table
        One row, for the single model.
    buffer_ : list of Chunk
        The latest chunks, which are reused to train the next model.
    older_ : Chunk or None
        Older rows, of classes that are rare in the window.

    References
    ----------
    .. [1] G. Widmer, M. Kubat, "Learning in the presence of concept drift and hidden contexts",
       Machine Learning 23(1), 1996, doi:10.1023/A:1018046501280 (learning from a window).

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = RefitClassifier(LogisticRegression(), n_chunks=3)
    >>> for batch in SEA(n_rows=2_000, random_state=0).chunks(250):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> len(model.members_), len(model.buffer_)
    (1, 2)
    """

    n_chunks: int | None = 5
    _: KW_ONLY
    every: int = 1
    growth: float | None = None
    until: int | None = None
    max_rows: int | None = None
    class_rows: int = 0
    n_jobs: int | None = field(default=None, init=False)  # there is a single model

    STATE: ClassVar[dict[str, Field]] = {
        "buffer_": list_of(a(Chunk)),
        "older_": newer(a(Chunk, type(None))),
        "fitted_step_": newer(integer(0, MOST_STEPS)),
    }
    _splits_tables = False
    _parameter_constraints = {
        "n_chunks": [Interval(Integral, 1, None, closed="left"), None],
        "every": [Interval(Integral, 1, None, closed="left")],
        "growth": [Interval(Real, 1, None, closed="neither"), None],
        "until": [Interval(Integral, 1, None, closed="left"), None],
        "max_rows": [Interval(Integral, 0, None, closed="left"), None],
        "class_rows": [Interval(Integral, 0, None, closed="left")],
    }
    older_ = None  # defaults for files saved by older versions
    fitted_step_ = 0

    def _begin(self) -> None:
        super()._begin()
        self.buffer_: list[Chunk] = []
        self.older_ = None
        self.fitted_step_ = 0

    def _learn(self, chunk: Chunk) -> None:
        if self.until is not None and self.step_ > self.until:
            self.buffer_, self.older_ = [], None
            return
        rows = [each.with_classes(self.classes_) for each in self.buffer_]
        older = self._still_needed([*rows, chunk])
        if self._is_due():
            window = reduce(Chunk.then, [*rows, chunk])
            self.committee_.select([])
            model = self._train(window if older is None else older.then(window))
            self.committee_.add(model, weight=1.0, created_at=self.step_)
            self.fitted_step_ = self.step_
        excess = 0 if self.max_rows is None else max(len(chunk) - self.max_rows, 0)
        if excess:  # copied separately: an array that both share would stay in memory
            oldest = chunk.at(slice(excess))
            rows.append(oldest.copied() if self.class_rows else oldest)
        rows.append(chunk.at(slice(excess, None)).copied())
        while self._is_full(rows):
            older = rows[0] if older is None else older.then(rows[0])
            rows = rows[1:]
        self.buffer_, self.older_ = rows, older if self.class_rows else None

    def _is_due(self) -> bool:
        """Return whether the model is to be trained on the current chunk."""
        last, growth = self.fitted_step_, self.growth or np.inf
        return not last or self.step_ >= min(last + self.every, last * growth)

    def _is_full(self, rows: list[Chunk]) -> bool:
        """Return whether there is no room for the next chunk, or there are too many rows."""
        n_chunks = np.inf if self.n_chunks is None else self.n_chunks
        max_rows = np.inf if self.max_rows is None else self.max_rows
        return len(rows) >= n_chunks or sum(map(len, rows)) > max_rows

    def _still_needed(self, window: list[Chunk]) -> Chunk | None:
        """Return the newest older rows of classes with too few rows in the window."""
        if self.older_ is None:
            return None
        older, n_classes = self.older_.with_classes(self.classes_), len(self.classes_)
        counts = np.sum([np.bincount(each.y, minlength=n_classes) for each in window], axis=0)
        lacking = self.class_rows - counts
        newer_ones = np.zeros(len(older), dtype=int)  # number of newer rows of the same class
        for code in range(n_classes):
            places = np.flatnonzero(older.y == code)
            newer_ones[places] = np.arange(len(places))[::-1]
        needed = np.flatnonzero(newer_ones < lacking[older.y])
        return older.at(needed) if len(needed) else None

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return self.committee_.vote(self.committee_.probas(X))
