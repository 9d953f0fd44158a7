"""What the detectors that are fed one error at a time have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from driftlearn.io.schema import Field, a, check_fields, flag, integer
from driftlearn.utils.typing import Ints

if TYPE_CHECKING:
    from typing_extensions import Self

LARGEST_ERROR = 1e100  # of an unbounded loss: sums of such errors are finite


class ErrorWindow:
    """Base of the detectors around a compiled window.

    A subclass names its compiled window in `_engine` and, in `_settings`, its own parameters in
    the order in which that takes them. Which errors it takes `_fits` tells, of one or of an array
    of them, and `_rule` says it in words; its `update` hands the error to `_take`.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "_window": a("ErrorDetector"),
        "drift_detected": flag(),
        "n_detections": integer(0),
    }
    _engine: ClassVar[Any]
    _settings: ClassVar[tuple[str, ...]]
    _rule: ClassVar[str] = "between 0 and 1"

    def __init_subclass__(cls) -> None:
        if hasattr(cls, "_engine"):
            cls.STATE = {**cls.STATE, "_window": a(cls._engine)}

    @staticmethod
    def _fits(error: Any) -> Any:
        return (error >= 0.0) & (error <= 1.0)

    def reset(self) -> Self:
        """Forget everything; return self."""
        settings = {name: getattr(self, name) for name in self._settings}
        fields = {name: self._engine.STATE[name] for name in self._settings}
        check_fields(type(self), settings, fields)
        self._window = self._new_window(*settings.values())
        self.drift_detected = False
        self.n_detections = 0
        return self

    def _new_window(self, *settings: Any) -> Any:
        return self._engine(*settings)

    def _take(self, error: float) -> bool:
        error = float(error)
        if not self._fits(error):
            raise ValueError(f"an error must be {self._rule}, got {error}")
        self.drift_detected = self._window.update(error)
        self.n_detections += self.drift_detected
        return self.drift_detected

    def update_many(self, errors: Any) -> Ints:
        """Take in errors in turn, as `update` does, in one compiled call.

        Parameters
        ----------
        errors : array-like of shape (n,)
            The errors, oldest first. If one of them is refused, none is taken in.

        Returns
        -------
        ndarray of int
            The positions in `errors` of those that showed a change, ascending.
        """
        values = np.asarray(errors, dtype=float, order="C")
        if values.ndim != 1:
            raise ValueError(f"errors must have one axis, got {values.ndim}")
        bad = np.flatnonzero(~self._fits(values))
        if bad.size:
            where = f"{values[bad[0]]} at position {bad[0]}"
            raise ValueError(f"an error must be {self._rule}, got {where}")
        found: Ints = self._window.update_many(values)
        if values.size:
            self.drift_detected = bool(found.size and found[-1] == values.size - 1)
        self.n_detections += found.size
        return found

    @property
    def estimate(self) -> float:
        """Mean of the errors in the window."""
        return float(self._window.estimate)

    @property
    def width(self) -> int:
        """Number of errors in the window."""
        return int(self._window.width)

    def get_state(self) -> dict[str, Any]:
        """Return parameters and content: a dict of arrays and numbers."""
        return {
            **self._window.get_state(),
            "drift_detected": self.drift_detected,
            "n_detections": self.n_detections,
        }

    def set_state(self, state: dict[str, Any]) -> Self:
        """Become the detector whose `get_state` this was; return self."""
        self._window.set_state(state)
        for name in self._settings:
            setattr(self, name, getattr(self._window, name))
        self.drift_detected = bool(state["drift_detected"])
        self.n_detections = int(state["n_detections"])
        return self

    def __repr__(self) -> str:
        first = self._settings[0]
        shown = f"{first}={getattr(self, first)}, width={self.width}"
        return f"{type(self).__name__}({shown}, estimate={self.estimate:.3g})"


class WarningWindow(ErrorWindow):
    """Base of the detectors that warn before they report a change."""

    @property
    def warning_detected(self) -> bool:
        """Whether the last error lies in the warning zone."""
        return bool(self._window.warning)

    @property
    def n_warning(self) -> int:
        """Number of errors since the warning level was reached, with the last; 0 below it."""
        return int(self._window.n_warning)
