"""Poker hand generator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from driftlearn.streams._generated import GeneratedStream, switched
from driftlearn.streams._stream import Span
from driftlearn.utils.arguments import check_positive, check_rows, check_seed
from driftlearn.utils.typing import Ints, Rows

N_SUITS, N_RANKS = 4, 13
HANDS = (
    "nothing",
    "one pair",
    "two pairs",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
    "royal flush",
)


def poker_label(X: npt.ArrayLike) -> Ints:
    """Return the rank of each hand of five cards, as in the UCI poker data set.

    Parameters
    ----------
    X : array-like of shape (n, 10)
        Suit (1 to 4) and rank (1, the ace, to 13, the king) of each of the five cards.

    Returns
    -------
    ndarray of shape (n,)
        0 nothing, 1 one pair, 2 two pairs, 3 three of a kind, 4 straight, 5 flush, 6 full house,
        7 four of a kind, 8 straight flush, 9 royal flush.

    Examples
    --------
    >>> from driftlearn.streams import poker_label
    >>> poker_label([[1, 10, 1, 11, 1, 13, 1, 12, 1, 1], [2, 5, 3, 5, 4, 9, 1, 2, 3, 9]])
    array([9, 2])
    """
    cards = np.asarray(X).astype(np.int64)
    if cards.ndim != 2 or cards.shape[1] != 10:
        raise ValueError(f"X must have shape (n, 10). Got an array of shape {cards.shape} instead.")
    suits, ranks = cards[:, 0::2], np.sort(cards[:, 1::2], axis=1)
    if np.any((suits < 1) | (suits > N_SUITS)) or np.any((ranks < 1) | (ranks > N_RANKS)):
        raise ValueError("Suits must be in the range [1, 4] and ranks in the range [1, 13].")
    tally = np.sort((ranks[:, :, None] == np.arange(1, N_RANKS + 1)).sum(axis=1), axis=1)
    most, second = tally[:, -1], tally[:, -2]
    flush = np.all(suits == suits[:, :1], axis=1)
    ace_high = np.all(ranks == (1, 10, 11, 12, 13), axis=1)
    straight = ace_high | ((most == 1) & (ranks[:, -1] - ranks[:, 0] == 4))
    return np.select(
        [
            flush & ace_high,
            flush & straight,
            most == 4,
            (most == 3) & (second == 2),
            flush,
            straight,
            most == 3,
            (most == 2) & (second == 2),
            most == 2,
        ],
        [9, 8, 7, 6, 5, 4, 3, 2, 1],
        default=0,
    )


class PokerHands(GeneratedStream):
    """Poker hand generator: hands of five cards, labeled by their rank.

    There are ten features, suit and rank of each card, coded as in the UCI poker data set, and ten
    classes of very different frequencies. The drift is virtual: with a weighted deck, cards of the
    `favoured` ranks are drawn with `weight` times the rate of others. This changes the frequencies
    of hands and classes, but not the class of a hand.

    Parameters
    ----------
    n_rows : int or None, default=1_000_000
        Number of rows; None means unlimited.
    drift_at : sequence of int, default=()
        Rows at which the deck alternates between fair and weighted; the first deck is fair.
    favoured : sequence of int, default=(1, 10, 11, 12, 13)
        Ranks that the weighted deck favors.
    weight : float, default=4
        Factor of their drawing rate.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] R. Cattral and F. Oppacher, "Poker Hand", UCI Machine Learning Repository, 2002.

    Examples
    --------
    >>> from driftlearn.streams import PokerHands
    >>> stream = PokerHands(n_rows=20_000, drift_at=(10_000,), random_state=0)
    >>> fair, weighted = (batch.y for batch in stream.chunks(10_000))
    >>> [round(float((y == 1).mean()), 2) for y in (fair, weighted)]
    [0.43, 0.49]
    """

    name = "poker-hands"
    n_features = 10

    def __init__(
        self,
        n_rows: int | None = 1_000_000,
        drift_at: Sequence[int] = (),
        favoured: Sequence[int] = (1, 10, 11, 12, 13),
        weight: float = 4.0,
        chunk_size: int = 1_000,
        random_state: int | None = None,
    ) -> None:
        self.n_rows = None if n_rows is None else check_positive("n_rows", n_rows)
        self.drift_at = check_rows("drift_at", drift_at)
        self.favoured = tuple(favoured)
        self.weight = float(weight)
        self.chunk_size = check_positive("chunk_size", chunk_size)
        self.random_state = check_seed(random_state)
        if not set(self.favoured) <= set(range(1, N_RANKS + 1)):
            raise ValueError(
                f"The 'favoured' parameter must contain ints in the range [1, {N_RANKS}]. "
                f"Got {favoured!r} instead."
            )
        if not 0 < self.weight < np.inf:
            raise ValueError(
                "The 'weight' parameter must be a float in the range (0, inf). "
                f"Got {weight!r} instead."
            )
        self.classes = np.arange(len(HANDS))
        self.feature_names = [f"{kind}{card}" for card in range(1, 6) for kind in "SC"]

    @property
    def drift_spans(self) -> list[Span]:
        """The changes of the deck, all abrupt."""
        return [(row, row) for row in self.drift_at if self.n_rows is None or row < self.n_rows]

    def concept_at(self, row: int) -> str:
        """Return the deck at a row: ``"fair"`` or ``"weighted"``."""
        return "weighted" if switched(self.drift_at, self._check_row(row)) else "fair"

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        """Return hands and their labels.

        Every card gets an exponential waiting time whose rate is its weight; the five shortest
        times are the hand. This is weighted sampling without replacement.
        """
        suit, rank = np.divmod(np.arange(N_SUITS * N_RANKS), N_RANKS)
        rate = np.where(np.isin(rank + 1, self.favoured), self.weight, 1.0)
        wait = rng.exponential(size=(len(rows), len(rate)))
        wait = np.where(switched(self.drift_at, rows)[:, None], wait / rate, wait)
        hand = np.argpartition(wait, 5, axis=1)[:, :5]
        turn = np.argsort(np.take_along_axis(wait, hand, axis=1), axis=1)
        hand = np.take_along_axis(hand, turn, axis=1)
        X = np.stack([suit[hand] + 1, rank[hand] + 1], axis=-1).reshape(len(rows), 10)
        return X.astype(np.float64), poker_label(X)
