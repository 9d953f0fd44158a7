"""Create, train, update and query the base learners of ensembles.

Learners of this package receive validated chunks directly. External ones receive what they would
get from any other caller: an array (or the user's frame or sparse matrix), the original labels,
and `sample_weight` if they accept it.
"""

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from inspect import signature
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from driftlearn.base._probabilities import check_scores, normalize_rows
from driftlearn.base.chunk import Chunk
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.io.schema import Field, able, labels
from driftlearn.tables.passthrough import unwrap
from driftlearn.utils.arguments import Ints

#: Errors that an estimator with damaged attributes raises, for example after its file was modified.
BROKEN = AssertionError, AttributeError, IndexError, KeyError, OverflowError, TypeError
ADVICE = "train it again, or load it from an undamaged file"
Seed = int | tuple[int, int]  # a seed, or the seed of a member and the step at which it restarts


def takes_weights(base: Any) -> bool:
    """Return whether a learner's `fit` accepts `sample_weight`."""
    return isinstance(base, StreamClassifier) or "sample_weight" in signature(base.fit).parameters


def can_adapt(base: Any) -> bool:
    """Return whether a trained model of this kind can be adapted to new rows."""
    return any(hasattr(base, name) for name in ("transfer", "partial_fit", "warm_start"))


def trains_on_all_rows(base: Any, chunk: Chunk) -> bool:
    """Return whether models like `base` are trained on the rows of a chunk instead of a sample."""
    return takes_weights(base) or chunk.even


def drawn(base: Any, chunk: Chunk, rng: np.random.Generator) -> Chunk:
    """Return the rows to train a model like `base` on, so that row weights take effect.

    If the learner accepts weights, or all weights are equal, that is the chunk itself; otherwise
    a sample drawn by weight.
    """
    return chunk if trains_on_all_rows(base, chunk) else chunk.drawn(chunk.w, rng)


def seeded(base: Any, seed: Seed) -> Any:
    """Return an unfitted copy whose every `random_state` is derived from the seed."""
    try:
        model = clone(base)
    except (AttributeError, RecursionError) as problem:  # the estimator is damaged
        raise ValueError(
            f"{type(base).__name__} cannot be copied: {problem}; {ADVICE}"
        ) from problem
    states = [name for name in model.get_params() if name.endswith("random_state")]
    if states:
        seeds = np.random.default_rng(seed).integers(2**31 - 1, size=len(states))
        model.set_params(**dict(zip(sorted(states), seeds.tolist())))
    return model


def trained(base: Any, chunk: Chunk, seed: Seed) -> Any:
    """Return a new model like `base`, trained on the chunk.

    An ensemble draws the seed from its generator ``rng_``, and stores it in the member's column
    ``"seed"`` if the member may have to be trained again. External learners that would reject a
    chunk of a single class are replaced by a constant classifier.
    """
    model = seeded(base, seed)
    if isinstance(model, StreamClassifier):
        return model._train_validated(chunk)
    if len(chunk.present) == 1:
        model = DummyClassifier(strategy="prior")
    return _fitted(model, lambda: seeded(base, seed), chunk)


def held_out_proba(
    base: Any, chunk: Chunk, held: np.ndarray, seed: Seed, classes: np.ndarray
) -> np.ndarray:
    """Return probabilities of held-out rows from a model trained on the rest of the chunk."""
    model = trained(base, chunk.part(~held), seed)
    return proba_for_classes(model, chunk.X[np.flatnonzero(held)], classes)


def updated(base: Any, model: Any, seed: Seed, chunk: Chunk) -> Any:
    """Return a copy of the model, updated with the chunk.

    External models that have not seen one of the classes, and constant classifiers, cannot be
    updated: they are trained on the chunk from scratch, with the seed given here. An ensemble
    passes the member's own seed and the step as a pair: each restart then uses another seed, and
    restarts do not change other draws from ``rng_``.
    """
    if isinstance(model, StreamClassifier) and model._incremental:
        return model._copied()._train_validated(chunk)
    if not hasattr(model, "partial_fit") or _has_new_class(model, chunk):
        return trained(base, chunk, seed)
    return _call_with_weights(deepcopy(model).partial_fit, chunk)


