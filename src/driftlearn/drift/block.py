"""The Gaussian block test: whether a block's error is of the kind that came before."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

from driftlearn.io.schema import Field, flag, integer, number

if TYPE_CHECKING:
    from typing_extensions import Self


class BlockTest:
    """A test whether the error of a block is higher than the errors of the blocks before.

    The accuracies of the blocks since the last change are taken as normal. A change is reported
    if the new one lies so far below their mean that chance alone would do that with probability
    `level`; the past is then forgotten. The standard deviation is at least what drawing the rows
    of a block accounts for, so that a run of equal blocks makes no test that nothing passes.

    Parameters
    ----------
    level : float, default=0.01
        Share of false alarms.
    min_blocks : int, default=5
        Blocks needed before there can be an alarm.

    Attributes
    ----------
    drift_detected : bool
        Whether the last block was a change.
    n_detections : int
        Changes since the start or the last `reset`.
    n_blocks : int
        Blocks since the last change, without the one that showed it.
    mean : float
        Their mean accuracy.

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

    def __init__(self, level: float = 0.01, min_blocks: int = 5):
        if not 0 < level < 1:
            raise ValueError(f"level must be between 0 and 1, got {level}")
        self.level = level
        self.min_blocks = min_blocks
        self.reset()

    def reset(self) -> Self:
        """Forget everything; return self."""
        self.drift_detected = False
        self.n_detections = 0
        self.n_blocks, self.mean, self._squares = 0, 0.0, 0.0
        return self

    def update(self, error: float, n: int) -> bool:
        """Take in the error of a block; return whether it is a change.

        Parameters
        ----------
        error : float
            Share of the block's rows that were predicted wrongly, before they were learned.
        n : int
            Rows of the block.

        Returns
        -------
        bool
            The same as `drift_detected`.
        """
        if not 0 <= error <= 1:
            raise ValueError(f"the error of a block lies between 0 and 1, got {error}")
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
        expected = min(max(self.mean, 1 / (2 * n)), 1 - 1 / (2 * n))
        variance = self._squares / (self.n_blocks - 1) if self.n_blocks > 1 else 0.0
        deviation = math.sqrt(max(variance, expected * (1 - expected) / n))
        return (self.mean - accuracy) / deviation > NormalDist().inv_cdf(1 - self.level)

    def get_state(self) -> dict[str, Any]:
        """Return parameters and content: a dict of numbers."""
        return dict(self.__dict__)

    def set_state(self, state: dict[str, Any]) -> Self:
        """Become the test whose `get_state` this was; return self."""
        self.__dict__.update(state)
        return self

    def __repr__(self) -> str:
        return f"BlockTest(level={self.level}, n_blocks={self.n_blocks}, mean={self.mean:.3g})"
