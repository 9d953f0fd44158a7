"""Generators that alternate between two concepts: LED and poker hands."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from driftlearn.streams._generated import SwitchingGenerator
from driftlearn.streams._stream import MODEL
from driftlearn.utils.arguments import Ints, Rows, check_integer, invalid

# Segments of the digits 0 to 9: top, upper left and right, middle, lower left and right, bottom.
DIGITS = "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"
SEGMENTS = np.array([[int(bit) for bit in digit] for digit in DIGITS.split()])
POSITIVE = (1, 2, 4, 5, 7)
N_RELEVANT, N_IRRELEVANT = 7, 17


@dataclass(repr=False, eq=False)
class LED(SwitchingGenerator):
    """LED generator: digits on a noisy seven-segment display with 17 irrelevant features.

    Every segment is inverted with probability `bit_noise`. Drift swaps some of the seven relevant
    columns with as many irrelevant ones; the next drift swaps them back.

    Parameters
    ----------
    n_rows : int or None, default=1_000_000
        Number of rows; None means unlimited.
    drift_at : sequence of int, default=(500_000,)
        Rows at which the columns are alternately swapped and swapped back.
    n_swapped : int, default=4
        Number of relevant columns to swap, at most 7.
    bit_noise : float, default=0.1
        Probability that a segment is inverted.
    binary : bool, default=True
        Whether the digits 1, 2, 4, 5, 7 form the class +1 and the others -1, as in the IBoost
        paper; otherwise the label is the digit.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.
    swapped : bool, default=False
        Whether columns are swapped from the first row on, for use as second concept of `Drifting`.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees",
       Wadsworth 1984.
    .. [2] M. Grbovic and S. Vucetic, "Tracking concept change with incremental boosting by
       minimization of the evolving exponential loss", ECML-PKDD 2011.

    Examples
    --------
    >>> from driftlearn.streams import LED
    >>> stream = LED(n_rows=2_000, drift_at=(1_000,), random_state=0)
    >>> stream.concept_at(0), stream.concept_at(1_000)
    (0, 4)
    >>> X, y = stream.take(1_000)
    >>> X.shape, int((y == 1).sum())
    ((1000, 24), 495)
    """

    name = "led"
    n_features = N_RELEVANT + N_IRRELEVANT
    _columns = (
        *(f"segment{j + 1}" for j in range(N_RELEVANT)),
        *(f"lamp{j + 1}" for j in range(N_IRRELEVANT)),
    )
    _ranges = {"bit_noise": "[0, 1]"}
    n_rows: int | None = 1_000_000
    drift_at: Sequence[int] = (500_000,)
    n_swapped: int = 4
    bit_noise: float = 0.1
    binary: bool = True
    chunk_size: int = 1_000
    random_state: int | None = None
    swapped: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.n_swapped = check_integer("n_swapped", self.n_swapped, 1, N_RELEVANT)
        self.classes = np.array([-1, 1]) if self.binary else np.arange(10)

    def concept_at(self, row: int) -> int:
        """Return the number of swapped columns at a row."""
        return self.n_swapped * int(self._switched(self._check_row(row)))

    def _switched(self, rows: Ints | int) -> npt.NDArray[np.bool_]:
        return super()._switched(rows) ^ self.swapped

    def columns(self) -> Ints:
        """Return the order of the columns while they are swapped."""
        rng = self._rng(MODEL)
        step = np.arange(self.n_swapped)
        relevant = (rng.integers(N_RELEVANT) + step) % N_RELEVANT
        irrelevant = N_RELEVANT + (rng.integers(N_IRRELEVANT) + step) % N_IRRELEVANT
        order = np.arange(self.n_features)
        order[relevant], order[irrelevant] = irrelevant, relevant
        return order

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        digit = rng.integers(10, size=len(rows))
        inverted = rng.random((len(rows), N_RELEVANT)) < self.bit_noise
        lamps = rng.integers(2, size=(len(rows), N_IRRELEVANT))
        bits = np.hstack([SEGMENTS[digit] ^ inverted, lamps]).astype(np.float64)
        X = np.where(self._switched(rows)[:, None], bits[:, self.columns()], bits)
        return X, np.where(np.isin(digit, POSITIVE), 1, -1) if self.binary else digit


N_SUITS, N_RANKS = 4, 13


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
    hands = [  # from royal flush (9) down to one pair (1)
        flush & ace_high, flush & straight, most == 4, (most == 3) & (second == 2), flush, straight,
        most == 3, (most == 2) & (second == 2), most == 2,
    ]  # fmt: skip
    return np.select(hands, range(9, 0, -1), default=0)


@dataclass(repr=False, eq=False)
class PokerHands(SwitchingGenerator):
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
        Factor by which their drawing rate is multiplied.
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
    n_classes = 10
    _columns = tuple(f"{kind}{card}" for card in range(1, 6) for kind in "SC")
    _ranges = {"weight": "(0, inf)"}
    n_rows: int | None = 1_000_000
    drift_at: Sequence[int] = ()
    favoured: Sequence[int] = (1, 10, 11, 12, 13)
    weight: float = 4.0
    chunk_size: int = 1_000
    random_state: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.favoured = tuple(self.favoured)
        if not set(self.favoured) <= set(range(1, N_RANKS + 1)):
            raise invalid("favoured", f"ints in the range [1, {N_RANKS}]", self.favoured)

    def concept_at(self, row: int) -> str:
        """Return the deck at a row: ``"fair"`` or ``"weighted"``."""
        return "weighted" if self._switched(self._check_row(row)) else "fair"

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        """Return hands and their labels.

        Every card gets an exponential waiting time whose rate is its weight; the five shortest
        times are the hand. This is weighted sampling without replacement.
        """
        suit, rank = np.divmod(np.arange(N_SUITS * N_RANKS), N_RANKS)
        rate = np.where(np.isin(rank + 1, self.favoured), self.weight, 1.0)
        wait = rng.exponential(size=(len(rows), len(rate)))
        wait = np.where(self._switched(rows)[:, None], wait / rate, wait)
        hand = np.argpartition(wait, 5, axis=1)[:, :5]
        turn = np.argsort(np.take_along_axis(wait, hand, axis=1), axis=1)
        hand = np.take_along_axis(hand, turn, axis=1)
        X = np.stack([suit[hand] + 1, rank[hand] + 1], axis=-1).reshape(len(rows), 10)
        return X.astype(np.float64), poker_label(X)
