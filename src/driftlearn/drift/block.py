"""Gaussian block test of FLB: detects a block whose error is higher than before."""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, ClassVar

from driftlearn.io.schema import Field, flag, integer, number
from driftlearn.utils.arguments import Self, check_range


@dataclass(repr=False, eq=False)
class BlockTest:
    """Gaussian block test: detects a block whose error is higher than in the previous blocks.

    The accuracies of the blocks since the last change are assumed to be normal. A change is
    detected if the new accuracy is below their mean by more than the quantile of `level`; the
    statistics then start again. The standard deviation is at least that of the binomial
    distribution, so a few equal blocks do not make every difference significant.

    Parameters
    ----------
    level : float, default=0.01
        Significance level, the probability of a false alarm per block.
    min_blocks : int, default=5
        Number of blocks after a change before the detector is active.

    Attributes
    ----------
    drift_detected : bool
        Whether a change was detected at the last block.
    n_detections : int
        Number of detections since the start or the last `reset`.
    n_blocks : int
        Number of blocks since the last change, excluding the one at which it was detected.
    mean : float
        Mean accuracy of these blocks.

    References
    ----------
    .. [1] F. Chu, C. Zaniolo, "Fast and Light Boosting for Adaptive Mining of Data Streams", PAKDD
       2004, pp. 282-292.

    Examples
    --------
    >>> test = BlockTest()
    >>> [test.update(error=error, n=100) for error in (0.1, 0.12, 0.1, 0.08, 0.1, 0.13, 0.25)]
    [False, False, False, False, False, False, True]
    """

    STATE: ClassVar[dict[str, Field]] = {
        "level": number(0, 1, above=True),
        "min_blocks": integer(),
        "drift_detected": flag(),
        "n_detections": integer(0),
        "n_blocks": integer(0),
        "mean": number(0, 1),
        "_squares": number(),
    }

    level: float = 0.01
    min_blocks: int = 5

    def __post_init__(self) -> None:
        self.level = check_range("level", self.level, "(0, 1)")
        self.reset()

    def reset(self) -> Self:
        """Return to the initial state; return self."""
        self.drift_detected = False
        self.n_detections = 0
        self.n_blocks, self.mean, self._squares = 0, 0.0, 0.0
        return self

    def update(self, error: float, n: int) -> bool:
        """Update the detector with the error of a block; return whether a change was detected.

        Parameters
        ----------
        error : float
            Error rate in the block, from predictions made before training on its rows.
        n : int
            Number of rows in the block.

        Returns
        -------
        bool
            The same as `drift_detected`.
        """
        if not 0 <= error <= 1:
            raise ValueError(f"error must be in the range [0, 1]. Got {error!r} instead.")
        accuracy = 1.0 - float(error)
        self.drift_detected = self._is_low(accuracy, n)
        if self.drift_detected:
            self.n_detections += 1
            self.n_blocks, self.mean, self._squares = 0, 0.0, 0.0
        else:
            self.n_blocks += 1
            change = accuracy - self.mean
            self.mean += change / self.n_blocks
            self._squares += change * (accuracy - self.mean)
        return self.drift_detected

    def _is_low(self, accuracy: float, n: int) -> bool:
        if self.n_blocks < self.min_blocks:
            return False
        # Keep the rate half a row away from 0 and 1, so that its standard deviation is not zero.
        expected = min(max(self.mean, 1 / (2 * n)), 1 - 1 / (2 * n))
        variance = self._squares / (self.n_blocks - 1) if self.n_blocks > 1 else 0.0
        deviation = math.sqrt(max(variance, expected * (1 - expected) / n))
        return (self.mean - accuracy) / deviation > NormalDist().inv_cdf(1 - self.level)

    def get_state(self) -> dict[str, Any]:
        """Return parameters and statistics as a dict of numbers."""
        return dict(self.__dict__)

    def set_state(self, state: dict[str, Any]) -> Self:
        """Restore from `get_state`; return self."""
        self.__dict__.update(state)
        return self

    def __repr__(self) -> str:
        return f"BlockTest(level={self.level}, n_blocks={self.n_blocks}, mean={self.mean:.3g})"
