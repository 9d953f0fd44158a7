"""What a pipeline can be asked, which is what its learner can be asked."""

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


def if_learner_can(method: Method) -> Method:
    """Show a method only if the learner has it; its type stays its own."""
    name = method.__name__
    return available_if(lambda self: hasattr(self.steps[-1][1], name))(method)


class Asked(ThreadSafeEstimator):
    """The questions of a pipeline: rows go through its steps, the learner answers."""

    def predict(self, X: Any) -> np.ndarray:
        """Return the learner's label of each row."""
        return self._asked("predict", X)

    @if_learner_can
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the learner's class probabilities, a column for each of ``classes_``."""
        return self._asked("predict_proba", X)

    @if_learner_can
    def decision_function(self, X: Any) -> np.ndarray:
        """Return how sure the learner is of each class, in its own way."""
        return self._asked("decision_function", X)

    @if_learner_can
    def explain(self, X: Any) -> Explanation:
        """Return why the learner says of rows what it says, in the names of the columns."""
        self._check_fitted()
        return hook("explain")(self, X)

    def _asked(self, method: str, X: Any) -> np.ndarray:
        with self._locked():  # while rows are learned, steps and learner are of different moments
            *before, (_, learner) = self._check_fitted()
            for _, step in before:
                X = step.transform(X)
            answer: np.ndarray = getattr(learner, method)(X)
        return answer

    def _check_fitted(self) -> list[tuple[str, Any]]:
        """Return the steps; raise NotFittedError if the learner has learned nothing."""
        steps: list[tuple[str, Any]] | None = self.__dict__.get("steps_")
        if steps is not None and is_fitted(steps[-1][1]):
            return steps
        waiting = [batch for each in self.__dict__.get("waiting_", ()) for batch in each]
        n = sum(n_rows_of(X) for X, *_ in waiting)
        why = f": rows that wait for the first fit of a step are {n}" if n else ""
        raise NotFittedError(
            f"This IncrementalPipeline has not learned anything yet{why}. Call fit or "
            "partial_fit (again) before predict."
        )
