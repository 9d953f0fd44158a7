"""Base classes of the drift detectors."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from driftlearn.io.schema import Field, a, check_fields, flag, integer
from driftlearn.utils.arguments import Ints, Self
from driftlearn.utils.other_names import DETECTOR, WithOtherNames

# Bound for losses without an upper limit: the sum of 2**62 such errors is finite.
LARGEST_ERROR = 1e100


@dataclass(repr=False, eq=False)
class DriftDetector(WithOtherNames):
    """Base class of detectors with compiled statistics.

    A subclass is a dataclass that names the compiled class in `_compiled`; its fields are the
    parameters, in the order of the compiled constructor. `_fits` checks whether errors are valid,
    for a number or an array; `_rule` describes them in error messages.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "_window": a("ErrorDetector"),
        "drift_detected": flag(),
        "n_detections": integer(0),
    }
    OTHER_NAMES = DETECTOR
    _compiled: ClassVar[Any]
    _rule: ClassVar[str] = "in the range [0, 1]"

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if hasattr(cls, "_compiled"):
            cls.STATE = {**cls.STATE, "_window": a(cls._compiled)}

    def __post_init__(self) -> None:
        self.reset()

    @property
    def _settings(self) -> list[str]:
        """Parameters of the compiled class."""
        return [field.name for field in fields(self) if field.name in self._compiled.STATE]

    @staticmethod
    def _fits(error: Any) -> Any:
        return (error >= 0.0) & (error <= 1.0)

    def reset(self) -> Self:
        """Return to the initial state; return self."""
        settings = {name: getattr(self, name) for name in self._settings}
        schema = {name: self._compiled.STATE[name] for name in settings}
        check_fields(type(self), settings, schema)
        self._window = self._new_window(*settings.values())
        self.drift_detected = False
        self.n_detections = 0
        return self

    def _new_window(self, *settings: Any) -> Any:
        return self._compiled(*settings)

    def update(self, error: float) -> bool:
        """Update the detector with one error; return whether a change was detected.

        Parameters
        ----------
        error : float
            1 if the prediction was wrong and 0 if it was right, or a loss; see the class.

        Returns
        -------
        bool
            The same as `drift_detected`.
        """
        error = float(error)
        if not self._fits(error):
            raise ValueError(f"error must be {self._rule}. Got {error!r} instead.")
        self.drift_detected = self._window.update(error)
        self.n_detections += self.drift_detected
        return self.drift_detected

    def update_many(self, errors: Any) -> Ints:
        """Update the detector with several errors in one compiled call.

        Parameters
        ----------
        errors : array-like of shape (n,)
            The errors, oldest first. If one of them is invalid, the detector is not changed.

        Returns
        -------
        ndarray of int
            Positions in `errors` at which a change was detected, ascending.
        """
        values = np.asarray(errors, dtype=float, order="C")
        if values.ndim != 1:
            raise ValueError(
                f"errors must be 1-dimensional. Got an array with {values.ndim} dimensions."
            )
        bad = np.flatnonzero(~self._fits(values))
        if bad.size:
            found = f"{float(values[bad[0]])!r} at position {bad[0]}"
            raise ValueError(f"errors must be {self._rule}. Got {found}.")
        detections: Ints = self._window.update_many(values)
        if values.size:
            self.drift_detected = values.size - 1 in detections
        self.n_detections += detections.size
        return detections

    @property
    def estimate(self) -> float:
        """Mean of the errors in the window."""
        return float(self._window.estimate)

    @property
    def width(self) -> int:
        """Number of errors in the window."""
        return int(self._window.width)

    def get_state(self) -> dict[str, Any]:
        """Return parameters and statistics as a dict of arrays and numbers."""
        return {
            **self._window.get_state(),
            "drift_detected": self.drift_detected,
            "n_detections": self.n_detections,
        }

    def set_state(self, state: dict[str, Any]) -> Self:
        """Restore from `get_state`; return self."""
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


class RisingDetector(DriftDetector):
    """Base class of detectors that accept any loss and distinguish increases from decreases."""

    _rule = f"in the range [{-LARGEST_ERROR:g}, {LARGEST_ERROR:g}]"

    @staticmethod
    def _fits(error: Any) -> Any:
        return abs(error) <= LARGEST_ERROR

    @property
    def rising(self) -> bool:
        """Whether the mean error increased at the last change."""
        return bool(self._window.rising)


class WarningDetector(DriftDetector):
    """Base class of detectors that warn before they detect a change."""

    @property
    def warning_detected(self) -> bool:
        """Whether the last error is in the warning zone."""
        return bool(self._window.warning)

    @property
    def n_warning(self) -> int:
        """Number of errors since the warning level was reached, including the last; 0 below it."""
        return int(self._window.n_warning)
