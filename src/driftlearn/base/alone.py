"""One call at a time may change an object, whatever threads there are."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftlearn._types import BaseEstimator
else:
    from sklearn.base import BaseEstimator

FIRST = RLock()  # held while an object gets its own


class Alone(BaseEstimator):
    """An estimator with a lock under which it is changed; the lock is neither copied nor saved."""

    def _alone(self) -> Any:
        """Return the lock under which one call at a time changes this estimator."""
        lock = self.__dict__.get("_lock")
        if lock is None:
            with FIRST:
                lock = self.__dict__.setdefault("_lock", RLock())
        return lock

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_lock"}
