"""LED generator with column swaps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from driftlearn.streams._generated import MODEL, GeneratedStream, switched
from driftlearn.streams._stream import Span
from driftlearn.utils.arguments import check_positive, check_rows, check_seed
from driftlearn.utils.typing import Ints, Rows

SEGMENTS = np.array(
    [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ]
)
POSITIVE = (1, 2, 4, 5, 7)
N_RELEVANT, N_IRRELEVANT = 7, 17


class LED(GeneratedStream):
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

    def __init__(
        self,
        n_rows: int | None = 1_000_000,
        drift_at: Sequence[int] = (500_000,),
        n_swapped: int = 4,
        bit_noise: float = 0.1,
        binary: bool = True,
        chunk_size: int = 1_000,
        random_state: int | None = None,
        swapped: bool = False,
    ) -> None:
        self.n_rows = None if n_rows is None else check_positive("n_rows", n_rows)
        self.drift_at = check_rows("drift_at", drift_at)
        self.n_swapped = check_positive("n_swapped", n_swapped)
        self.bit_noise = float(bit_noise)
        self.binary = binary
        self.chunk_size = check_positive("chunk_size", chunk_size)
        self.random_state = check_seed(random_state)
        self.swapped = swapped
        if n_swapped > N_RELEVANT:
            raise ValueError(
                f"The 'n_swapped' parameter must be an int in the range [1, {N_RELEVANT}]. "
                f"Got {n_swapped} instead."
            )
        if not 0 <= self.bit_noise <= 1:
            raise ValueError(
                "The 'bit_noise' parameter must be a float in the range [0, 1]. "
                f"Got {bit_noise!r} instead."
            )
        self.classes = np.array([-1, 1]) if binary else np.arange(10)
        self.feature_names = [f"segment{j + 1}" for j in range(N_RELEVANT)]
        self.feature_names += [f"lamp{j + 1}" for j in range(N_IRRELEVANT)]

    @property
    def drift_spans(self) -> list[Span]:
        """The drifts, all abrupt."""
        return [(row, row) for row in self.drift_at if self.n_rows is None or row < self.n_rows]

    def concept_at(self, row: int) -> int:
        """Return the number of swapped columns at a row."""
        return self.n_swapped * int(self._swapped(self._check_row(row)))

    def _swapped(self, rows: Ints | int) -> npt.NDArray[np.bool_]:
        return switched(self.drift_at, rows) ^ self.swapped

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
        X = np.where(self._swapped(rows)[:, None], bits[:, self.columns()], bits)
        return X, np.where(np.isin(digit, POSITIVE), 1, -1) if self.binary else digit
