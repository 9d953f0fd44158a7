"""What cannot be the base learner of an ensemble, nor the learner of a pipeline."""

from __future__ import annotations

from typing import Any

from sklearn.base import is_regressor


def check_bases(learner: Any) -> None:
    """Raise ValueError where a base learner of a learner that is to begin cannot be one."""
    if hasattr(learner, "classes_"):
        return
    for name, value in learner.get_params(deep=False).items():
        check_base(f"{name} of {type(learner).__name__}", value)


def check_base(name: str, given: Any) -> None:
    """Raise ValueError, with what to do, where a class or a regressor stands for a classifier."""
    if isinstance(given, type):
        kind = given.__name__
        raise ValueError(f"{name} is the class {kind}: give an object of it, {kind}()")
    if hasattr(given, "__sklearn_tags__") and is_regressor(given):
        kind = type(given).__name__
        twin = kind.removesuffix("Regressor") + "Classifier()"
        hint = f", as {twin}" if kind.endswith("Regressor") else ""
        raise ValueError(f"{name} is a {kind}, which predicts numbers: give a classifier{hint}")
