"""Asset negotiation generator: offers and whether an agent is interested in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.streams._generated import OneConcept
from driftlearn.utils.arguments import check_function
from driftlearn.utils.typing import Floats, Ints, Labels, Rows

LEVELS = ("very low", "low", "normal", "high", "very high", "quite high", "enormous")
VALUES: dict[str, tuple[Any, ...]] = {
    "colour": ("black", "blue", "cyan", "brown", "red", "green", "yellow", "magenta"),
    "price": (*LEVELS, "non salable"),
    "payment": (0, 30, 60, 90, 120, 150, 180, 210, 240),
    "amount": (*LEVELS, "non ensured"),
    "delay": LEVELS[:5],
}
#: For each function a disjunction of conjunctions: an offer is of interest if all values of at
#: least one line match.
RULES: dict[int, tuple[dict[str, Any], ...]] = {
    1: (
        {"price": "normal", "amount": "high"},
        {"colour": "brown", "price": "very low", "delay": "high"},
    ),
    2: ({"price": "high", "amount": "very high", "delay": "high"},),
    3: (
        {"price": "very low", "payment": 0, "amount": "high"},
        {"colour": "red", "price": "low", "payment": 30},
    ),
    4: (
        {"colour": "black", "payment": 90, "delay": "very low"},
        {"colour": "magenta", "price": "high", "delay": "very low"},
    ),
    5: (
        {"colour": "blue", "payment": 60, "amount": "low", "delay": "normal"},
        {"colour": "cyan", "amount": "low", "delay": "normal"},
    ),
}


class AssetNegotiation(OneConcept):
    """Asset negotiation generator: offers labeled by an agent's interest.

    An offer has five categorical features: colour, price, term of payment, amount and delay of
    delivery. Their values are coded by their positions in ``AssetNegotiation.VALUES`` and equally
    frequent. The class is 1 if the offer matches one of five rules, ``AssetNegotiation.RULES``,
    else 0. At most 2 % of the offers match; `ClassImbalance` changes this share.

    Parameters
    ----------
    function : {1, 2, 3, 4, 5}, default=1
        Number of the labeling rule.
    n_rows : int or None, default=1_000_000
        Number of rows; None means unlimited.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] F. Enembreck, B. C. Avila, E. E. Scalabrin and J.-P. Barthes, "Learning drifting
       negotiations", Applied Artificial Intelligence 21(9), 2007.

    Examples
    --------
    >>> from driftlearn.streams import AssetNegotiation, ClassImbalance
    >>> stream = ClassImbalance(AssetNegotiation(function=2), ((1, 1),), random_state=0)
    >>> X, y = stream.take(1_000)
    >>> [AssetNegotiation.VALUES["price"][int(code)] for code in set(X[y == 1, 1])]
    ['high']
    """

    name = "asset-negotiation"
    n_features = len(VALUES)
    VALUES = VALUES
    RULES = RULES

    def __init__(
        self,
        function: int = 1,
        n_rows: int | None = 1_000_000,
        chunk_size: int = 1_000,
        random_state: int | None = None,
    ) -> None:
        super().__init__(n_rows, chunk_size, random_state)
        self.function = check_function(function, len(RULES))
        self.classes = np.arange(2)
        self.feature_names = list(VALUES)

    def label(self, X: Floats) -> Labels:
        """Return the class of each row."""
        met = np.zeros(len(X), dtype=bool)
        for line in RULES[self.function]:
            met |= np.all(
                [
                    X[:, self.feature_names.index(name)] == VALUES[name].index(value)
                    for name, value in line.items()
                ],
                axis=0,
            )
        return met.astype(np.int64)

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        sizes = [len(values) for values in VALUES.values()]
        X = np.floor(rng.random((len(rows), len(sizes))) * sizes)
        return X, self.label(X)
