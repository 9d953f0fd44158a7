"""Predicted labels that take the costs of errors into account."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.tables.frames import held
from driftlearn.tables.passthrough import taken
from driftlearn.utils.arguments import Floats, Ints


class Decision(StreamClassifier):
    """Mixin with the parameter `decision`, by which labels follow from probabilities.

    The probabilities themselves do not change.
    """

    decision: Any

    def _balanced_codes(self, probas: Floats) -> Ints:
        """Return the codes of labels if all classes are equally important."""
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """Return the label of each row with the lowest expected cost; see `decision`.

        Ties go to the first of ``classes_``.
        """
        if self.decision is None:
            return super().predict(X)
        with self._locked():
            probas, classes = self._proba_with_classes(X)
            return classes[self._predicted_codes(probas, classes)]

    def _predicted_codes(self, probas: np.ndarray, classes: np.ndarray) -> np.ndarray:
        if self.decision is None:
            return super()._predicted_codes(probas, classes)
        if isinstance(self.decision, str):
            return self._balanced_codes(probas)
        # added class by class, so that a row's costs have the same bits in every batch
        expected = sum(p[:, None] * costs for p, costs in zip(probas.T, self._costs(classes)))
        return np.asarray(expected).argmin(axis=1)

    def _test_then_train(
        self, X: Any, y: Any, classes: Any, sample_weight: Any, proba: bool
    ) -> np.ma.MaskedArray:
        if proba or self.decision is None:
            return super()._test_then_train(X, y, classes, sample_weight, proba)
        with self._locked():  # row by row, because the class frequencies change with every row
            start = not hasattr(self, "classes_")
            _, labels, w = self._draft(start)._checked(X := held(X), y, sample_weight, start)
            predicted = {}
            for i, row in enumerate(slice(i, i + 1) for i in range(len(w))):
                if self.__sklearn_is_fitted__():
                    predicted[i] = self.predict(taken(X, row))[0]
                if w[i] > 0:
                    self.partial_fit(taken(X, row), labels[row], classes, w[row])
                    classes = None
            found = np.ma.masked_all(len(w), dtype=self.classes_.dtype)
            found[[*predicted]] = [*predicted.values()]
            return found

    def _costs(self, classes: np.ndarray) -> Floats:
        """Return the cost of predicting the second class (column) for a row of the first (row)."""
        costs = 1.0 - np.eye(len(classes))
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
