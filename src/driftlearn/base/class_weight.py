"""What the rows of a class count for."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import InvalidParameterError

from driftlearn.base.chunk import Chunk
from driftlearn.base.input import HEAVIEST, LIGHTEST
from driftlearn.utils._class_axis import widened

# what scikit-learn is told of it: its own rules would cost a tenth of the time of learning a row
CLASS_WEIGHT: Any = "no_validation"
HEAVIEST_CLASS = 100.0  # of "balanced" row by row: else one row of a new class outweighs the past


class ClassWeights:
    """The parameter `class_weight`, for every learner that has it in its constructor.

    The weights of the rows are multiplied by it. A dict says what a class counts for; one that it
    does not name counts 1. "balanced" is ``n / (k * rows of the class)`` with the n rows and the
    k classes of a chunk, as in scikit-learn. Learners that go row by row have no chunk: n, k and
    the rows of the class are those so far, the row itself included, and it is at most 100. So the
    result does not depend on the calls. Rows are counted, whatever their weights; those of weight
    zero are absent.

    A learner has its rows weighed where it learns them: in `_weighed` a chunk, in `_weigh` rows
    that are learned in place, inside the block that Ctrl-C cannot cut in two.
    """

    class_weight: Any = None
    classes_: np.ndarray
    class_counts_: np.ndarray  # rows of each class so far, where they are needed
    _in_place: bool

    def _check_class_weight(self, labels: np.ndarray) -> None:
        """Raise ValueError where it is none, or a dict of other things than labels and weights."""
        if self.class_weight is None:
            return
        if not isinstance(self.class_weight, dict):
            if not isinstance(self.class_weight, str) or self.class_weight != "balanced":
                plain = isinstance(self.class_weight, (str, Real))
                got = repr(self.class_weight) if plain else f"a {type(self.class_weight).__name__}"
                raise InvalidParameterError(
                    f"The 'class_weight' parameter of {type(self).__name__} must be 'balanced', a "
                    f"dict of labels and weights, or None. Got {got:.80} instead."
                )
            return
        kinds = {False: "numbers", True: "strings"}
        text = labels.dtype.kind == "U"
        for label, weight in self.class_weight.items():
            if isinstance(label, str) != text or not isinstance(label, (str, Real, np.bool_)):
                raise ValueError(
                    f"class_weight names the label {label!r}, and the labels are {kinds[text]}"
                )
            number: Any = weight if isinstance(weight, Real) else np.nan
            if not LIGHTEST <= number <= HEAVIEST:
                raise ValueError(
                    f"class_weight[{label!r}] must be a number between {LIGHTEST:g} and "
                    f"{HEAVIEST:g}, got {weight!r:.80}"
                )

    def _weighed(self, chunk: Chunk) -> Chunk:
        """Return a chunk with its classes' weights, unless its rows are weighed one by one."""
        if self.class_weight is None or self._in_place:
            return chunk
        self._check_class_weight(self.classes_)
        return chunk.weighted(self._weigh(chunk.y, chunk.w))

    def _weigh(self, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return the weights of rows times those of their classes, given as codes."""
        if self.class_weight is None:
            return w
        if isinstance(self.class_weight, dict):
            named = self.class_weight
            factor = np.array([named.get(label, 1.0) for label in self.classes_.tolist()])[y]
        elif self._in_place:
            factor = self._balanced_so_far(y)
        else:
            counts = np.bincount(y)
            factor = len(y) / (np.count_nonzero(counts) * counts[y])
        return np.clip(w * factor, LIGHTEST, HEAVIEST)

    def _balanced_so_far(self, y: np.ndarray) -> np.ndarray:
        """Return what balances each row with those before it; the rows are counted."""
        before = self.__dict__.get("class_counts_", np.zeros(len(self.classes_), dtype=np.int64))
        counts = np.bincount(y, minlength=len(before))
        order = np.argsort(y, kind="stable")
        nth = np.empty(len(y), dtype=np.int64)  # which of its class a row is
        nth[order] = np.arange(1, len(y) + 1) - np.repeat(np.cumsum(counts) - counts, counts)
        nth += before[y]
        n = before.sum() + np.arange(1, len(y) + 1)
        k = np.count_nonzero(before) + np.cumsum(nth == 1)
        self.class_counts_ = before + counts
        return np.minimum(n / (k * nth), HEAVIEST_CLASS)

    def _uncount(self, y: np.ndarray) -> None:
        """Forget rows that were weighed and could not be learned."""
        if "class_counts_" in self.__dict__:
            self.class_counts_ = self.class_counts_ - np.bincount(y, minlength=len(self.classes_))

    def _widen_counts(self, positions: np.ndarray) -> None:
        if "class_counts_" in self.__dict__:
            self.class_counts_ = widened(self.class_counts_, positions, len(self.classes_))
