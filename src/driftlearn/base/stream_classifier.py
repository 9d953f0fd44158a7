"""Every duty a scikit-learn classifier has, done once: validation, classes, weights, randomness.

A learner states its mathematics in `_learn` and `_scores`, on arrays that were checked here; this
file knows no mathematics. Learning happens on a *draft* of the estimator that takes the place of
the original only when nothing failed, so an error anywhere leaves the model as it was.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from driftlearn.base._row_shares import likeliest
from driftlearn.base.base_learner import check_bases
from driftlearn.base.chunk import Chunk, same_labels
from driftlearn.base.class_weight import ClassWeights
from driftlearn.base.input import (
    announced,
    as_before,
    checked_rows,
    codes_among,
    distinct,
    is_plain,
    joined,
    plain_labels,
    row_weights,
)
from driftlearn.base.inspectable import Inspectable
from driftlearn.base.prequential import test_then_train
from driftlearn.base.published import Published
from driftlearn.base.scores import fitting, shares
from driftlearn.base.single_row_mixin import SingleRowMixin
from driftlearn.base.thread_safe import ThreadSafeEstimator
from driftlearn.io.schema import (
    FITTED,
    Field,
    InvalidStateError,
    a,
    integer,
    integers,
    labels,
    newer,
    optional,
)
from driftlearn.utils.abstract import unwritten
from driftlearn.utils.interrupts import uninterrupted
from driftlearn.utils.randomness import generator

if TYPE_CHECKING:
    from typing_extensions import Self

    from driftlearn.utils.typing import ClassifierMixin
else:
    from sklearn.base import ClassifierMixin

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]  # features, labels, weights

NOBODY = nullcontext()  # to be waited for
SEEDS = 2**31 - 1  # what every library takes as a seed


class StreamClassifier(
    Inspectable, Published, ClassWeights, SingleRowMixin, ClassifierMixin, ThreadSafeEstimator
):
    """Base of every learner: a classifier that goes on learning and takes new classes at any time.

    A subclass writes

    * ``_learn(chunk)``: learn the rows of a validated `Chunk`;
    * ``_scores(X)``: class scores of shape ``(n, len(classes_))``, larger is likelier;
    * ``_begin()``: make the state of a learner that has seen nothing (optional);
    * ``_widen(positions)``: the class list grew, class ``c`` is now ``positions[c]`` (optional);
    * ``_takes_missing()``: whether it takes nan for missing values; by default not (optional).

    With ``_in_place = False`` learning happens on a draft and is all or nothing. With
    ``_in_place = True`` only validation is all or nothing: rows are then learned in place, which
    one-row-at-a-time learners need to stay fast; such a learner promises that one call of n rows
    and n calls of one row give the same bits, and `driftlearn.checks` asks for it. Ctrl-C then
    leaves some of the rows learned, each whole or not at all.

    Any number of threads may predict while one learns: they get the answer of the model before or
    after. Two that learn wait for each other.

    ``_incremental = False`` hides `partial_fit`.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "classes_": labels("classes"),
        "n_features_in_": integer(1),
        "rng_": optional(a(np.random.Generator)),
        "class_counts_": newer(integers("classes", least=0)),
    }
    _in_place = False
    _incremental = True
    _tests_every_row = False
    _most_classes = 2**31 - 1  # codes of models and votes have 32 bits
    _parameter_constraints: dict[str, list[Any]] = {}

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        if not cls._incremental:
            for name in ("partial_fit", "test_then_train"):
                setattr(cls, name, available_if(lambda self: self._incremental)(getattr(cls, name)))

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless one that has learned knows a class, and has its generator."""
        if "classes_" in state and not len(state["classes_"]):
            raise InvalidStateError("a learner that knows no class")
        if "classes_" in state and "random_state" in state and state.get("rng_") is None:
            raise InvalidStateError("a learner without a generator")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything, then learn these rows.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features: numbers between -1e75 and 1e75, so that sums of their squares stay finite,
            and nan for a missing value where the learner takes it (the tag ``allow_nan``): our
            trees and naive Bayes do, and ensembles of base learners that do. A pandas or
            polars frame's column names are remembered and checked later.
        y : array-like of shape (n,)
            Labels: numbers or strings.
        sample_weight : array-like of shape (n,), optional
            Row weights; a row of weight zero counts as absent, though its class becomes known.
            All others lie between 1e-100 and 1e100. One number stands for all rows.

        Returns
        -------
        self
        """
        return self._absorb(X, y, None, sample_weight, start=True, finish=True)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on learning with these rows.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like, optional
            Labels that may occur later. Never needed: a class may appear in any call.

        Returns
        -------
        self
        """
        way = self._single_row
        if way is not None and classes is sample_weight is None and way.learn(self, X, y):
            return self
        return self._absorb(X, y, classes, sample_weight, start=False, finish=False)

    def test_then_train(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        proba: bool = False,
    ) -> np.ma.MaskedArray:
        """Say of each row what it is, then learn it, row by row: the field's usual protocol.

        It is `predict` and `partial_fit` of one row after the other, to the last bit, but one
        call; learners that learn row by row go through the rows in their compiled loop.

        Parameters
        ----------
        X, y, classes, sample_weight
            As in `partial_fit`. A row of weight zero is tested and not learned.
        proba : bool
            Return probabilities, not labels.

        Returns
        -------
        masked array of shape (n,), or of shape (n, classes) with `proba`
            What `predict` said of each row before it was learned. It is masked where the learner
            had learned nothing yet, which is the first row of its life. Probabilities have a
            column for each of ``classes_``, masked where that class was not known yet.

        Notes
        -----
        A learner of chunks takes each row for a chunk, unless it has a ``chunk_size``: then rows
        are tested by the model of the chunks that are complete.

        What is refused, is refused before the first row. Errors and Ctrl-C in the middle are as
        in `partial_fit`; what was said until then is lost.

        Examples
        --------
        >>> from driftlearn import GaussianNBClassifier
        >>> X, y = [[0.0], [0.1], [1.0], [1.0]], ["a", "a", "b", "b"]
        >>> print(GaussianNBClassifier().test_then_train(X, y))
        [-- 'a' 'a' 'b']
        """
        return self._test_then_train(X, y, classes, sample_weight, proba)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return class probabilities, a column for each of ``classes_``."""
        return self._proba_with_classes(X)[0]

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable label of each row; ties go to the first of ``classes_``."""
        said = None if self._single_row is None else self._single_row.predict(self, X)
        if said is not None:
            return said
        probas, classes = self._proba_with_classes(X)
        return classes[likeliest(probas)]

    def _proba_with_classes(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return class probabilities and the classes, both of one moment in the learner's life.

        Another thread may be learning. What is learned in place is waited for. What is learned on
        a draft takes the place of ``__dict__`` as a whole, so whoever holds the old one sees the
        model as it was.
        """
        if self._in_place:
            with self._locked():
                return self._proba_unlocked(X)
        now = object.__new__(type(self))
        now.__dict__ = self.__dict__
        return now._proba_unlocked(X)

    def _proba_unlocked(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        self._check_fitted()
        if not as_before(self, X):
            X = checked_rows(self, X)
        return self._probas(X), self.classes_

    def _probas(self, X: np.ndarray) -> np.ndarray:
        return shares(fitting(self, X, self._scores(X), "_scores"))

    def _learn(self, chunk: Chunk) -> None:
        raise unwritten(self, "_learn(chunk)", "learn the rows of a Chunk")

    def _scores(self, X: np.ndarray) -> np.ndarray:
        raise unwritten(self, "_scores(X)", "return class scores of shape (rows, classes)")

    def _begin(self) -> None:
        """Make the state of a learner that has seen nothing."""

    def _widen(self, positions: np.ndarray) -> None:
        """Take note that old class ``c`` now has the code ``positions[c]``."""

    def _announce(self, labels: np.ndarray) -> None:
        """Take note that these labels, which are known now, may come."""

    def _takes_missing(self) -> bool:
        """Say whether it takes rows in which values are missing (nan)."""
        return False

    def _check_features(self, X: np.ndarray) -> None:
        """Raise ValueError where features have values that this learner cannot take."""

    def _receive(self, chunk: Chunk, finish: bool, **how: Any) -> None:
        """Learn a validated chunk; `how` is what a learner's own `partial_fit` was given more."""
        self._learn(self._weighed(chunk), **how)

    def _seed(self) -> int:
        """Return a seed for something new, drawn from ``rng_``."""
        return int(self.rng_.integers(SEEDS))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing()
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} has not learned anything yet: "
                "call fit or partial_fit before predict."
            )

    def _absorb(
        self,
        X: Any,
        y: Any,
        classes: Any,
        sample_weight: Any,
        start: bool,
        finish: bool,
        **how: Any,
    ) -> Self:
        with self._locked():
            start = start or not hasattr(self, "classes_")
            draft = self if self._in_place and not start else self._draft(start)
            draft._validate_params()
            chunk = draft._validated(X, y, classes, sample_weight, start)
            if self._in_place:
                self.__dict__ = draft.__dict__
                draft = self
            if len(chunk):
                draft._receive(chunk, finish, **how)
            self.__dict__ = draft.__dict__
            if self._in_place and len(chunk) == 1:  # more of the kind may come
                self._keep_short_way()
        return self

    def _test_then_train(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, proba: bool
    ) -> np.ma.MaskedArray:
        with self._locked():
            return test_then_train(self, X, y, classes, sample_weight, proba)

    def _test_then_learn(self, chunk: Chunk, probas: np.ndarray) -> None:
        """Learn row by row; write down what was thought of each before.

        Not of the first, which was tested apart, unless the learner says `_tests_every_row`.
        """
        for i in range(len(chunk)):
            row = chunk.at(slice(i, i + 1))
            if i > 0:
                probas[i] = self._probas(row.X)
            self._receive(row, finish=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take a state, which may be that of a learner that drew nothing when it was saved."""
        super().__setstate__(self._of_old(state))
        known = self.__dict__
        if FITTED in state and "random_state" in known and "rng_" not in known:
            known["rng_"] = generator(known["random_state"])

    def _look_at_params(self) -> None:
        check_bases(self)
        super()._look_at_params()

    def _validated(self, X: Any, y: Any, classes: Any, sample_weight: Any, start: bool) -> Chunk:
        given = y
        X, y, w = self._checked(X, y, sample_weight, start)
        named = None if classes is None or classes is given else announced(classes)
        chunk = self._cut(X, y, w, named)
        return chunk if sample_weight is None or w.all() else chunk.at(w > 0)

    def _checked(self, X: Any, y: Any, sample_weight: Any, start: bool) -> Rows:
        """Return features, labels and weights as plain arrays; raise where they are no such."""
        y = plain_labels(y)
        plain = is_plain(self, X) if start else as_before(self, X)
        if not (plain and y.ndim == 1 and y.dtype.kind in "biuU" and len(X) == len(y)):
            X, y = checked_rows(self, X, y, reset=start)
            check_classification_targets(y)
        elif start:
            self.n_features_in_ = X.shape[1]
        self._check_features(X)
        self._check_class_weight(y)
        return X, y, row_weights(sample_weight, len(y))

    def _cut(self, X: np.ndarray, y: np.ndarray, w: np.ndarray, named: Any) -> Chunk:
        """Return checked rows as a chunk; their labels, and those that are named, become known."""
        known = self.__dict__.get("classes_")
        codes = None if known is None or named is not None else codes_among(known, y)
        if codes is None:
            labels = distinct(y)
            self._meet(labels if named is None else joined(named, labels))
            codes = codes_among(self.classes_, y)
            if codes is None:  # labels of another type than those that were known
                codes = np.searchsorted(self.classes_, y)
        return Chunk(X, codes, w, self.classes_)

    def _meet(self, labels: np.ndarray) -> None:
        """Make these sorted labels known: the first start a learner, later ones widen it."""
        if not hasattr(self, "classes_"):
            self._check_number(labels)
            self.classes_ = labels
            if "random_state" in self.__dict__:
                self.rng_ = generator(self.__dict__["random_state"])
            self._begin()
            return
        if same_labels(labels, self.classes_):
            return
        known = joined(self.classes_, labels)
        self._check_number(known)
        if len(known) > len(self.classes_):
            before = self.classes_
            with uninterrupted() if self._in_place else NOBODY:
                try:
                    self.classes_ = known
                    self._widen(positions := np.searchsorted(known, before))
                    self._widen_counts(positions)
                except BaseException:
                    self.classes_ = before
                    raise

    def _check_number(self, classes: np.ndarray) -> None:
        if len(classes) > self._most_classes:
            raise ValueError(
                f"{type(self).__name__} takes at most {self._most_classes} classes, and these are "
                f"{len(classes)}. GaussianNBClassifier and ensembles of it take any number."
            )

    def _train_validated(self, chunk: Chunk) -> Self:
        """Learn a chunk that the ensemble this learner belongs to has validated already."""
        self.n_features_in_ = chunk.X.shape[1]
        self._meet(chunk.occurring)
        self._learn(self._weighed(chunk.with_classes(self.classes_)))
        return self
