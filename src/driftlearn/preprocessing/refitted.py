"""Wrappers for transformers without `partial_fit`: fitted once, or refitted regularly."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods, Interval

from driftlearn.base.base_learners import call_model
from driftlearn.base.thread_safe import ThreadSafeEstimator
from driftlearn.io.schema import Field, InvalidStateError, able, anything, integer, list_of, newer
from driftlearn.preprocessing._knowledge import MOST_ROWS
from driftlearn.tables.frames import held, n_rows_of, width_of
from driftlearn.tables.passthrough import copied, joined, taken
from driftlearn.utils.arguments import Self, TransformerMixin


class Frozen(TransformerMixin, ThreadSafeEstimator):
    """Wrapper that fits a transformer once, to the first rows.

    In an `IncrementalPipeline`, rows and labels are buffered until there are `rows` of them, and
    are then passed to the next step. Results do not depend on how rows are split into calls.

    Parameters
    ----------
    transformer : transformer
        Transformer with `fit` and `transform`; it is cloned.
    rows : int, default=1_000
        Number of rows to which it is fitted. `fit` accepts fewer.

    Attributes
    ----------
    transformer_ : transformer
        The fitted transformer; missing until there are enough rows.
    buffer_ : list
        Blocks of rows buffered for the next fit.
    n_rows_ : int
        Number of rows since the last fit.
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.decomposition import PCA
    >>> X = np.random.default_rng(0).random((30, 3))
    >>> frozen = Frozen(PCA(2), rows=20).partial_fit(X[:15])
    >>> hasattr(frozen, "transformer_")
    False
    >>> frozen.partial_fit(X[15:]).transform(X).shape
    (30, 2)
    """

    STATE: ClassVar[dict[str, Field]] = {
        "transformer_": newer(able("fit", "transform")),
        "buffer_": newer(list_of(anything())),
        "n_rows_": newer(integer(0, MOST_ROWS)),
        "n_features_in_": newer(integer(1)),
    }
    _parameter_constraints: dict[str, list[Any]] = {
        "transformer": [HasMethods(["fit", "transform"])],
        "rows": [Interval(Integral, 1, None, closed="left")],
    }
    transformer_: Any
    buffer_: list[Any]
    n_rows_: int

    def __init__(self, transformer: Any, rows: int = 1_000):
        self.transformer = transformer
        self.rows = rows

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless there is a transformer, and buffered rows are counted."""
        begun = {name in state for name in ("buffer_", "n_rows_", "n_features_in_")}
        if "transformer" not in state or len(begun) > 1:
            raise InvalidStateError("the transformer or the number of buffered rows is missing")
        for piece in state.get("buffer_", ()):
            package = type(piece).__module__.partition(".")[0]
            if package not in ("numpy", "pandas", "polars", "builtins") or not np.ndim(piece):
                raise InvalidStateError(
                    f"invalid type of buffered rows: {type(piece).__name__!r:.50}"
                )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit from scratch, even with fewer rows than required."""
        self._absorb(X, start=True)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Add rows; the transformer is fitted when there are enough of them."""
        self._absorb(X, start=False)
        return self

    def transform(self, X: Any) -> Any:
        """Transform rows with the fitted transformer."""
        return call_model(self._fitted(), "transform", X)

    def transform_then_learn(self, X: Any) -> Any:
        """Transform each row with the last fit before it, and add the rows."""
        self._fitted()
        return joined(self._absorb(X, start=False))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the output columns of the transformer."""
        return self._fitted().get_feature_names_out(input_features)

    @property
    def n_needed(self) -> int:
        """Number of rows to which the transformer is fitted."""
        return self.rows

    def _due(self) -> int | None:
        """Return the number of rows from the last fit to the next one; None if there is none."""
        return None if self.__sklearn_is_fitted__() else self.n_needed

    def __sklearn_is_fitted__(self) -> bool:
        return "transformer_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags: Any = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.transformer).input_tags
        tags.input_tags.sparse = False
        return tags

    def _fitted(self) -> Any:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} is not fitted yet: it needs {self.n_needed} rows and "
                f"has {self.__dict__.get('n_rows_', 0)}. fit accepts fewer."
            )
        return self.transformer_

    def _absorb(self, X: Any, start: bool) -> list[Any]:
        """Add rows to a working copy; return the transformed rows that came after a fit."""
        X, outs = held(X), []
        with self._locked():
            begun = not start and "buffer_" in self.__dict__
            draft = self._draft(start=not begun)
            draft._validate_params()
            if not begun:
                draft.buffer_, draft.n_rows_ = [], 0
                draft.n_features_in_ = width_of(X)
            if width_of(X) != draft.n_features_in_:
                raise ValueError(
                    f"X has {width_of(X)} features, but {type(self).__name__} is expecting "
                    f"{draft.n_features_in_} features as input"
                )
            n, done = n_rows_of(X), 0
            while done < n:
                due = draft._due()
                end = n if due is None else min(n, done + due - draft.n_rows_)
                piece = taken(X, slice(done, end))
                if draft.__sklearn_is_fitted__():
                    outs.append(call_model(draft.transformer_, "transform", piece))
                draft.n_rows_ += end - done
                if due is not None:
                    draft._keep(piece)
                    if draft.n_rows_ == due:
                        draft._refit()
                done = end
            if start and not draft.__sklearn_is_fitted__():
                draft._refit()
            self.__dict__ = draft.__dict__
        return outs

    def _keep(self, piece: Any) -> None:
        """Buffer a copy of rows for the next fit; only the newest rows are kept."""
        kept = [*self.buffer_, copied(piece)]
        more = sum(n_rows_of(each) for each in kept) - self.n_needed
        while more > 0:
            first, *kept = kept
            rest = n_rows_of(first) - more
            more = -rest
            if rest > 0:
                kept = [taken(first, slice(n_rows_of(first) - rest, None)), *kept]
        self.buffer_ = kept

    def _refit(self) -> None:
        rows = joined(self.buffer_) if self.buffer_ else np.empty((0, 1))
        self.transformer_ = clone(self.transformer).fit(rows)
        self.n_rows_ = 0
        if self._due() is None:
            self.buffer_ = []


class Refitted(Frozen):
    """Wrapper that refits a transformer at regular intervals to the newest rows.

    Each fit may change the meaning of the output, so the learner that follows should also forget
    old rows. In an `IncrementalPipeline`, rows are buffered until the first fit as with `Frozen`.

    Parameters
    ----------
    transformer : transformer
        Transformer with `fit` and `transform`; it is cloned for each fit.
    every : int, default=1_000
        Number of rows between fits.
    rows : int, optional
        Number of newest rows to which it is fitted; `every` by default.

    Attributes
    ----------
    transformer_, buffer_, n_rows_
        As in `Frozen`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.preprocessing import QuantileTransformer
    >>> X = np.arange(40.0)[:, None]
    >>> scaler = Refitted(QuantileTransformer(n_quantiles=10), every=10).partial_fit(X[:19])
    >>> scaler.transform([[9.0]]), scaler.partial_fit(X[19:]).transform([[30.0]])
    (array([[1.]]), array([[0.]]))
    """

    _parameter_constraints: dict[str, list[Any]] = {
        **Frozen._parameter_constraints,
        "every": [Interval(Integral, 1, None, closed="left")],
        "rows": [Interval(Integral, 1, None, closed="left"), None],
    }
    rows: int | None  # type: ignore[assignment]

    def __init__(self, transformer: Any, every: int = 1_000, rows: int | None = None):
        self.transformer = transformer
        self.every = every
        self.rows = rows

    @property
    def n_needed(self) -> int:
        """Number of rows to which the transformer is fitted."""
        return self.every if self.rows is None else self.rows

    def _due(self) -> int | None:
        return self.every if self.__sklearn_is_fitted__() else self.n_needed
