"""Checks of pipeline steps, and operations on single steps."""

from collections.abc import Sequence
from copy import copy, deepcopy
from functools import lru_cache
from inspect import signature
from typing import Any

from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets

from driftlearn.base.nominal_features import declare_nominal
from driftlearn.base.validation import check_base, check_labels, takes_missing
from driftlearn.preprocessing.refitted import Frozen
from driftlearn.preprocessing.table_encoder import TableEncoder
from driftlearn.tables.frames import n_rows_of
from driftlearn.tables.passthrough import copied, joined, taken

#: Rows in a pipeline: features in any form, labels, weights or None, announced classes or None.
Batch = tuple[Any, Any, Any, Any]


def check_steps(steps: Any) -> None:
    """Raise ValueError unless the steps are incremental transformers and a learner."""
    pairs = [each for each in steps if isinstance(each, Sequence) and len(each) == 2]
    names = [name for name, _ in pairs]
    sound = len(pairs) == len(steps) > 0 and all(isinstance(name, str) for name in names)
    if not sound or len({*names}) < len(names) or any("__" in name for name in names):
        raise ValueError(
            "'steps' must be (name, estimator) pairs with unique names that do not contain '__'. "
            f"Got {steps!r:.200} instead."
        )
    for name, step in steps[:-1]:
        if isinstance(step, type) or not hasattr(step, "transform"):
            hint = f" Pass {step.__name__}()." if isinstance(step, type) else ""
            hint = " The learner must be the last step." if hasattr(step, "predict") else hint
            raise ValueError(
                f"step {name!r} must be a transformer. Got {step!r:.80} instead.{hint}"
            )
        if not hasattr(step, "partial_fit") and not is_stateless(step):
            kind = type(step).__name__
            raise ValueError(
                f"step {name!r} has no partial_fit. Wrap it as Frozen({kind}(...)), which is "
                f"fitted to the first rows, or as Refitted({kind}(...)), which is refitted at "
                "regular intervals."
            )
    name, last = steps[-1]
    check_base(f"the last step, {name!r},", last)
    learns = hasattr(last, "partial_fit") and hasattr(last, "predict")
    if isinstance(last, type) or not learns:
        raise ValueError(
            f"the last step, {name!r}, must be a learner with partial_fit. Got {last!r:.80} "
            "instead."
        )


def takes_nan(steps: list[tuple[str, Any]]) -> bool:
    """Return whether all steps before the first one that fills missing values support them."""
    for _, step in steps:
        if not get_tags(step).input_tags.allow_nan:
            return False
        if isinstance(step, TableEncoder) and step.missing != "native":
            return True
    return True


def is_stateless(step: Any) -> bool:
    """Return whether a transformer has no state."""
    return not get_tags(step).requires_fit


def is_fitted(step: Any) -> bool:
    """Return whether a step is fitted."""
    check = getattr(step, "__sklearn_is_fitted__", None)
    return bool(check()) if check is not None else hasattr(step, "classes_")


@lru_cache(maxsize=64)  # reading a signature takes longer than training on a row
def parameters_of(method: Any) -> frozenset[str]:
    """Return the names of the parameters of a method."""
    return frozenset(signature(method).parameters)


def working_copy(step: Any) -> Any:
    """Return a copy to be trained; it is shallow for steps that never modify their parts."""
    if not isinstance(step, TableEncoder | Frozen):
        return deepcopy(step)
    draft = object.__new__(type(step))
    draft.__dict__ = {name: value for name, value in step.__dict__.items() if name != "_lock"}
    return draft


def transformed(step: Any, X: Any, file: str | None) -> Any:
    """Update a transformer with rows; return them transformed."""
    if isinstance(step, TableEncoder):
        return step.transform_then_learn(X, file=file)
    if hasattr(step, "transform_then_learn"):
        return step.transform_then_learn(X)
    return step.transform(X) if is_stateless(step) else step.partial_fit(X).transform(X)


def set_nominal_features(steps: list[tuple[str, Any]]) -> None:
    """Set the nominal features of an untrained learner that follows an encoder."""
    (_, encoder), (_, learner) = steps[0], steps[-1]
    if len(steps) != 2 or not isinstance(encoder, TableEncoder) or is_fitted(learner):
        return
    if encoder.nominal_features_ and hasattr(learner, "get_params"):
        declare_nominal(learner, encoder.nominal_features_)


def choose_missing(steps: list[tuple[str, Any]]) -> None:
    """Make an encoder with missing="auto" pass nan to a learner that supports it."""
    (_, first), (_, last) = steps[0], steps[-1]
    is_open = isinstance(first, TableEncoder) and first.missing == "auto"
    if is_open and len(steps) == 2 and takes_missing(last):
        first.set_params(missing="native")


def checked(batch: Batch) -> Batch:
    """Return a copy of rows to be buffered; raise ValueError for invalid labels."""
    X, y, w, classes = batch
    y = check_labels(y)
    check_classification_targets(y)
    return copied(X), y.copy(), copy(w), copy(classes)


def released(step: Frozen, batches: list[Batch], finish: bool) -> tuple[list[Batch], list[Batch]]:
    """Return the rows still buffered for the first fit of a step, and those to pass on.

    If there are enough rows, or with `finish`, the step is fitted and all rows are passed on.
    """
    sizes = [n_rows_of(X) for X, *_ in batches]
    if sum(sizes) < step.n_needed and not finish:
        return batches, []
    step.fit(taken(joined([X for X, *_ in batches]), slice(0, step.n_needed)))
    passed, room = [], step.n_needed
    for (X, y, w, classes), n in zip(batches, sizes):
        parts = []
        if room > 0:
            parts.append(step.transform(taken(X, slice(0, room))))
        if n > room:
            parts.append(step.transform_then_learn(taken(X, slice(max(room, 0), n))))
        passed.append((joined(parts), y, w, classes))
        room -= n
    return [], passed
