"""Voting weights of the shared models and of a key's own model (cold-start rule)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from driftlearn.io.schema import Field, InvalidStateError, list_of, number, word
from driftlearn.ops.keyed._majority_vote import vote

OWN, GLOBAL = "own", "global"
#: The probability of each row by label; empty if there are none.
Probabilities = dict[str, np.ndarray]


class SharedPredictions:
    """Predictions of the shared models.

    Parameters
    ----------
    names : list of str
        The models: "global" first if there is a global model, then the models of the pool.
    labels : ndarray of shape (n_models, n_rows), of objects
        The label that each model predicts for each row; None if the model abstains.
    probas : list of dict of str to ndarray of shape (n_rows,), optional
        For each model the probabilities of the labels that it knows.
    """

    def __init__(self, names: list[str], labels: np.ndarray, probas: Sequence[Probabilities] = ()):
        self.names = names
        self.labels = labels
        self.probas = probas

    @classmethod
    def of(cls, names: list[str], predictions: list[list[Any]], n_rows: int) -> SharedPredictions:
        """Create predictions from one list per model."""
        labels = np.empty((len(predictions), n_rows), dtype=object)
        for row, each in zip(labels, predictions):
            row[:] = each
        return cls(names, labels)

    def __len__(self) -> int:
        return int(self.labels.shape[1])

    def rows(self, index: Any) -> SharedPredictions:
        """Return the predictions for selected rows (a slice, a mask or positions)."""
        probas = [{label: p[index] for label, p in each.items()} for each in self.probas]
        return SharedPredictions(self.names, self.labels[:, index], probas)


class Rule(NamedTuple):
    """Constants of the cold-start rule, which is defined in `ModelWeights`.

    The defaults were chosen with ``benchmarks/cold_start.py``.

    Attributes
    ----------
    own_prior, global_prior : float
        Prior weights of the key's own model and of the global model.
    beta : float
        Factor by which the weight of a wrong model is multiplied.
    share : float
        Fraction by which each weight moves toward its prior after a row.
    """

    own_prior: float = 0.3
    global_prior: float = 0.4
    beta: float = 0.4
    share: float = 0.01


RULE = Rule()


class ModelWeights:
    r"""Voting weights of all models for one key: weighted majority with fixed share.

    The candidates are the global model, the models of the pool and the key's own model, in this
    order. Model :math:`v` has a weight :math:`w_v` and a prior :math:`\pi_v`: `global_prior` for
    the global model, `own_prior` for the own model, and the rest to 1 in equal parts for the
    models of the pool. If there is no global model, or the pool is empty, the other priors are
    divided by their sum.

    1. Before the first row, :math:`w_v = \pi_v`. After a refresh of the pool, remaining models keep
    their weights, new models start with :math:`\pi_v`, and all weights are divided by their sum.
    2. A model without a prediction for a row abstains. The label with the largest sum of weights is
    predicted; ties are resolved by the order of the models.
    3. When the label is known, the weights of the models that were wrong are multiplied by `beta`.
    The weights of all models that did not abstain are then rescaled to their former sum.
    4. Finally :math:`w_v \leftarrow (1 - s) w_v + s \pi_v` with :math:`s` = `share`, for all
       models.

    This is the weighted majority algorithm [1]_ with a fixed share [2]_. For a new key, the
    prediction of the global model wins unless the key's own model and half of the pool agree on
    another label. The key's own model abstains at first and is often wrong, but gains weight as it
    improves, as does a pool model that was trained on the same concept. The fixed share keeps every
    weight large enough for a model to recover within a few rows when the concept changes.

    If no model abstains on any of `n` rows, the number of wrong predictions is at most

    .. math:: \frac{L \ln \frac{1}{\beta} + \ln\frac{1}{\pi_0}
              + \sum_{i=1}^{k} \ln \frac{1}{s \pi_i}
              + (n - 1 - k) \ln \frac{1}{1 - s}}{\ln \frac{2}{1 + \beta}}

    where L is the number of mistakes of any sequence of :math:`k + 1` models with priors
    :math:`\pi_0` to :math:`\pi_k`, each of which is used for a part of the rows.

    The result does not depend on how the rows are split into calls.

    Attributes
    ----------
    names : list of str
        The models at the last update.
    weights : list of float
        The weights of the models, which sum to 1.

    References
    ----------
    .. [1] N. Littlestone, M. K. Warmuth, "The Weighted Majority Algorithm", Information and
       Computation 108(2), 1994, doi:10.1006/inco.1994.1009.
    .. [2] M. Herbster, M. K. Warmuth, "Tracking the Best Expert", Machine Learning 32, 1998,
       doi:10.1023/A:1007424614876.

    Examples
    --------
    >>> labels = np.array([["yes"] * 4, ["no"] * 4], dtype=object)
    >>> shared = SharedPredictions(["global", "from shop 7"], labels)
    >>> ModelWeights().vote(shared, [None, "no", "no", "no"], ["no"] * 4)
    (['yes', 'no', 'no', 'no'], ['global', 'from shop 7', 'from shop 7', 'from shop 7'])
    """

    STATE: ClassVar[dict[str, Field]] = {
        "names": list_of(word(), "models"),
        "weights": list_of(number(0, 2, above=True), "models"),
    }

    def __init__(self) -> None:
        self.names: list[str] = []
        self.weights: list[float] = []

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless names are unique and weights sum to 1."""
        names, weights = state["names"], state["weights"]
        if len({*names}) < len(names) or (names and abs(sum(weights) - 1.0) > 1e-6):
            raise InvalidStateError(
                "ModelWeights: names are not unique, or weights do not sum to 1"
            )

    def vote(
        self,
        shared: SharedPredictions,
        own: Sequence[Any] | None = None,
        truth: Sequence[Any] | None = None,
        rule: Rule = RULE,
    ) -> tuple[list[Any], list[str | None]]:
        """Return the predicted labels; update the weights after each row with a known label.

        Parameters
        ----------
        shared : SharedPredictions
            Predictions of the shared models for n rows.
        own : sequence of n labels, optional
            Predictions of the key's own model; None if it abstains.
        truth : sequence of n labels, optional
            The labels. Without labels, the weights are not updated.
        rule : Rule, optional
            The constants.

        Returns
        -------
        labels : list of n labels
            The predictions; None if all models abstain.
        votes : list of n str
            For each row the model with the largest weight among those that predicted the label.
        """
        names = [*shared.names, OWN]
        prior = _priors_of(names, rule)
        weights = self._weights_of(names, prior)
        n = len(shared)
        codes: dict[Any, int] = {None: -1}
        rows = zip(*shared.labels.tolist(), own or [None] * n)
        found = [codes.setdefault(label, len(codes) - 1) for row in rows for label in row]
        labels = np.array(found, dtype=np.intp).reshape(n, len(names))
        right = np.array([codes.get(label, -2) for label in truth or ()], dtype=np.intp)
        values, out = np.array(weights), np.empty((n, 2), dtype=np.intp)
        vote(labels, right, values, np.array(prior), rule.beta, rule.share, out)
        if truth is not None and n:
            self.names, self.weights = names, values.tolist()
        texts, sources = [*[*codes][1:], None], [*names, None]
        predicted = [texts[k] for k in out[:, 0].tolist()]
        votes = [sources[k] for k in out[:, 1].tolist()]
        return predicted, votes

    def mix(self, shared: SharedPredictions, own: Probabilities) -> Probabilities:
        """Return the mean probabilities of the models that did not abstain, by their weights.

        Parameters
        ----------
        shared : SharedPredictions
            Predictions of the shared models, with probabilities.
        own : dict of str to ndarray
            Probabilities of the key's own model; empty if it abstains.
        """
        names = [*shared.names, OWN]
        weights = self._weights_of(names, _priors_of(names, RULE))
        found: Probabilities = {}
        total = 0.0
        for each, weight in zip([*shared.probas, own], weights):
            total += weight if each else 0.0
            for label, p in each.items():
                found[label] = found.get(label, 0.0) + weight * p
        return {label: p / total for label, p in found.items()}

    def _weights_of(self, names: list[str], prior: list[float]) -> list[float]:
        """Return the current weights of these models (step 1)."""
        if names == self.names:
            return self.weights
        known = dict(zip(self.names, self.weights))
        weights = [known.get(name, p) for name, p in zip(names, prior)]
        total = sum(weights)
        return [weight / total for weight in weights]


def _priors_of(names: list[str], rule: Rule) -> list[float]:
    """Return the prior weights of models, the last of which is the key's own model."""
    has_global = GLOBAL in names
    return priors(has_global, len(names) - 1 - has_global, rule)


@lru_cache
def priors(has_global: bool, n_pool: int, rule: Rule = RULE) -> list[float]:
    """Return the prior weights with or without a global model, and with a pool of this size.

    Examples
    --------
    >>> priors(True, 2, Rule(own_prior=0.25, global_prior=0.25))
    [0.25, 0.25, 0.25, 0.25]
    """
    rest = (1.0 - rule.own_prior - rule.global_prior) / max(n_pool, 1)
    given = [*([rule.global_prior] if has_global else []), *[rest] * n_pool, rule.own_prior]
    total = sum(given)
    return [each / total for each in given]
