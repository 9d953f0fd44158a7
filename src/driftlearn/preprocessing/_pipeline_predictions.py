"""Predictions of a pipeline: rows pass through its steps to its learner."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from driftlearn.base.thread_safe import ThreadSafeEstimator
from driftlearn.preprocessing._steps import is_fitted
from driftlearn.tables.frames import n_rows_of
from driftlearn.utils.hooks import hook

if TYPE_CHECKING:
    from driftlearn.inspection.explanation import Explanation

Method = TypeVar("Method", bound=Callable[..., Any])


def if_learner_has(method: Method) -> Method:
    """Make a method available only if the learner has it."""
    name = method.__name__
    return available_if(lambda self: hasattr(self.steps[-1][1], name))(method)


class PipelinePredictions(ThreadSafeEstimator):
    """Base class of pipelines with the prediction methods of their learner."""

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
    def explain(self, X: Any) -> Explanation:
        """Return explanations of the predictions, in terms of the table's columns."""
        self._check_fitted()
        return hook("explain")(self, X)

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
        if steps is not None and is_fitted(steps[-1][1]):
            return steps
        waiting = [batch for each in self.__dict__.get("waiting_", ()) for batch in each]
        n = sum(n_rows_of(X) for X, *_ in waiting)
        why = f" ({n} rows wait for the first fit of a step)" if n else ""
        raise NotFittedError(
            f"This IncrementalPipeline is not fitted yet{why}. Call fit or partial_fit (again) "
            "before predict."
        )