def transferred(base: Any, model: Any, seed: Seed, chunk: Chunk) -> Any:
    """Return a copy of the model, adapted to the chunk.

    It uses the model's own `transfer` if available, else `partial_fit`, else a warm start. A model
    that has none of them is trained from scratch, with the seed as in `updated`.
    """
    if hasattr(model, "_transferred"):
        return model._transferred(chunk)
    if hasattr(model, "transfer"):
        return _call_with_weights(model.transfer, chunk)
    warm = hasattr(model, "warm_start") and not hasattr(model, "partial_fit")
    if not warm or _has_new_class(model, chunk):
        return updated(base, model, seed, chunk)
    if len(chunk.present) < len(model.classes_):
        return trained(base, chunk, seed)
    copy = deepcopy(model).set_params(warm_start=True)
    if hasattr(copy, "n_estimators"):
        copy.set_params(n_estimators=copy.n_estimators + base.n_estimators)
    return _call_with_weights(copy.fit, chunk)


def adapted_models(
    how: Callable[..., Any], base: Any, models: list[Any], seeds: list[Seed], chunk: Chunk
) -> list[Any]:
    """Return copies of models, each `updated` with the chunk or `transferred` to it."""
    if how is transferred and can_transfer_together(models):
        return type(models[0])._transferred_all(models, chunk)
    return [how(base, model, seed, chunk) for model, seed in zip(models, seeds)]


def can_transfer_together(models: list[Any]) -> bool:
    """Return whether the models are of one type that transfers several models in one call."""
    kinds = {type(model) for model in models}  # a subclass may override the transfer
    return len(kinds) == 1 and "_transferred_all" in vars(kinds.pop())


