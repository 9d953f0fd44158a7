"""What the detectors that keep a window of the latest errors have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from driftlearn._schema import Field, a, flag, integer

if TYPE_CHECKING:
    from typing_extensions import Self


class ErrorWindow:
    """Base of the detectors around a compiled window.

    A subclass names its compiled window in `_engine` and, in `_settings`, its own parameters in
    the order in which that takes them; its `update` looks at the error and hands it to `_take`.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "_window": a("AdaptiveWindow", "SplitWindow"),
        "drift_detected": flag(),
        "n_detections": integer(0),
    }
    _engine: ClassVar[type]
    _settings: ClassVar[tuple[str, ...]]

    def reset(self) -> Self:
        """Forget everything; return self."""
        self._window = self._engine(*(getattr(self, name) for name in self._settings))
        self.drift_detected = False
        self.n_detections = 0
        return self

    def _take(self, error: float) -> bool:
        self.drift_detected = self._window.update(error)
        self.n_detections += self.drift_detected
        return self.drift_detected

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
