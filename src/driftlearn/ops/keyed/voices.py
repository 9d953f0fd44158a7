"""Whose answer counts for a key: its own model's, the global one's, or that of one borrowed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from driftlearn.io.schema import Field, InvalidStateError, list_of, number, word

OWN, GLOBAL = "own", "global"
EVEN = 1e-12  # weights that differ by no more are even: no answer hangs on the rounding of sums


class Said:
    """What the voices of a population say of rows.

    Parameters
    ----------
    names : list of str
        The voices, "global" first if there is one, then the models on the shelf.
    labels : ndarray of shape (voices, n), of objects
        What each says of each row; None where it knows nothing.
    """

    def __init__(self, names: list[str], labels: np.ndarray):
        self.names = names
        self.labels = labels

    def __len__(self) -> int:
        return int(self.labels.shape[1])

    def rows(self, index: Any) -> Said:
        """Return what is said of some of the rows: a slice, a mask, or numbers."""
        return Said(self.names, self.labels[:, index])


class Rule(NamedTuple):
    """The numbers of the cold-start rule, which `Voices` states.

    The defaults were chosen by ``benchmarks/cold_start.py``.
    """

    own: float = 0.3
    everyone: float = 0.4
    beta: float = 0.4
    share: float = 0.01


RULE = Rule()


class Voices:
    r"""What each voice is worth for one key: the cold-start rule.

    The voices are the global model, the models on the shelf and the key's own model, in this
    order. Voice :math:`v` has a weight :math:`w_v`. Its prior :math:`\pi_v` is `everyone` for the
    global model, `own` for the own model, and what is left to 1 in equal parts for those on the
    shelf; where there is no global model, or nothing on the shelf, the priors of the others are
    divided by their sum.

    1. Before the first row :math:`w_v = \pi_v`. When the shelf was renewed, voices that stayed
       keep their weights, new ones begin with :math:`\pi_v`, those that went are forgotten, and all
       weights are divided by their sum.
    2. A voice that knows nothing of a row is silent. The answer is the label whose voices have the
       largest sum of weights; of labels that are even, the one that comes first in the order of
       the voices.
    3. When the label of the row is known, the weights of the voices that were wrong are multiplied
       by `beta`; then those of all that spoke by one number, so that their sum is what it was.
    4. Then :math:`w_v \leftarrow (1 - s) w_v + s \pi_v` with :math:`s` = `share`, for all voices.

    This is the weighted majority [1]_ with a fixed share [2]_. A key without history is answered
    for by the global model, unless its own model and half of the shelf agree on something else.
    The own model is silent at first and often wrong, and earns its weight, as a borrowed one does
    whose concept is the key's; the share keeps every voice audible enough to come back within a
    few rows when the concept changes.

    If all voices speak of all of `n` rows, the answers have at most

    .. math:: \frac{L \ln \frac{1}{\beta} + \ln\frac{1}{\pi_0}
              + \sum_{i=1}^{k} \ln \frac{1}{s \pi_i}
              + (n - 1 - k) \ln \frac{1}{1 - s}}{\ln \frac{2}{1 + \beta}}

    mistakes, where L are those of any sequence of voices, with priors :math:`\pi_0` to
    :math:`\pi_k`, that follow each other.

    The outcome is the same however the rows are sliced into calls.

    Attributes
    ----------
    names : list of str
        The voices of the last row that was judged.
    weights : list of float
        Their weights; they sum to 1.

    References
    ----------
    .. [1] N. Littlestone, M. K. Warmuth, "The Weighted Majority Algorithm", Information and
       Computation 108(2), 1994, doi:10.1006/inco.1994.1009.
    .. [2] M. Herbster, M. K. Warmuth, "Tracking the Best Expert", Machine Learning 32, 1998,
       doi:10.1023/A:1007424614876.

    Examples
    --------
    >>> said = Said(["global", "shop 7"], np.array([["yes"] * 4, ["no"] * 4], dtype=object))
    >>> voices = Voices()
    >>> voices.answer(said, [None, "no", "no", "no"], ["no"] * 4)
    (['yes', 'no', 'no', 'no'], ['global', 'shop 7', 'shop 7', 'shop 7'])
    """

    STATE: ClassVar[dict[str, Field]] = {
        "names": list_of(word(), "voices"),
        "weights": list_of(number(0, 2, above=True), "voices"),
    }

    def __init__(self) -> None:
        self.names: list[str] = []
        self.weights: list[float] = []

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless no voice is there twice, and weights sum to 1."""
        names, weights = state["names"], state["weights"]
        if len({*names}) < len(names) or (names and abs(sum(weights) - 1.0) > 1e-6):
            raise InvalidStateError(
                "voices of which one is there twice, or whose weights do not sum to 1"
            )

    def answer(
        self,
        said: Said,
        own: Sequence[Any] | None = None,
        truth: Sequence[Any] | None = None,
        rule: Rule = RULE,
    ) -> tuple[list[Any], list[str | None]]:
        """Answer row after row; judge all voices after each by the truth, where that is known.

        Parameters
        ----------
        said : Said
            What the voices of the population say of n rows.
        own : sequence of n labels, optional
            What the key's own model says, None where it knows nothing.
        truth : sequence of n labels, optional
            The labels. Without them nothing is judged.
        rule : Rule, optional
            The numbers.

        Returns
        -------
        answers : list of n labels
            None where all are silent.
        who : list of n str
            Whose answers these are: of the voices that said so the one with the largest weight.
        """
        names = [*said.names, OWN]
        everyone = GLOBAL in said.names
        prior = priors(everyone, len(said.names) - everyone, rule)
        weights = self._among(names, prior)
        n = len(said)
        columns = [*said.labels.tolist(), [None] * n if own is None else own]
        answers: list[Any] = []
        who: list[str | None] = []
        for i, labels in enumerate(zip(*columns)):
            votes: dict[Any, float] = {}
            for label, weight in zip(labels, weights):
                if label is not None:
                    votes[label] = votes.get(label, 0.0) + weight
            answer, most = None, -1.0
            for label, vote in votes.items():
                if vote > most + EVEN:
                    answer, most = label, vote
            answers.append(answer)
            who.append(_loudest(answer, labels, weights, names) if votes else None)
            if truth is not None:
                weights = _judged(labels, weights, votes, truth[i], rule.beta)
                weights = [w + rule.share * (p - w) for w, p in zip(weights, prior)]
        if truth is not None and n:
            self.names, self.weights = names, weights
        return answers, who

    def _among(self, names: list[str], prior: list[float]) -> list[float]:
        """Return the weights of these voices."""
        if names == self.names:
            return self.weights
        known = dict(zip(self.names, self.weights))
        weights = [known.get(name, p) for name, p in zip(names, prior)]
        total = sum(weights)
        return [weight / total for weight in weights]