class LabelEncodedModel:
    """Wrapper that predicts labels with a classifier trained on label codes.

    Some classifiers, such as XGBoost's, accept only codes 0, 1, .... The codes refer to the labels
    in its own training rows, so a model that saw two of five classes was trained on 0 and 1.

    Parameters
    ----------
    model : classifier
        The classifier trained on codes.
    classes : ndarray
        The sorted labels, indexed by code.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    """

    STATE: ClassVar[dict[str, Field]] = {"classes_": labels("classes"), "model": able("predict")}

    def __init__(self, model: Any, classes: np.ndarray):
        self.model, self.classes_ = model, classes

    def predict(self, X: Any) -> np.ndarray:
        """Return the label of each row."""
        predicted = np.asarray(self.model.predict(X))
        codes = predicted.astype(np.intp)
        if not ((codes == predicted) & (codes >= 0) & (codes < len(self.classes_))).all():
            raise ValueError(
                f"predict of {type(self.model).__name__} must return class codes that it was "
                f"trained on, in the range [0, {len(self.classes_) - 1}]"
            )
        return self.classes_[codes]

    @available_if(lambda self: hasattr(self.model, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return class probabilities, a column for each of ``classes_``."""
        return self.model.predict_proba(X)


def columns_of(model: Any, classes: np.ndarray) -> Ints:
    """Return the positions of a model's classes among those of the ensemble."""
    if getattr(model, "classes_", None) is classes:
        return _positions(len(classes))
    return np.searchsorted(classes, _classes_of(model)).astype(np.int32)


@cache
def _positions(n: int) -> Ints:
    """Return 0, ..., n - 1 in a shared read-only array."""
    positions: Ints = np.arange(n, dtype=np.int32)
    positions.flags.writeable = False
    return positions


def _classes_of(model: Any) -> np.ndarray:
    """Return the labels of a model; a damaged model may have none."""
    classes = getattr(model, "classes_", None)
    if classes is None or np.ndim(classes) != 1:
        raise ValueError(f"{type(model).__name__} has no valid attribute classes_: {ADVICE}")
    return np.asarray(classes)


def call_model(model: Any, method: str, X: Any) -> Any:
    """Return the result of a method of an external model for some rows.

    Errors that stem from damaged attributes are raised as a ValueError that names the model.
    """
    try:
        return getattr(model, method)(unwrap(X))
    except NotFittedError:
        raise
    except BROKEN as problem:
        raise ValueError(
            f"{method} of {type(model).__name__} failed with {type(problem).__name__}: {problem}. "
            f"The model may be damaged; {ADVICE}"
        ) from problem


def codes(model: Any, X: np.ndarray, columns: Ints) -> Ints:
    """Return the ensemble's class code that a model predicts for each row."""
    if isinstance(model, StreamClassifier):
        own = check_scores(model, X, model._scores(X), "_scores").argmax(axis=1)
    else:
        classes = _classes_of(model)
        predicted = call_model(model, "predict", X)
        own = np.searchsorted(classes, predicted)
        known = classes.take(own, mode="clip")
        if own.shape != (len(X),) or not np.array_equal(known, predicted):
            raise ValueError(
                f"predict of {type(model).__name__} must return one label per row, all of them "
                f"from its sorted classes_: {classes!r:.60}"
            )
    return columns[own]


def decide(model: Any, probas: np.ndarray) -> Ints:
    """Return the codes of the labels that a model predicts if these are its probabilities."""
    if isinstance(model, StreamClassifier):
        return model._predicted_codes(probas, model.classes_)
    return probas.argmax(axis=1)


def proba(model: Any, X: np.ndarray) -> np.ndarray:
    """Return class probabilities in the model's own columns, or its one-hot predictions."""
    if isinstance(model, StreamClassifier):
        return normalize_rows(check_scores(model, X, model._scores(X), "_scores"))[0]
    if hasattr(model, "predict_proba"):
        return check_scores(model, X, call_model(model, "predict_proba", X), "predict_proba")
    predicted = np.asarray(call_model(model, "predict", X))
    return (predicted[:, None] == _classes_of(model)[None, :]).astype(float)


def proba_for_classes(model: Any, X: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return class probabilities with a column for each of these classes."""
    probas = np.zeros((len(X), len(classes)))
    probas[:, columns_of(model, classes)] = proba(model, X)
    return probas


def _fitted(model: Any, another: Callable[[], Any], chunk: Chunk) -> Any:
    """Return a model fitted to a chunk.

    If it rejects the labels, a new model from `another` is fitted to label codes. If that also
    fails, the first error is raised.
    """
    y, how = chunk.labels, _weights(model.fit, chunk)
    try:
        return model.fit(unwrap(chunk.X), y, **how)
    except (TypeError, ValueError) as refusal:
        classes, y_codes = np.unique(y, return_inverse=True)
        are_codes = y.dtype.kind in "iu" and np.array_equal(classes, np.arange(len(classes)))
        if are_codes or not is_classifier(model):
            raise
        try:
            return LabelEncodedModel(another().fit(unwrap(chunk.X), y_codes, **how), classes)
        except (TypeError, ValueError):
            raise refusal from None


def _has_new_class(model: Any, chunk: Chunk) -> bool:
    """Return whether the chunk has a class that the model was not trained on."""
    return not np.isin(chunk.classes[chunk.present], _classes_of(model)).all()


def _call_with_weights(method: Any, chunk: Chunk) -> Any:
    """Return the result of a training method for the rows of a chunk."""
    return method(unwrap(chunk.X), chunk.labels, **_weights(method, chunk))


def _weights(method: Any, chunk: Chunk) -> dict[str, np.ndarray]:
    if chunk.even or "sample_weight" not in signature(method).parameters:
        return {}
    return {"sample_weight": chunk.w}
