"""When a stream goes over from one thing to the next, and how far it is at a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from driftlearn.streams._stream import Span
from driftlearn.utils.arguments import check_rows
from driftlearn.utils.typing import Floats, Ints

# The sigmoid goes from exp(-6) to 1 - exp(-6), in all but a quarter of a per cent from 0 to 1.
STEEPNESS = 12.0


class Transitions:
    """Rows at which a stream begins to go over to something else, and how many rows it takes.

    Parameters
    ----------
    drift_at : sequence of int
        The rows.
    width : int
        Rows that each transition takes; 0 is a jump.
    n_rows : int or None
        Rows of the stream.
    """

    STATE: ClassVar[dict[str, Any]] = {}  # all of it is looked at where it is used

    def __init__(self, drift_at: Sequence[int], width: int, n_rows: int | None) -> None:
        self.drift_at = check_rows("drift_at", drift_at)
        if isinstance(width, bool) or not isinstance(width, int | np.integer) or width < 0:
            raise ValueError(f"width must be a number of rows, 0 or more; got {width!r}")
        self.width = int(width)
        last = np.inf if n_rows is None else n_rows
        if self.drift_at and self.drift_at[-1] >= last:
            raise ValueError(
                f"drift_at has row {self.drift_at[-1]}, but the stream has only {n_rows} rows"
            )
        for start, stop in zip(self.drift_at, (*self.drift_at[1:], last)):
            if start + self.width > stop:
                raise ValueError(
                    f"a transition of width={width} rows from row {start} on does not fit into its "
                    f"segment, which ends at row {stop}"
                )

    def at(self, rows: Ints) -> tuple[Ints, Floats]:
        """Tell for each row its segment, and how far that has come in, from 0 to 1."""
        segment = np.searchsorted(self.drift_at, rows, side="right")
        if not self.width or not self.drift_at:
            return segment, np.ones(len(rows))
        since = rows - np.array((-self.width, *self.drift_at))[segment]
        return segment, np.minimum(since / self.width, 1.0)

    @property
    def spans(self) -> list[Span]:
        """The changes, as `Stream.drift_spans` gives them."""
        return [(row, row + self.width) for row in self.drift_at]


def sigmoid(share: Floats) -> Floats:
    """Bend a share that grows evenly into one that grows slowly, fast, and slowly again."""
    bent = 1 / (1 + np.exp(-STEEPNESS * (share - 0.5)))
    return np.where(share < 1, bent, 1.0)
