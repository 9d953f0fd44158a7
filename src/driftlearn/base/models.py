"""How a member is made, taught and asked: ours, or any scikit-learn classifier.

Our own learners are handed validated chunks directly. External ones see what any user of theirs
would give them: an array (or the frame or the sparse matrix that the user gave), labels in the
user's language, and `sample_weight` where they take it.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError

from driftlearn.base._row_shares import row_shares
from driftlearn.base.chunk import Chunk
from driftlearn.base.label_encoded import fitted
from driftlearn.base.scores import fitting
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.tables.passthrough import unwrap
from driftlearn.utils.typing import Ints

#: What code runs into that trusts its own attributes.
BROKEN = AssertionError, AttributeError, IndexError, KeyError, OverflowError, TypeError
ANEW = "train it anew, or load it from a file that is whole"
Seed = int | tuple[int, int]  # a number of its own, or that and the step at which a member restarts


def takes_weights(base: Any) -> bool:
    """Say whether a learner's `fit` accepts `sample_weight`."""
    return isinstance(base, StreamClassifier) or "sample_weight" in signature(base.fit).parameters


def can_adapt(base: Any) -> bool:
    """Say whether a trained model of this kind can be adapted to new rows."""
    return any(hasattr(base, way) for way in ("transfer", "partial_fit", "warm_start"))


def drawn(base: Any, chunk: Chunk, rng: np.random.Generator) -> Chunk:
    """Return the rows that a model like `base` is trained on, so that their weights count.

    They are the chunk itself where the learner takes weights or all rows weigh the same, else a
    draw by the weights, each row of it with weight one.
    """
    return chunk if takes_all(base, chunk) else chunk.drawn(chunk.w, rng)


def takes_all(base: Any, chunk: Chunk) -> bool:
    """Say whether models like `base` are trained on the rows of a chunk and not on a draw."""
    return takes_weights(base) or chunk.even


def seeded(base: Any, seed: Seed) -> Any:
    """Return an unfitted copy whose every `random_state` is derived from the seed."""
    try:
        model = clone(base)
    except (AttributeError, RecursionError) as problem:  # as after a file was damaged
        raise ValueError(f"{type(base).__name__} cannot be copied: {problem}; {ANEW}") from problem
    states = [name for name in model.get_params() if name.endswith("random_state")]
    if states:
        seeds = np.random.default_rng(seed).integers(2**31 - 1, size=len(states))
        model.set_params(**dict(zip(sorted(states), seeds.tolist())))
    return model


def trained(base: Any, chunk: Chunk, seed: Seed) -> Any:
    """Return a new model like `base`, trained on the chunk.

    An ensemble draws the seed from its generator ``rng_`` and keeps it as a number of the member,
    in the column ``"seed"``, where the member may have to be trained again.
    An external learner that would refuse a chunk of one class is replaced by a constant, and one
    that refuses the labels themselves is trained on their places (`LabelEncodedModel`).
    """
    model = seeded(base, seed)
    if isinstance(model, StreamClassifier):
        return model._train_validated(chunk)
    if len(chunk.present) == 1:
        model = DummyClassifier(strategy="prior")
    how = _weights(model.fit, chunk)
    return fitted(model, lambda: seeded(base, seed), unwrap(chunk.X), chunk.labels, **how)


def judged(
    base: Any, chunk: Chunk, held: np.ndarray, seed: Seed, classes: np.ndarray
) -> np.ndarray:
    """Return what a model trained on a chunk without the rows in a mask says of these."""
    model = trained(base, chunk.part(~held), seed)
    return proba_among(model, chunk.X[np.flatnonzero(held)], classes)


def updated(base: Any, model: Any, seed: Seed, chunk: Chunk) -> Any:
    """Return the model after it went on learning with the chunk; the old one stays as it was.

    An external model cannot take a class that it has not met, nor can a constant go on learning:
    these start again from the chunk, with the seed given here. An ensemble gives the pair of the
    member's own seed, which came from its generator ``rng_``, and of the step: so every start is
    another, and whether a member starts again moves no other draw from ``rng_``.
    """
    if isinstance(model, StreamClassifier) and model._incremental:
        return model._copied()._train_validated(chunk)
    if not hasattr(model, "partial_fit") or _news(model, chunk):
        return trained(base, chunk, seed)
    copy = deepcopy(model)
    return copy.partial_fit(unwrap(chunk.X), chunk.labels, **_weights(copy.partial_fit, chunk))


