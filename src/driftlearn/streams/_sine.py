"""Sine and Mixed generators of Gama et al. (2004)."""

from __future__ import annotations

import numpy as np

from driftlearn.streams._generated import OneConcept
from driftlearn.utils.arguments import check_function
from driftlearn.utils.typing import Floats, Ints, Labels, Rows


class Sine(OneConcept):
    """Sine generator: two classes separated by a sine curve.

    ``x ~ U[0, 1]^2``. Depending on `function`, the class is 1 if

    1. ``x2 < sin(x1)``,
    2. ``x2 >= sin(x1)``, the reverse of 1,
    3. ``x2 < 0.5 + 0.3 sin(3 pi x1)``,
    4. ``x2 >= 0.5 + 0.3 sin(3 pi x1)``, the reverse of 3;

    else 0. These are SINE1 and SINE2 of the paper before and after the drift. With two columns of
    `IrrelevantFeatures` they are SINIREL1 and SINIREL2.

    Parameters
    ----------
    function : {1, 2, 3, 4}, default=1
        Number of the labeling rule.
    n_rows : int or None, default=1_000_000
        Number of rows; None means unlimited.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] J. Gama, P. Medas, G. Castillo and P. Rodrigues, "Learning with drift detection", SBIA
       2004.

    Examples
    --------
    >>> from driftlearn.streams import Sine
    >>> X, y = Sine(function=2, random_state=0).take(10_000)
    >>> round(float(y.mean()), 2)
    0.54
    """

    name = "sine"
    n_features = 2

    def __init__(
        self,
        function: int = 1,
        n_rows: int | None = 1_000_000,
        chunk_size: int = 1_000,
        random_state: int | None = None,
    ) -> None:
        super().__init__(n_rows, chunk_size, random_state)
        self.function = check_function(function, 4)
        self.classes = np.arange(2)
        self.feature_names = ["x1", "x2"]

    def label(self, X: Floats) -> Labels:
        """Return the class of each row."""
        curve = np.sin(X[:, 0]) if self.function <= 2 else wave(X[:, 0])
        return ((X[:, 1] < curve) == (self.function % 2 == 1)).astype(np.int64)

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        X = rng.random((len(rows), 2))
        return X, self.label(X)


class Mixed(OneConcept):
    """Mixed generator: two Boolean and two numeric features, labeled by a majority of conditions.

    ``x1`` and ``x2`` are 0 or 1, ``x3`` and ``x4`` uniform in [0, 1]. Class 1 if at least two of
    ``x1 = 1``, ``x2 = 1`` and ``x4 < 0.5 + 0.3 sin(3 pi x3)`` hold, else 0; with ``function=2``
    the classes are reversed.

    Parameters
    ----------
    function : {1, 2}, default=1
        Number of the labeling rule.
    n_rows : int or None, default=1_000_000
        Number of rows; None means unlimited.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed; None draws a random seed once, at construction.

    References
    ----------
    .. [1] J. Gama, P. Medas, G. Castillo and P. Rodrigues, "Learning with drift detection", SBIA
       2004.

    Examples
    --------
    >>> from driftlearn.streams import Mixed
    >>> Mixed(random_state=0).take(3)[1].tolist()
    [1, 0, 0]
    """

    name = "mixed"
    n_features = 4

    def __init__(
        self,
        function: int = 1,
        n_rows: int | None = 1_000_000,
        chunk_size: int = 1_000,
        random_state: int | None = None,
    ) -> None:
        super().__init__(n_rows, chunk_size, random_state)
        self.function = check_function(function, 2)
        self.classes = np.arange(2)
        self.feature_names = ["x1", "x2", "x3", "x4"]

    def label(self, X: Floats) -> Labels:
        """Return the class of each row."""
        held = X[:, 0] + X[:, 1] + (X[:, 3] < wave(X[:, 2]))
        return ((held >= 2) == (self.function == 1)).astype(np.int64)

    def _draw(self, rng: np.random.Generator, rows: Ints) -> Rows:
        X = rng.random((len(rows), 4))
        X[:, :2] = X[:, :2] < 0.5
        return X, self.label(X)


def wave(x: Floats) -> Floats:
    """Return the second sine curve of the paper."""
    return 0.5 + 0.3 * np.sin(3 * np.pi * x)