@lru_cache
def priors(everyone: bool, borrowed: int, rule: Rule = RULE) -> list[float]:
    """Return the priors of the voices: with a global model or without, and so many borrowed.

    Examples
    --------
    >>> priors(True, 2, Rule(own=0.25, everyone=0.25))
    [0.25, 0.25, 0.25, 0.25]
    """
    rest = (1.0 - rule.own - rule.everyone) / max(borrowed, 1)
    given = [*([rule.everyone] if everyone else []), *[rest] * borrowed, rule.own]
    total = sum(given)
    return [each / total for each in given]


def _loudest(
    answer: Any, labels: Sequence[Any], weights: list[float], names: list[str]
) -> str | None:
    who, most = None, 0.0
    for label, weight, name in zip(labels, weights, names):
        if label == answer and weight > most + EVEN:
            who, most = name, weight
    return who


def _judged(
    labels: Sequence[Any], weights: list[float], votes: dict[Any, float], truth: Any, beta: float
) -> list[float]:
    """Return the weights after a row with this label; if all or none were right nothing changes."""
    if truth not in votes or len(votes) == 1:
        return weights
    right, spoke = votes[truth], sum(votes.values())
    up = spoke / (right + beta * (spoke - right))
    down = beta * up
    return [
        w if label is None else w * up if label == truth else w * down
        for w, label in zip(weights, labels)
    ]
