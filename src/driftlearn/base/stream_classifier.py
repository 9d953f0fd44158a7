"""Base class of all classifiers: validation, classes, weights and randomness.

A subclass implements its algorithm in `_learn` and `_scores`, which receive arrays validated here.
Training changes a working copy of the estimator, which replaces the original only on success, so
an error anywhere leaves the model as it was.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from driftlearn.base import validation
from driftlearn.base._probabilities import argmax_rows, check_scores, normalize
from driftlearn.base._single_row import SingleRowPath
from driftlearn.base.chunk import Chunk, same_labels
from driftlearn.base.class_weight import ClassWeights
from driftlearn.base.prequential import test_then_train
from driftlearn.base.thread_safe import ThreadSafeEstimator
from driftlearn.io import schema
from driftlearn.utils.arguments import ClassifierMixin, Self, unwritten
from driftlearn.utils.hooks import hook
from driftlearn.utils.interrupts import uninterrupted

if TYPE_CHECKING:
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.inspection.explanation import Explanation

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]  # features, labels, weights

MAX_SEED = 2**31 - 1  # exclusive upper bound; every library accepts the seeds below it
#: Methods that the fast path skips; a learner that overrides one of them cannot use it.
SKIPPED = (
    "_absorb", "_validated", "_checked", "_cut",
    "_proba_with_classes", "_proba_unlocked", "_probas",
)  # fmt: skip
#: Modules of the base classes whose methods the fast path replaces.
BASES = "driftlearn.base.", "driftlearn.ensemble.online_classifier"


class InheritedConstraints:
    """Constraints of a class's parameters, its own and those of its base classes, by name."""

    def __get__(self, model: Any, kind: Any) -> dict[str, Any]:
        """Return the constraints that scikit-learn checks; they are collected once per class."""
        if "_all_constraints" not in vars(kind):
            found: dict[str, Any] = {}
            for each in reversed(kind.__mro__):
                own = vars(each).get("_constraints", vars(each).get("_parameter_constraints", {}))
                found |= own
            kind._all_constraints = {
                name: found[name] for name in kind._get_param_names() if name in found
            }
        return kind._all_constraints


