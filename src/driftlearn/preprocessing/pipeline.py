"""A pipeline of steps that go on learning, with a learner at its end."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch, check_consistent_length, get_tags

from driftlearn.base.prequential import PrequentialPredictions
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.validation import check_classes, check_labels, check_sample_weight
from driftlearn.base.validation import union_of_labels as all_labels
from driftlearn.io.schema import Field, InvalidStateError, anything, list_of, newer
from driftlearn.preprocessing import _steps
from driftlearn.preprocessing._asked import Asked, if_learner_can
from driftlearn.preprocessing.refitted import Frozen
from driftlearn.preprocessing.table_encoder import TableEncoder
from driftlearn.tables.frames import held, n_rows_of
from driftlearn.tables.passthrough import taken
from driftlearn.utils.typing import ClassifierMixin, Self


def make_pipeline(*steps: Any) -> IncrementalPipeline:
    """Make an `IncrementalPipeline`, the steps of which are called by their classes.

    Parameters
    ----------
    *steps : estimator
        Transformers, and a learner at the end.

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


class IncrementalPipeline(ClassifierMixin, Asked):
    """Transformers that go on learning, one after the other, and a learner at the end.

    `partial_fit` passes rows through the steps; each learns them and hands them on, the learner
    last. A step that has `transform_then_learn`, such as `TableEncoder`, transforms each row by
    what was known before it. Any other with `partial_fit`, such as scikit-learn's `StandardScaler`,
    learns the rows of a call and then transforms them. One that has no `partial_fit` is wrapped:
    `Frozen` is fitted to the first rows and then fixed, `Refitted` is fitted anew every so many
    rows; until the first fit the rows wait. Steps that learn nothing, such as `Normalizer`, go as
    they are.

    Where all steps go row by row (`TableEncoder`, `Frozen`, `Refitted`, those that learn nothing)
    and the learner does, too, one call of n rows and n calls of one row give the same bits.

    Parameters
    ----------
    steps : list of (str, estimator)
        The steps by name, the learner last. They are cloned.

    Attributes
    ----------
    steps_ : list of (str, estimator)
        The steps that learn.
    named_steps : Bunch
        The steps by name: those that learn, or those given as long as nothing was learned.
    classes_ : ndarray
        The learner's.
    waiting_ : list of list
        For each step, the rows that wait in front of it.

    Notes
    -----
    Where the learner comes right after a `TableEncoder`: if it takes missing values (nan) it gets
    them, unless the encoder's `missing` says otherwise; and if it has a ``nominal_features`` that
    is None it is told which columns hold codes of categories.

    A row of weight zero is passed by the steps: they learn nothing of it, the learner its class.

    An error leaves all steps as they were; the learner promises the same of itself.

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
    }
    _parameter_constraints: dict[str, list[Any]] = {"steps": [list]}
    steps_: list[tuple[str, Any]]
    waiting_: list[list[_steps.Batch]]
    classes_: np.ndarray

    def __init__(self, steps: list[tuple[str, Any]]):
        self.steps = steps

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the steps are some, each with a place for rows that wait."""
        steps, waiting = state.get("steps_", []), state.get("waiting_", [])
        if "steps" not in state or len(steps) != len(waiting):
            raise InvalidStateError(
                "a pipeline without steps, or without a place for rows that wait"
            )
        if steps:
            _steps.check_steps(steps)
        for batch in (batch for each in waiting for batch in each):
            if type(batch) is not tuple or len(batch) != 4 or n_rows_of(batch[0]) != len(batch[1]):
                raise InvalidStateError("rows that wait and are none")

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, file: str | None = None) -> Self:
        """Forget everything, then learn these rows; transformers make do with those there are.

        Parameters
        ----------
        X : whatever the first step takes
            The rows.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Row weights, for a learner that takes them.
        file : str, optional
            What the rows come from, for the report of a `TableEncoder`.

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
        """Go on learning with these rows.

        Parameters
        ----------
        X, y, sample_weight, file
            As in `fit`.
        classes : array-like, optional
            Labels that may occur later. Learners of this library never need it, scikit-learn's do
            in the first call.

        Returns
        -------
        self
        """
        return self._absorb(X, y, classes, sample_weight, file, start=False)

    @if_learner_can
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
        """Say of each row what it is, then learn it, row by row, as learners do.

        It is `predict` and `partial_fit` of one row after the other, but that a `TableEncoder`
        decides by all rows of a first call. Where all steps go row by row it is one compiled call.

        Parameters
        ----------
        X, y, classes, sample_weight, file
            As in `partial_fit`. A row of weight zero is tested and not learned.
        proba : bool
            Return probabilities, not labels.

        Returns
        -------
        masked array of shape (n,), or of shape (n, classes) with `proba`
            What `predict` said of each row before it was learned; masked where nothing was.
        """
        with self._locked():
            draft = self._draft(start=False)
            X = held(X)
            w = check_sample_weight(sample_weight, n_rows_of(X))
            if w.all() and draft._is_row_by_row():
                ((X, y, _, _),) = draft._passed((X, y, None, None), file, finish=False)
                weights = None if sample_weight is None else w
                said = draft._learner.test_then_train(X, y, classes, weights, proba=proba)
            else:
                check_consistent_length(w, labels := check_labels(y))
                soon = None if classes is None else check_classes(classes)
                tests = PrequentialPredictions(labels, getattr(self, "classes_", None), soon, proba)
                draft.steps_[-1] = deepcopy(draft.steps_[-1])
                for i, row in enumerate(slice(i, i + 1) for i in range(len(w))):
                    if draft.__sklearn_is_fitted__():
                        known = draft.classes_, draft.predict_proba(taken(X, row))
                        tests.note(row, known[0], np.full((1, len(known[0])), np.nan), known)
                    if w[i] > 0:
                        draft.partial_fit(taken(X, row), labels[row], classes, w[row], file=file)
                        classes = None
                said = tests.outcome()
            self.__dict__ = draft.__dict__
            return said

    @property
    def named_steps(self) -> Bunch:
        """The steps by name."""
        return Bunch(**dict(self.__dict__.get("steps_", self.steps)))

    def __getattr__(self, name: str) -> Any:
        """What is known of columns and classes is that of the first and the last step."""
        where = {"n_features_in_": 0, "feature_names_in_": 0, "classes_": -1}
        where["feature_importances_"] = -1
        if name in where and "steps_" in self.__dict__:
            return getattr(self.__dict__["steps_"][where[name]][1], name)
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the steps and, if `deep`, their parameters by name."""
        found: dict[str, Any] = {"steps": self.steps}
        for name, step in _steps.named(self.steps) if deep else ():
            found[name] = step
            found.update({f"{name}__{key}": value for key, value in step.get_params().items()})
        return found

    def set_params(self, **params: Any) -> Self:
        """Change steps, or parameters of theirs, for the next `fit`."""
        if "steps" in params:
            self.steps = params.pop("steps")
        new = {name: params.pop(name) for name, _ in _steps.named(self.steps) if name in params}
        if new:
            self.steps = [(name, new.get(name, step)) for name, step in self.steps]
        super().set_params(**params)
        return self

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
        """Tell whether every step transforms each row by what was known before it, at once."""
        return all(
            isinstance(step, TableEncoder)
            or (isinstance(step, Frozen) and _steps.is_fitted(step))
            or _steps.is_stateless(step)
            for _, step in self.steps_[:-1]
        )

    def _draft(self, start: bool) -> Self:
        """Return a copy whose transformers may be spoiled; a new start has clones of all steps."""
        start = start or "steps_" not in self.__dict__
        draft = super()._draft(start)
        if start:
            draft._validate_params()
            draft.steps_ = [(name, clone(step)) for name, step in self.steps]
            _steps.choose_missing(draft.steps_)
            draft.waiting_ = [[] for _ in self.steps]
        else:
            # a learner that has learned nothing yet may be handed several batches, or told of codes
            steps = self.steps_[:-1] if _steps.is_fitted(self._learner) else self.steps_
            draft.steps_ = [(name, _steps.drafted(step)) for name, step in steps]
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
                raise ValueError("requires y to be passed, but the target y is None")
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
                draft._teach(each, start)
            self.__dict__ = draft.__dict__
        return self

    def _passed(self, batch: _steps.Batch, file: str | None, finish: bool) -> list[_steps.Batch]:
        """Pass rows through the transformers; return those that came through, in order."""
        batches = [batch]
        for k, (_, step) in enumerate(self.steps_[:-1]):
            if isinstance(step, Frozen) and not _steps.is_fitted(step):
                batches = [*self.waiting_[k], *map(_steps.checked, batches)]
                self.waiting_[k], batches = _steps.released(step, batches, finish)
            else:
                batches = [(_steps.through(step, X, file), *rest) for X, *rest in batches]
        _steps.tell_codes(self.steps_)
        return batches

    def _teach(self, batch: _steps.Batch, start: bool) -> None:
        X, y, w, classes = batch
        partial_fit = self._learner.partial_fit
        takes = _steps.parameters_of(getattr(partial_fit, "__func__", partial_fit))
        if w is not None and "sample_weight" not in takes:
            raise ValueError(f"{type(self._learner).__name__} takes no sample_weight")
        how = {} if w is None else {"sample_weight": w}
        if classes is not None and "classes" in takes and not start:
            how["classes"] = classes
        (self._learner.fit if start else partial_fit)(X, y, **how)
