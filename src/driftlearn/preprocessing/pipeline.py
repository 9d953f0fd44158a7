"""Incremental pipelines: transformers that keep learning, followed by a learner."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch, check_consistent_length, get_tags
from sklearn.utils.metaestimators import _BaseComposition, available_if

from driftlearn.base.prequential import PrequentialPredictions
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.thread_safe import ThreadSafeEstimator
from driftlearn.base.validation import check_classes, check_labels, check_sample_weight
from driftlearn.base.validation import union_of_labels as all_labels
from driftlearn.io.schema import Field, InvalidStateError, a, anything, list_of, newer
from driftlearn.preprocessing import _steps
from driftlearn.preprocessing.recent_rows import RecentRows
from driftlearn.preprocessing.refitted import Frozen
from driftlearn.preprocessing.table_encoder import TableEncoder
from driftlearn.tables.frames import held, n_rows_of
from driftlearn.tables.passthrough import taken
from driftlearn.utils.arguments import ClassifierMixin, Self
from driftlearn.utils.hooks import hook

if TYPE_CHECKING:
    from driftlearn.inspection.explanation import Explanation

Method = TypeVar("Method", bound=Callable[..., Any])


def if_learner_has(method: Method) -> Method:
    """Make a method available only if the learner has it."""
    name = method.__name__
    return available_if(lambda self: hasattr(self.steps[-1][1], name))(method)


def make_pipeline(*steps: Any) -> IncrementalPipeline:
    """Return an `IncrementalPipeline` whose steps are named after their classes.

    Parameters
    ----------
    *steps : estimator
        Transformers, followed by a learner.

    Returns
    -------
    IncrementalPipeline

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier
    >>> pipeline = make_pipeline(TableEncoder(), GaussianNBClassifier())
    >>> [name for name, _ in pipeline.steps]
    ['tableencoder', 'gaussiannbclassifier']
    """
    kinds = [type(step).__name__.lower() for step in steps]
    names = [
        f"{kind}-{kinds[: k + 1].count(kind)}" if kinds.count(kind) > 1 else kind
        for k, kind in enumerate(kinds)
    ]
    return IncrementalPipeline([*zip(names, steps)])


class IncrementalPipeline(ClassifierMixin, _BaseComposition, ThreadSafeEstimator):  # type: ignore[misc]
    """Pipeline of incremental transformers and a learner.

    `partial_fit` passes rows through the steps; each step is updated with them and transforms them
    for the next step. A step with `transform_then_learn`, such as `TableEncoder`, transforms each
    row with its state before that row. Any other step with `partial_fit`, such as scikit-learn's
    `StandardScaler`, is updated with the rows of a call before it transforms them. Transformers
    without `partial_fit` must be wrapped: `Frozen` is fitted once to the first rows, `Refitted` is
    refitted at regular intervals; rows are buffered until the first fit. Stateless transformers,
    such as `Normalizer`, need no wrapper.

    If the learner and all other steps work row by row (`TableEncoder`, `Frozen`, `Refitted`,
    stateless ones), one call with n rows and n calls with one row give bitwise identical results.

    Parameters
    ----------
    steps : list of (str, estimator)
        Names and steps, the learner last. The steps are cloned.

    Attributes
    ----------
    steps_ : list of (str, estimator)
        The fitted steps.
    named_steps : Bunch
        The fitted steps by name; before `fit`, the steps as passed.
    classes_ : ndarray
        Classes known to the learner.
    waiting_ : list of list
        For each step, the rows buffered for its first fit.
    recent_ : RecentRows
        Sample of the rows on which the learner was trained, with which `explain` compares.

    Notes
    -----
    If the only transformer is a `TableEncoder`, a learner that supports missing values (nan)
    receives them, unless the encoder's `missing` parameter forbids it; and a learner whose
    ``nominal_features`` is None is given the columns that hold codes of categories.

    Rows of weight zero do not pass through the steps; the learner only records their classes.

    If a call fails, all steps remain as they were.

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier
    >>> model = make_pipeline(TableEncoder(), GaussianNBClassifier())
    >>> rows = {"length": [120, 80, None, 90] * 2, "sender": ["ann", "shop"] * 4}
    >>> _ = model.partial_fit(rows, ["ham", "spam"] * 4)
    >>> model.predict({"length": [None, 85], "sender": ["ann", "shop"]}).tolist()
    ['ham', 'spam']
    >>> model.named_steps["tableencoder"].kinds_
    {'length': 'number', 'sender': 'category'}
    """

    STATE: ClassVar[dict[str, Field]] = {
        "steps_": newer(list_of(anything())),
        "waiting_": newer(list_of(list_of(anything()))),
        "recent_": newer(a(RecentRows)),
    }
    _parameter_constraints: dict[str, list[Any]] = {"steps": [list]}
    steps_: list[tuple[str, Any]]
    waiting_: list[list[_steps.Batch]]
    recent_ = RecentRows()  # default for files of earlier versions
    classes_: np.ndarray

    def __init__(self, steps: list[tuple[str, Any]]):
        self.steps = steps

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless the steps are valid, each with a list of buffered rows."""
        steps, waiting = state.get("steps_", []), state.get("waiting_", [])
        if "steps" not in state or len(steps) != len(waiting):
            raise InvalidStateError("a pipeline must have steps, and a buffer for each of them")
        if steps:
            _steps.check_steps(steps)
        for batch in (batch for each in waiting for batch in each):
            if type(batch) is not tuple or len(batch) != 4 or n_rows_of(batch[0]) != len(batch[1]):
                raise InvalidStateError("the buffered rows are malformed")

    def _sk_visual_block_(self) -> Any:
        """Return the steps for scikit-learn's HTML representation in notebooks."""
        # A private class of scikit-learn, which has moved; its own pipeline draws the same.
        steps = self.steps_ if self.__sklearn_is_fitted__() else self.steps
        return Pipeline(steps)._sk_visual_block_()

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, file: str | None = None) -> Self:
        """Fit from scratch; transformers are fitted even if there are fewer rows than they require.

        Parameters
        ----------
        X : any input of the first step
            The rows.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Row weights, if the learner supports them.
        file : str, optional
            Name of the source of the rows, for the report of a `TableEncoder`.

        Returns
        -------
        self
        """
        return self._absorb(X, y, None, sample_weight, file, start=True)

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        file: str | None = None,
    ) -> Self:
        """Update the steps and the learner with more rows.

        Parameters
        ----------
        X, y, sample_weight, file
            As in `fit`.
        classes : array-like, optional
            Labels that may occur later. scikit-learn's learners need them in the first call;
            learners of this library never do.

        Returns
        -------
        self
        """
        return self._absorb(X, y, classes, sample_weight, file, start=False)

    @if_learner_has
    def test_then_train(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        proba: bool = False,
        file: str | None = None,
    ) -> np.ma.MaskedArray:
        """Predict each row, then train on it, row by row.

        This equals `predict` and `partial_fit` of one row after the other, except that a
        `TableEncoder` determines the kinds of columns from all rows of a first call. If all steps
        work row by row, it is one compiled call.

        Parameters
        ----------
        X, y, classes, sample_weight, file
            As in `partial_fit`. Rows of weight zero are predicted but not used for training.
        proba : bool
            Whether to return probabilities instead of labels.

        Returns
        -------
        masked array of shape (n,), or of shape (n, classes) with `proba`
            Prediction for each row before training on it; masked if there was none yet.
        """
        with self._locked():
            draft = self._draft(start=False)
            X = held(X)
            w = check_sample_weight(sample_weight, n_rows_of(X))
            if w.all() and draft._is_row_by_row():
                ((X, y, _, _),) = draft._passed((X, y, None, None), file, finish=False)
                weights = None if sample_weight is None else w
                predictions = draft._learner.test_then_train(X, y, classes, weights, proba=proba)
                draft.recent_ = draft.recent_.with_rows(X)
            else:
                check_consistent_length(w, labels := check_labels(y))
                known = getattr(self, "classes_", None)
                announced = None if classes is None else check_classes(classes)
                tests = PrequentialPredictions(labels, known, announced, proba)
                draft.steps_[-1] = deepcopy(draft.steps_[-1])
                for i, row in enumerate(slice(i, i + 1) for i in range(len(w))):
                    if draft.__sklearn_is_fitted__():
                        found = draft.classes_, draft.predict_proba(taken(X, row))
                        tests.note(row, found[0], np.full((1, len(found[0])), np.nan), found)
                    if w[i] > 0:
                        draft.partial_fit(taken(X, row), labels[row], classes, w[row], file=file)
                        classes = None
                predictions = tests.outcome()
            self.__dict__ = draft.__dict__
            return predictions

    def predict(self, X: Any) -> np.ndarray:
        """Return the predicted label of each row."""
        return self._predicted("predict", X)

    @if_learner_has
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return class probabilities, one column for each of ``classes_``."""
        return self._predicted("predict_proba", X)

    @if_learner_has
    def decision_function(self, X: Any) -> np.ndarray:
        """Return the decision function of the learner for each row."""
        return self._predicted("decision_function", X)

    @if_learner_has
    def explain(self, X: Any, background: Any = None, output: str = "probability") -> Explanation:
        """Return explanations of the predictions, in terms of the table's columns.

        Parameters
        ----------
        X : frame, table, dict of columns or array-like
            The rows.
        background, output
            See `driftlearn.inspection.Explanation`. By default, rows are compared with a sample of
            those on which the pipeline was trained last.
        """
        self._check_fitted()
        return hook("explain")(self, X, background, output)

    @property
    def named_steps(self) -> Bunch:
        """The steps by name."""
        return Bunch(**dict(self.__dict__.get("steps_", self.steps)))

    def __getattr__(self, name: str) -> Any:
        """Return attributes of columns from the first step, attributes of classes from the last."""
        where = {"n_features_in_": 0, "feature_names_in_": 0, "classes_": -1}
        where["feature_importances_"] = -1
        if name in where and "steps_" in self.__dict__:
            return getattr(self.__dict__["steps_"][where[name]][1], name)
        return object.__getattribute__(self, name)  # raises the usual AttributeError

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the steps and, if `deep`, their parameters by name."""
        return self._get_params("steps", deep)

    def set_params(self, **params: Any) -> Self:
        """Set steps, or parameters of steps, for the next `fit`."""
        return self._set_params("steps", **params)

    def __sklearn_is_fitted__(self) -> bool:
        return "steps_" in self.__dict__ and _steps.is_fitted(self._learner)

    def __sklearn_tags__(self) -> Any:
        tags: Any = super().__sklearn_tags__()
        last = get_tags(self.steps[-1][1])
        tags.classifier_tags, tags.target_tags = last.classifier_tags, last.target_tags
        tags.estimator_type, tags.non_deterministic = last.estimator_type, last.non_deterministic
        tags.input_tags = get_tags(self.steps[0][1]).input_tags
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = _steps.takes_nan(self.steps)
        return tags

    def _validate_params(self) -> None:
        super()._validate_params()
        _steps.check_steps(self.steps)

    @property
    def _learner(self) -> Any:
        return self.steps_[-1][1]

    def _is_row_by_row(self) -> bool:
        """Return whether every step transforms each row with its state before that row."""
        return all(
            isinstance(step, TableEncoder)
            or (isinstance(step, Frozen) and _steps.is_fitted(step))
            or _steps.is_stateless(step)
            for _, step in self.steps_[:-1]
        )

    def _predicted(self, method: str, X: Any) -> np.ndarray:
        with self._locked():  # steps and learner must belong to the same state
            *before, (_, learner) = self._check_fitted()
            for _, step in before:
                X = step.transform(X)
            predictions: np.ndarray = getattr(learner, method)(X)
        return predictions

    def _check_fitted(self) -> list[tuple[str, Any]]:
        """Return the steps; raise NotFittedError if the learner is not trained."""
        steps: list[tuple[str, Any]] | None = self.__dict__.get("steps_")
        if steps is not None and _steps.is_fitted(steps[-1][1]):
            return steps
        waiting = [batch for each in self.__dict__.get("waiting_", ()) for batch in each]
        n = sum(n_rows_of(X) for X, *_ in waiting)
        why = f" ({n} rows wait for the first fit of a step)" if n else ""
        again = " with more rows" if n else ""
        raise NotFittedError(
            f"This IncrementalPipeline is not fitted yet{why}: call fit or partial_fit{again} "
            "before predict."
        )

    def _draft(self, start: bool) -> Self:
        """Return a working copy with copied transformers or, with `start`, clones of all steps."""
        start = start or "steps_" not in self.__dict__
        draft = super()._draft(start)
        if start:
            draft._validate_params()
            draft.steps_ = [(name, clone(step)) for name, step in self.steps]
            _steps.choose_missing(draft.steps_)
            draft.waiting_ = [[] for _ in self.steps]
            draft.recent_ = RecentRows()
        else:
            # An untrained learner may get several batches, or the positions of nominal features.
            steps = self.steps_[:-1] if _steps.is_fitted(self._learner) else self.steps_
            draft.steps_ = [(name, _steps.working_copy(step)) for name, step in steps]
            draft.steps_ += self.steps_[len(steps) :]
            draft.waiting_ = [*self.waiting_]
        return draft

    def _absorb(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, file: str | None, start: bool
    ) -> Self:
        with self._locked():
            draft = self._draft(start)
            learner = draft._learner
            X = held(X)
            n = n_rows_of(X)
            if y is None:
                raise ValueError("Training requires y to be passed, but the target y is None.")
            y = y if hasattr(y, "__len__") else np.asarray(y)
            if (y.shape[:1] if hasattr(y, "shape") else (len(y),)) != (n,):
                check_consistent_length(X if hasattr(X, "shape") else range(n), y)
            w = None if sample_weight is None else check_sample_weight(sample_weight, n)
            batch = X, y, w, classes
            if w is not None and not w.all():
                y = check_labels(y)
                if isinstance(learner, StreamClassifier):
                    known = np.unique(y)
                    classes = (
                        known if classes is None else all_labels(check_classes(classes), known)
                    )
                batch = taken(X, w > 0), y[w > 0], w[w > 0], classes
            for each in draft._passed(batch, file, finish=start):
                draft._train(each, start)
            self.__dict__ = draft.__dict__
        return self

    def _passed(self, batch: _steps.Batch, file: str | None, finish: bool) -> list[_steps.Batch]:
        """Pass rows through the transformers; return those that are not buffered, in order."""
        batches = [batch]
        for k, (_, step) in enumerate(self.steps_[:-1]):
            if isinstance(step, Frozen) and not _steps.is_fitted(step):
                batches = [*self.waiting_[k], *map(_steps.checked, batches)]
                self.waiting_[k], batches = _steps.released(step, batches, finish)
            else:
                batches = [(_steps.transformed(step, X, file), *rest) for X, *rest in batches]
        _steps.set_nominal_features(self.steps_)
        return batches

    def _train(self, batch: _steps.Batch, start: bool) -> None:
        X, y, w, classes = batch
        partial_fit = self._learner.partial_fit
        takes = _steps.parameters_of(getattr(partial_fit, "__func__", partial_fit))
        if w is not None and "sample_weight" not in takes:
            raise ValueError(f"{type(self._learner).__name__} does not support sample_weight")
        how = {} if w is None else {"sample_weight": w}
        if classes is not None and "classes" in takes and not start:
            how["classes"] = classes
        (self._learner.fit if start else partial_fit)(X, y, **how)
        self.recent_ = self.recent_.with_rows(X)
