"""Waveform generator."""

from __future__ import annotations

import numpy as np

from driftlearn.streams._generated import OneConcept
from driftlearn.utils.typing import Floats, Ints, Rows

N_POINTS, N_NOISE = 21, 19
PAIRS = np.array([(0, 1), (0, 2), (1, 2)])  # base waves of each class


def base_waves() -> Floats:
    """Return the three triangular base waves, one per line of the array."""
    point = np.arange(1, N_POINTS + 1)
    return np.array([np.maximum(6.0 - np.abs(point - top), 0.0) for top in (11, 15, 7)])


class Waveform(OneConcept):
    """Waveform generator: three classes of noisy mixtures of triangular waves.

    The three triangles over the points 1 to 21 have height 6 at the points 11, 15 and 7, and
    decrease by 1 per point. A row is ``u h + (1 - u) g`` with ``u ~ U[0, 1]``, plus N(0, 1) noise
    at every point. Class 0 uses the first and second triangle as ``h`` and ``g``, class 1 the first
    and third, class 2 the second and third. The Bayes-optimal accuracy is about 0.86.

    Parameters
    ----------
    irrelevant : bool, default=False
        Whether to append 19 irrelevant columns of N(0, 1) noise.
    n_rows : int or None, default=1_000_000
        Number of rows; None means unlimited.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees",
       Wadsworth 1984.

    Examples
    --------
    >>> from driftlearn.streams import Waveform
    >>> Waveform(irrelevant=True, random_state=0).take(100)[0].shape
    (100, 40)
    """

    name = "waveform"

    def __init__(
        self,
        irrelevant: bool = False,
        n_rows: int | None = 1_000_000,
        chunk_size: int = 1_000,
        random_state: int | None = None,
    ) -> None:
        super().__init__(n_rows, chunk_size, random_state)
        self.irrelevant = irrelevant
        self.n_features = N_POINTS + N_NOISE if irrelevant else N_POINTS
        self.classes = np.arange(3)
        self.feature_names = [f"x{j + 1}" for j in range(self.n_features)]

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        y = rng.integers(3, size=len(rows))
        u = rng.random((len(rows), 1))
        X = rng.normal(size=(len(rows), self.n_features))
        waves = base_waves()
        first, second = PAIRS[y].T
        X[:, :N_POINTS] += u * waves[first] + (1 - u) * waves[second]
        return X, y
