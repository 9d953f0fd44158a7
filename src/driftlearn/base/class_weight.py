"""Class weights."""

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import InvalidParameterError

from driftlearn.base.chunk import Chunk
from driftlearn.base.validation import HEAVIEST, LIGHTEST
from driftlearn.utils._class_axis import widened

# Largest "balanced" weight in row-by-row learners. Without this bound, the first row of a new class
# would outweigh all rows before it.
HEAVIEST_CLASS = 100.0


class ClassWeights:
    """Mixin for learners with the parameter `class_weight`.

    Row weights are multiplied by class weights. A dict holds the weights by label; other classes
    have weight 1. "balanced" is ``n / (k * rows of the class)`` with the n rows and the k classes
    of a chunk, as in scikit-learn. Row-by-row learners use the counts so far instead, including the
    row itself, and limit the weight to 100; the result therefore does not depend on how rows are
    split into calls. Rows are counted regardless of their weights, except those of weight zero.

    `_weighed` applies the weights to a chunk, `_weigh` to rows of row-by-row training. `_weigh` is
    called inside the block that Ctrl-C does not interrupt.
    """

    class_weight: Any = None
    classes_: np.ndarray
    class_counts_: np.ndarray  # number of rows of each class so far; only if needed

    @property
    def _by_row(self) -> bool:
        """Whether one call with n rows gives the same model as n calls with one row."""
        raise NotImplementedError

    def _check_class_weight(self, labels: np.ndarray) -> None:
        """Raise ValueError for an invalid `class_weight`, including weights of unknown labels."""
        given = self.class_weight
        if given is None or (isinstance(given, str) and given == "balanced"):
            return
        if not isinstance(given, dict):
            got = repr(given) if isinstance(given, (str, Real)) else f"a {type(given).__name__}"
            raise InvalidParameterError(
                f"The 'class_weight' parameter of {type(self).__name__} must be 'balanced', a dict "
                f"of weights by label, or None. Got {got:.80} instead."
            )
        kinds = {False: "numbers", True: "strings"}
        text = labels.dtype.kind == "U"
        for label, weight in given.items():
            if isinstance(label, str) != text or not isinstance(label, (str, Real, np.bool_)):
                raise ValueError(
                    f"class_weight has the key {label!r}, but the labels are {kinds[text]}"
                )
            number: Any = weight if isinstance(weight, Real) else np.nan
            if not LIGHTEST <= number <= HEAVIEST:
                raise ValueError(
                    f"class_weight[{label!r}] must be a number between {LIGHTEST:g} and "
                    f"{HEAVIEST:g}. Got {weight!r:.80} instead."
                )

    def _weighed(self, chunk: Chunk) -> Chunk:
        """Return a chunk with class weights applied, unless the learner trains row by row."""
        if self.class_weight is None or self._by_row:
            return chunk
        self._check_class_weight(self.classes_)
        return chunk.weighted(self._weigh(chunk.y, chunk.w))

    def _weigh(self, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return row weights times the weights of their classes; `y` holds codes."""
        if self.class_weight is None:
            return w
        if isinstance(self.class_weight, dict):
            weights = [self.class_weight.get(label, 1.0) for label in self.classes_.tolist()]
            factor = np.array(weights)[y]
        elif self._by_row:
            factor = self._balanced_so_far(y)
        else:
            counts = np.bincount(y)
            factor = len(y) / (np.count_nonzero(counts) * counts[y])
        return np.clip(w * factor, LIGHTEST, HEAVIEST)

    def _balanced_so_far(self, y: np.ndarray) -> np.ndarray:
        """Return the balanced weight of each row, given the rows before it, and count the rows."""
        before = self.__dict__.get("class_counts_", np.zeros(len(self.classes_), dtype=np.int64))
        counts = np.bincount(y, minlength=len(before))
        order = np.argsort(y, kind="stable")
        # position of each row among the rows of its class, from 1
        nth = np.empty(len(y), dtype=np.int64)
        nth[order] = np.arange(1, len(y) + 1) - np.repeat(np.cumsum(counts) - counts, counts)
        nth += before[y]
        n = before.sum() + np.arange(1, len(y) + 1)
        k = np.count_nonzero(before) + np.cumsum(nth == 1)
        self.class_counts_ = before + counts
        return np.minimum(n / (k * nth), HEAVIEST_CLASS)

    def _uncount(self, y: np.ndarray) -> None:
        """Subtract rows that were counted but not trained on."""
        if "class_counts_" in self.__dict__:
            self.class_counts_ = self.class_counts_ - np.bincount(y, minlength=len(self.classes_))

    def _widen_counts(self, positions: np.ndarray) -> None:
        if "class_counts_" in self.__dict__:
            self.class_counts_ = widened(self.class_counts_, positions, len(self.classes_))
