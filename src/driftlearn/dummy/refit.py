"""Sliding-window baseline: any classifier, retrained on the latest chunks."""

from dataclasses import KW_ONLY, dataclass, field
from functools import reduce
from numbers import Integral
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from driftlearn.base.chunk import Chunk
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.io.schema import Field, a, list_of, newer
from driftlearn.utils.docstrings import inherit_docs


@inherit_docs
@dataclass(eq=False, repr=False)
class RefitClassifier(ChunkClassifier):
    """Sliding-window baseline: any classifier, retrained on the latest chunks.

    This is the usual way to use a batch learner on a stream, and a baseline that an ensemble with
    memory should beat. Unlike the ensembles, it stores rows: those of the last ``n_chunks - 1``
    chunks, and `class_rows` rows of each class.

    Parameters
    ----------
    estimator : classifier, optional
        Any classifier; by default ``CARTClassifier(min_samples_leaf=5)``.
    n_chunks : int, default=5
        Number of chunks in the window, including the newest. With 1, the model is trained on the
        newest chunk only.
    class_rows : int, default=0
        Minimum number of training rows of each class. If the window has fewer rows of a class, the
        newest older rows are added, so classes that occur in runs are not forgotten.
    chunk_size : int, optional
        Number of rows per chunk. By default each `partial_fit` or `fit` call is a chunk,
        because a single model benefits from all rows of a table.
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

    n_chunks: int = 5
    _: KW_ONLY
    class_rows: int = 0
    n_jobs: int | None = field(default=None, init=False)  # there is a single model

    STATE: ClassVar[dict[str, Field]] = {
        "buffer_": list_of(a(Chunk)),
        "older_": newer(a(Chunk, type(None))),
    }
    _splits_tables = False
    _parameter_constraints = {
        "n_chunks": [Interval(Integral, 1, None, closed="left")],
        "class_rows": [Interval(Integral, 0, None, closed="left")],
    }
    older_ = None  # default for files saved by older versions

    def _begin(self) -> None:
        super()._begin()
        self.buffer_: list[Chunk] = []
        self.older_ = None

    def _learn(self, chunk: Chunk) -> None:
        # Copied, because callers may reuse the arrays.
        rows = [*self.buffer_, Chunk(chunk.X.copy(), chunk.y, chunk.w.copy(), chunk.classes)]
        rows = [each.with_classes(self.classes_) for each in rows[-self.n_chunks :]]
        window = reduce(Chunk.then, rows)
        older = self._still_needed(window)
        self.committee_.select([])
        model = self._train(window if older is None else older.then(window))
        self.committee_.add(model, weight=1.0, created_at=self.step_)
        if len(rows) == self.n_chunks:
            older = rows[0] if older is None else older.then(rows[0])
            rows = rows[1:]
        self.buffer_, self.older_ = rows, older if self.class_rows else None

    def _still_needed(self, window: Chunk) -> Chunk | None:
        """Return the newest older rows of classes with too few rows in the window."""
        if self.older_ is None:
            return None
        older = self.older_.with_classes(self.classes_)
        lacking = self.class_rows - np.bincount(window.y, minlength=len(self.classes_))
        newer_ones = np.zeros(len(older), dtype=int)  # number of newer rows of the same class
        for code in range(len(self.classes_)):
            places = np.flatnonzero(older.y == code)
            newer_ones[places] = np.arange(len(places))[::-1]
        needed = np.flatnonzero(newer_ones < lacking[older.y])
        return older.at(needed) if len(needed) else None

    def _scores(self, X: np.ndarray) -> np.ndarray:
        return self.committee_.vote(self.committee_.probas(X))
