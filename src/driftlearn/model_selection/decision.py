"""Predicted labels that take the costs of errors into account."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.utils.arguments import Floats


class Decision(StreamClassifier):
    """Mixin with the parameter `decision`, by which labels follow from probabilities.

    A subclass implements `_class_frequencies`. The probabilities themselves do not change.
    """

    decision: Any

    def _class_frequencies(self) -> Floats:
        """Return the recent frequency of each class, all positive."""
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """Return the label of each row with the lowest expected cost; see `decision`.

        Ties go to the first of ``classes_``.
        """
        if self.decision is None:
            return super().predict(X)
        with self._locked():
            probas, classes = self._proba_with_classes(X)
            costs = self._costs(classes)
        return classes[(probas @ costs).argmin(axis=1)]

    def _costs(self, classes: np.ndarray) -> Floats:
        """Return the cost of predicting the second class (column) for a row of the first (row)."""
        n = len(classes)
        costs = np.ones((n, n)) - np.eye(n)
        if isinstance(self.decision, str):
            return costs / self._class_frequencies()[:, None]
        places = {label: k for k, label in enumerate(classes.tolist())}
        # A pair overrides its label, whatever their order in the dict.
        for key, cost in sorted(self.decision.items(), key=lambda item: isinstance(item[0], tuple)):
            if isinstance(key, tuple) and set(key) <= places.keys():
                costs[places[key[0]], places[key[1]]] = cost
            elif key in places:
                costs[places[key]] *= cost
        return costs

    def _validate_params(self) -> None:
        super()._validate_params()
        if not isinstance(self.decision, Mapping):
            return
        for key, cost in self.decision.items():
            pair = not isinstance(key, tuple) or (len(key) == 2 and key[0] != key[1])
            if not pair or not isinstance(cost, Real) or not 0 <= float(cost) < np.inf:
                raise ValueError(
                    f"{type(self).__name__}: 'decision' must have labels, or pairs of a true and "
                    f"a predicted label, as keys and costs of at least 0 as values. "
                    f"Got {key!r}: {cost!r}."
                )