def transferred(base: Any, model: Any, seed: Seed, chunk: Chunk) -> Any:
    """Return a copy of the model adapted to the chunk; the archived one stays as it was.

    By the model's own `transfer` if it has one, else by `partial_fit`, else by a warm start. One
    that can only be trained anew takes the seed given here, by the rule of `updated`.
    """
    if hasattr(model, "_transferred"):
        return model._transferred(chunk)
    if hasattr(model, "transfer"):
        return model.transfer(unwrap(chunk.X), chunk.labels, **_weights(model.transfer, chunk))
    if hasattr(model, "partial_fit") or not hasattr(model, "warm_start") or _news(model, chunk):
        return updated(base, model, seed, chunk)
    if len(chunk.present) < len(model.classes_):
        return trained(base, chunk, seed)
    copy = deepcopy(model).set_params(warm_start=True)
    if hasattr(copy, "n_estimators"):
        copy.set_params(n_estimators=copy.n_estimators + base.n_estimators)
    return copy.fit(unwrap(chunk.X), chunk.labels, **_weights(copy.fit, chunk))


def several(
    how: Callable[..., Any], base: Any, models: list[Any], seeds: list[Seed], chunk: Chunk
) -> list[Any]:
    """Return models after each was `updated` with the chunk, or `transferred`."""
    if how is transferred and all_at_once(models):
        taught: list[Any] = type(models[0])._transferred_all(models, chunk)
        return taught
    return [how(base, model, seed, chunk) for model, seed in zip(models, seeds)]


def all_at_once(models: list[Any]) -> bool:
    """Say whether models are of a kind, trees, that is transferred several at a time."""
    kinds = {type(model) for model in models}  # a subclass may have another way of its own
    return len(kinds) == 1 and "_transferred_all" in vars(kinds.pop())


def columns_of(model: Any, classes: np.ndarray) -> Ints:
    """Return which of the ensemble's classes the model's own columns are."""
    if getattr(model, "classes_", None) is classes:
        return _every(len(classes))
    columns: Ints = np.searchsorted(classes, _classes_of(model)).astype(np.int32)
    return columns


@cache
def _every(n: int) -> Ints:
    """Return the places of `n` classes, in an array that all share."""
    places: Ints = np.arange(n, dtype=np.int32)
    places.flags.writeable = False
    return places


def _classes_of(model: Any) -> np.ndarray:
    """Return the labels of a model; one out of a damaged file may have none."""
    classes = getattr(model, "classes_", None)
    if classes is None or np.ndim(classes) != 1:
        raise ValueError(f"a {type(model).__name__} without classes_, its labels: {ANEW}")
    return np.asarray(classes)


def asked(model: Any, method: str, X: Any) -> Any:
    """Return what a method of an external model says of rows.

    What it breaks off with where something in it is not what it should be, as after a file was
    damaged, is told as one kind of error, with the model's name.
    """
    try:
        return getattr(model, method)(unwrap(X))
    except NotFittedError:
        raise
    except BROKEN as problem:
        raise ValueError(
            f"{method} of {type(model).__name__} broke off, {type(problem).__name__}: {problem}: "
            f"something in it is not what it should be; {ANEW}"
        ) from problem


def codes(model: Any, X: np.ndarray, columns: Ints) -> Ints:
    """Return the class code that the model gives each row."""
    if isinstance(model, StreamClassifier):
        own = fitting(model, X, model._scores(X), "_scores").argmax(axis=1)
    else:
        classes = _classes_of(model)
        predicted = asked(model, "predict", X)
        own = np.searchsorted(classes, predicted)
        known = classes.take(own, mode="clip")
        if own.shape != (len(X),) or not np.array_equal(known, predicted):
            raise ValueError(
                f"predict of {type(model).__name__} must return labels, one a row, that are in "
                f"its classes_, sorted: {classes!r:.60}"
            )
    said: Ints = columns[own]
    return said


def proba(model: Any, X: np.ndarray) -> np.ndarray:
    """Return class probabilities in the model's own columns; without any, its votes."""
    shares: np.ndarray
    if isinstance(model, StreamClassifier):
        shares, _ = row_shares(fitting(model, X, model._scores(X), "_scores"))
    elif hasattr(model, "predict_proba"):
        shares = fitting(model, X, asked(model, "predict_proba", X), "predict_proba")
    else:
        said = np.asarray(asked(model, "predict", X))
        shares = (said[:, None] == _classes_of(model)[None, :]).astype(float)
    return shares


def proba_among(model: Any, X: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Return class probabilities with a column for each of these classes."""
    probas = np.zeros((len(X), len(classes)))
    probas[:, columns_of(model, classes)] = proba(model, X)
    return probas


def _news(model: Any, chunk: Chunk) -> bool:
    """Say whether the chunk has a class that the model has never met."""
    return not np.isin(chunk.classes[chunk.present], _classes_of(model)).all()


def _weights(method: Any, chunk: Chunk) -> dict[str, np.ndarray]:
    if chunk.even or "sample_weight" not in signature(method).parameters:
        return {}
    return {"sample_weight": chunk.w}
