"""Positions and progress of transitions in a stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from driftlearn.streams._stream import Span
from driftlearn.utils.arguments import check_rows
from driftlearn.utils.typing import Floats, Ints

# The sigmoid goes from about exp(-6) to 1 - exp(-6), which are within 0.25 % of 0 and 1.
STEEPNESS = 12.0


class Transitions:
    """Transitions of a stream with given starts and a common width.

    Parameters
    ----------
    drift_at : sequence of int
        First row of each transition.
    width : int
        Number of rows of each transition; 0 is abrupt.
    n_rows : int or None
        Number of rows of the stream; None means unlimited.
    """

    STATE: ClassVar[dict[str, Any]] = {}  # values are validated where they are used

    def __init__(self, drift_at: Sequence[int], width: int, n_rows: int | None) -> None:
        self.drift_at = check_rows("drift_at", drift_at)
        if isinstance(width, bool) or not isinstance(width, int | np.integer) or width < 0:
            raise ValueError(
                "The 'width' parameter must be an int in the range [0, inf). "
                f"Got {width!r} instead."
            )
        self.width = int(width)
        last = np.inf if n_rows is None else n_rows
        if self.drift_at and self.drift_at[-1] >= last:
            raise ValueError(
                f"The rows in 'drift_at' must be below n_rows={n_rows}. "
                f"Got {self.drift_at[-1]} instead."
            )
        for start, stop in zip(self.drift_at, (*self.drift_at[1:], last)):
            if start + self.width > stop:
                raise ValueError(
                    f"The transition that starts at row {start} with width={width} does not fit "
                    f"into its segment, which ends at row {stop}."
                )

    def at(self, rows: Ints) -> tuple[Ints, Floats]:
        """Return for each row its segment and the progress of the transition to it, 0 to 1."""
        segment = np.searchsorted(self.drift_at, rows, side="right")
        if not self.width or not self.drift_at:
            return segment, np.ones(len(rows))
        since = rows - np.array((-self.width, *self.drift_at))[segment]
        return segment, np.minimum(since / self.width, 1.0)

    @property
    def spans(self) -> list[Span]:
        """The transitions as in `Stream.drift_spans`."""
        return [(row, row + self.width) for row in self.drift_at]


def sigmoid(share: Floats) -> Floats:
    """Return the probability of the new concept for the progress of a sigmoid transition."""
    bent = 1 / (1 + np.exp(-STEEPNESS * (share - 0.5)))
    return np.where(share < 1, bent, 1.0)