class StreamClassifier(ClassWeights, ClassifierMixin, ThreadSafeEstimator):
    """Base class of all classifiers: incremental, with new classes at any time.

    A subclass implements

    * ``_learn(chunk)``: train on the rows of a validated `Chunk`;
    * ``_scores(X)``: class scores of shape ``(n, len(classes_))``, larger means more probable;
    * ``_begin()``: initialize the fitted attributes (optional);
    * ``_widen(positions)``: the class list grew, class ``c`` is now ``positions[c]`` (optional);
    * ``_takes_missing()``: whether nan is accepted for missing values; False by default (optional).

    With ``_in_place = False`` training changes a working copy and is all or nothing. With
    ``_in_place = True`` only validation is all or nothing: the model is then trained in place,
    which row-by-row learners need to stay fast. For such a learner, one call with n rows and n
    calls with one row must give bitwise identical results; `driftlearn.checks` verifies this. After
    Ctrl-C some of the rows are learned, each completely or not at all.

    Any number of threads may predict while one trains: they use the model from before or after the
    training call. Two threads that train wait for each other.

    ``_incremental = False`` hides `partial_fit`.

    ``PUBLISHED`` holds the settings of the paper that differ from the defaults. Defaults are the
    most accurate settings on the benchmark streams that are reserved for choosing them.
    """

    PUBLISHED: ClassVar[dict[str, Any]] = {}
    STATE: ClassVar[dict[str, schema.Field]] = {
        "classes_": schema.labels("classes"),
        "n_features_in_": schema.integer(1),
        "rng_": schema.optional(schema.a(np.random.Generator)),
        "class_counts_": schema.newer(schema.integers("classes", least=0)),
    }
    _in_place = False
    _incremental = True
    _poor_score = False  # whether scikit-learn's checks shall not expect an accuracy
    _single_row: SingleRowPath | None = None  # fast path for single rows
    _tests_every_row = False
    _most_classes = 2**31 - 1  # class codes of models and votes are 32-bit integers
    # `class_weight` has a check of its own: scikit-learn's would take a tenth of the time of
    # training on a row.
    _constraints: ClassVar[dict[str, Any]] = {
        "random_state": ["random_state"], "class_weight": "no_validation",
    }  # fmt: skip
    _parameter_constraints: Any = InheritedConstraints()

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        if "_parameter_constraints" in vars(cls):
            cls._constraints = cls._parameter_constraints
            del cls._parameter_constraints
        if not cls._incremental:
            for name in ("partial_fit", "test_then_train"):
                setattr(cls, name, available_if(lambda self: self._incremental)(getattr(cls, name)))

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless a fitted learner has classes and its generator."""
        if "classes_" in state and not len(state["classes_"]):
            raise schema.InvalidStateError("a fitted learner has no classes")
        if "classes_" in state and "random_state" in state and state.get("rng_") is None:
            raise schema.InvalidStateError("a fitted learner has no random generator")

    @classmethod
    def as_published(cls, *args: Any, **params: Any) -> Self:
        """Return the learner with the settings of its paper instead of the defaults.

        Parameters
        ----------
        *args, **params
            Parameters of the constructor; they take precedence over the paper's. With
            ``estimator=None``, the paper's estimator is used.

        Examples
        --------
        >>> from driftlearn import DWMClassifier
        >>> DWMClassifier.as_published(period=20)
        DWMClassifier(estimator=GaussianNBClassifier(), period=20, vote='majority')
        """
        passed = signature(cls).bind_partial(*args, **params).arguments
        if passed.get("estimator") is None:
            passed.pop("estimator", None)
        paper = {name: clone(value, safe=False) for name, value in cls.PUBLISHED.items()}
        return cls(**{**paper, **passed})

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit from scratch, discarding what was learned before.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features: numbers between -1e75 and 1e75, so that sums of their squares stay finite,
            and nan for a missing value where the learner accepts it (tag ``allow_nan``): trees
            and naive Bayes of this package do, and ensembles of such base learners. Column names
            of pandas and polars frames are remembered and checked later.
        y : array-like of shape (n,)
            Labels: numbers or strings.
        sample_weight : array-like of shape (n,), optional
            Row weights. A row of weight zero is ignored, but its class becomes known. Other
            weights must lie between 1e-100 and 1e100. A single number is used for all rows.

        Returns
        -------
        self
        """
        return self._absorb(X, y, None, sample_weight, fit=True)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Update the model with more rows.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array-like, optional
            Labels that may occur later. Optional, because a class may appear in any call.

        Returns
        -------
        self
        """
        fast = self._single_row
        if fast is not None and classes is sample_weight is None and fast.learn(self, X, y):
            return self
        return self._absorb(X, y, classes, sample_weight, fit=False)

    def test_then_train(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, *, proba: bool = False
    ) -> np.ma.MaskedArray:
        """Predict each row, then train on it, row by row: prequential evaluation.

        The result is bitwise identical to alternating `predict` and `partial_fit` on single rows;
        row-by-row learners process the rows in their compiled loop.

        Parameters
        ----------
        X, y, classes, sample_weight
            As in `partial_fit`. A row of weight zero is predicted but not used for training.
        proba : bool
            Return probabilities instead of labels.

        Returns
        -------
        masked array of shape (n,), or of shape (n, classes) with `proba`
            The prediction for each row, made before training on it. It is masked if the learner was
            still untrained, as at its first row. Probabilities have a column for each of
            ``classes_``, masked where that class was not known yet.

        Notes
        -----
        A chunk learner uses each row as a chunk, unless it has a ``chunk_size``: then rows are
        predicted by the model of the complete chunks.

        Invalid input is rejected before training starts. Errors and Ctrl-C later on leave
        the model as in `partial_fit`; the predictions made until then are lost.

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
        label = None if self._single_row is None else self._single_row.predict(self, X)
        if label is not None:
            return label
        probas, classes = self._proba_with_classes(X)
        return classes[self._predicted_codes(probas, classes)]

    def _predicted_codes(self, probas: np.ndarray, classes: np.ndarray) -> np.ndarray:
        """Return the codes of the labels that follow from probabilities of `classes`."""
        return argmax_rows(probas)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return confidence scores: differences of probabilities, or probabilities.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n,) or (n, classes)
            With two classes, the probability of the second minus that of the first: positive
            where `predict` returns the second. With more classes, their probabilities. (With one
            class, -1.)
        """
        probas, classes = self._proba_with_classes(X)
        return probas if len(classes) > 2 else probas[:, 1:].sum(axis=1) - probas[:, 0]

    @property
    def feature_importances_(self) -> np.ndarray:
        """Impurity-based feature importances, averaged over the members that are trees.

        The mean over members that have split is weighted by their weights in `members_`; the
        importances of each add up to 1. All are 0 before the first split. External members
        contribute their own ``feature_importances_``. Other learners have none; use
        `driftlearn.inspection.permutation_importances` for them.
        """
        return hook("tree_importances")(self)

    def explain(self, X: Any, background: Any = None, output: str = "probability") -> Explanation:
        """Return an explanation of the predictions for some rows.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows; a few, if the explanation is to be read.
        background : array-like of shape (m, d), optional
            Rows with which those of `X` are compared, such as recent training rows.
        output : {"probability", "log-odds"}, default="probability"
            What is explained; see `driftlearn.inspection.Explanation`.

        Returns
        -------
        driftlearn.inspection.Explanation
            The contribution of each column, and each member's vote, weight and splits; it prints
            itself.
        """
        self._check_fitted()
        return hook("explain")(self, X, background, output)

    # Methods that subclasses implement or extend.

    def _learn(self, chunk: Chunk) -> None:
        raise unwritten(self, "_learn(chunk)", "train on the rows of a Chunk")

    def _scores(self, X: np.ndarray) -> np.ndarray:
        raise unwritten(self, "_scores(X)", "return class scores of shape (rows, classes)")

    def _begin(self) -> None:
        """Initialize the fitted attributes of an empty model."""

    def _widen(self, positions: np.ndarray) -> None:
        """Adapt to an extended class list: the old class code ``c`` is now ``positions[c]``."""

    def _announce(self, labels: np.ndarray) -> None:
        """Prepare for announced labels that may occur later."""

    @property
    def _by_row(self) -> bool:
        """Whether one call with n rows gives the same model as n calls with one row."""
        return self._in_place

    def _takes_missing(self) -> bool:
        """Return whether rows may have missing values (nan)."""
        return False

    def _check_features(self, X: np.ndarray) -> None:
        """Raise ValueError for feature values that this learner does not accept."""

    def _receive(self, chunk: Chunk, finish: bool, **how: Any) -> None:
        """Train on a validated chunk; `how` contains further arguments of `partial_fit`."""
        self._learn(self._weighed(chunk), **how)

    def _test_then_learn(self, chunk: Chunk, probas: np.ndarray) -> None:
        """Train row by row; write the prequential probabilities of each row to `probas`.

        The first row is predicted by the caller, unless the learner sets ``_tests_every_row``.
        """
        for i in range(len(chunk)):
            row = chunk.at(slice(i, i + 1))
            if i > 0:
                probas[i] = self._probas(row.X)
            self._receive(row, finish=False)

    # Prediction

    def _proba_with_classes(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return class probabilities and the classes, both of the same version of the model.

        Another thread may be training. A learner that is trained in place is locked meanwhile. A
        learner that is trained on a working copy replaces its ``__dict__`` at once, so a view of
        the old ``__dict__`` stays consistent.
        """
        if self._in_place:
            with self._locked():
                return self._proba_unlocked(X)
        view = object.__new__(type(self))
        view.__dict__ = self.__dict__
        return view._proba_unlocked(X)

    def _proba_unlocked(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        self._check_fitted()
        if not validation.as_before(self, X):
            X = validation.validate_rows(self, X)
        return self._probas(X), self.classes_

    def _probas(self, X: np.ndarray) -> np.ndarray:
        return normalize(check_scores(self, X, self._scores(X), "_scores"))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classes_")

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} is not fitted yet: call fit or partial_fit before "
                "predict."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing()
        tags.classifier_tags.poor_score = self._poor_score
        return tags

    # Training

    def _absorb(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, fit: bool, **how: Any
    ) -> Self:
        """Validate rows and train on them; `fit` discards what was learned before."""
        with self._locked():
            start = fit or not hasattr(self, "classes_")
            draft = self if self._in_place and not start else self._draft(start)
            draft._validate_params()
            chunk = draft._validated(X, y, classes, sample_weight, start)
            if self._in_place:
                self.__dict__ = draft.__dict__
                draft = self
            if len(chunk):
                draft._receive(chunk, finish=fit, **how)
            self.__dict__ = draft.__dict__
            if self._in_place and len(chunk) == 1:  # more single rows are likely to follow
                self._cache_single_row_path()
        return self

    def _test_then_train(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, proba: bool
    ) -> np.ma.MaskedArray:
        with self._locked():
            return test_then_train(self, X, y, classes, sample_weight, proba)

    def _train_validated(self, chunk: Chunk) -> Self:
        """Train on a chunk that the surrounding ensemble has already validated."""
        self.n_features_in_ = chunk.X.shape[1]
        self._meet(chunk.occurring)
        self._learn(self._weighed(chunk.with_classes(self.classes_)))
        return self

    def _seed(self) -> int:
        """Return a new seed, drawn from ``rng_``."""
        return int(self.rng_.integers(MAX_SEED))

    # Validation and classes

    def _check_params(self) -> None:
        validation.check_estimators(self)
        super()._check_params()

    def _validated(self, X: Any, y: Any, classes: Any, sample_weight: Any, start: bool) -> Chunk:
        passed = y
        X, y, w = self._checked(X, y, sample_weight, start)
        named = None if classes is None or classes is passed else validation.check_classes(classes)
        chunk = self._cut(X, y, w, named)
        return chunk if sample_weight is None or w.all() else chunk.at(w > 0)

    def _checked(self, X: Any, y: Any, sample_weight: Any, start: bool) -> Rows:
        """Return features, labels and weights as validated arrays."""
        y = validation.check_labels(y)
        plain = validation.is_plain(self, X) if start else validation.as_before(self, X)
        if not (plain and y.ndim == 1 and y.dtype.kind in "biuU" and len(X) == len(y)):
            X, y = validation.validate_rows(self, X, y, reset=start)
            check_classification_targets(y)
        elif start:
            self.n_features_in_ = X.shape[1]
        self._check_features(X)
        self._check_class_weight(y)
        return X, y, validation.check_sample_weight(sample_weight, len(y))

    def _cut(self, X: np.ndarray, y: np.ndarray, w: np.ndarray, named: Any) -> Chunk:
        """Return validated rows as a chunk; add their labels and `named` to the known classes."""
        known = self.__dict__.get("classes_")
        codes = None if known is None or named is not None else validation.encode_labels(known, y)
        if codes is None:
            labels = validation.unique_labels(y)
            self._meet(labels if named is None else validation.union_of_labels(named, labels))
            codes = validation.encode_labels(self.classes_, y)
            if codes is None:  # the labels have a different type than the known classes
                codes = np.searchsorted(self.classes_, y)
        return Chunk(X, codes, w, self.classes_)

    def _meet(self, labels: np.ndarray) -> None:
        """Add sorted labels to ``classes_``; the first ones initialize the learner."""
        if not hasattr(self, "classes_"):
            self._check_number(labels)
            self.classes_ = labels
            if "random_state" in self.__dict__:
                self.rng_ = generator(self.__dict__["random_state"])
            self._begin()
            return
        if same_labels(labels, self.classes_):
            return
        known = validation.union_of_labels(self.classes_, labels)
        self._check_number(known)
        if len(known) > len(self.classes_):
            before = self.classes_
            with uninterrupted() if self._in_place else nullcontext():
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
                f"{type(self).__name__} supports at most {self._most_classes} classes. Got "
                f"{len(classes)}. GaussianNBClassifier and ensembles of it support any number."
            )

    # Saved files

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a state, possibly from a version in which the learner drew no random numbers."""
        super().__setstate__(self._with_published(state))
        known = self.__dict__
        if schema.FITTED in state and "random_state" in known and "rng_" not in known:
            known["rng_"] = generator(known["random_state"])

    @classmethod
    def _with_published(cls, state: dict[str, Any]) -> dict[str, Any]:
        """Return a state with the paper's settings for parameters whose defaults changed later.

        Learners whose defaults differ from the paper's got them together with `class_weight`;
        parameters for votes and smoothing are newer.
        """
        newer = {*cls.PUBLISHED, *({"class_weight"} & cls._parameters())}
        if newer <= state.keys():
            return state
        old = {**cls.as_published().__dict__, **state}
        older = "estimator" in cls.PUBLISHED and "class_weight" not in state
        if older and old.get("estimator") is None:
            old["estimator"] = clone(cls.PUBLISHED["estimator"])
        return {name: old[name] for name in old if name in state or name in cls.PUBLISHED}

    @classmethod
    @cache  # reading a signature takes as long as copying a fitted model
    def _parameters(cls) -> frozenset[str]:
        return frozenset(signature(cls).parameters)

    def _cache_single_row_path(self) -> None:
        """Cache the fast path for the current classes and parameters, if one is possible."""
        if self._single_row is None or not self._single_row.is_for(self):
            self._single_row = self._single_row_path()

    def _single_row_path(self) -> SingleRowPath | None:
        known = self.__dict__
        plain = self.class_weight is None and "feature_names_in_" not in known
        if not plain or not self._uses_default_methods():
            return None
        facts = {"classes_": self.classes_, "n_features_in_": self.n_features_in_}
        model = self._only_model()
        if model is not None:
            facts["model_"] = model
        params = {name: known.get(name) for name in self._get_param_names()}
        return SingleRowPath(facts, params, model)

    @classmethod
    @cache
    def _uses_default_methods(cls) -> bool:
        """Return whether the skipped methods are those of the package's base classes."""
        modules = (getattr(cls, name).__module__ for name in SKIPPED)
        return all(module.startswith(BASES) for module in modules)

    def _only_model(self) -> OnlineModel | None:
        """Return ``model_`` if training and prediction involve nothing else."""
        return None

    def _learn_row(self, X: np.ndarray, code: int) -> None:
        """Train on a single validated row of a known class."""
        w = validation.check_sample_weight(None, 1)
        self._receive(Chunk(X, np.array([code]), w, self.classes_), False)


def generator(random_state: Any) -> np.random.Generator:
    """Return a NumPy generator for a scikit-learn ``random_state``."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state.integers(2**31 - 1))
    return np.random.default_rng(random_state)
