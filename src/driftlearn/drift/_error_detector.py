"""Base class of the compiled statistics of drift detectors."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._engine import Engine
from driftlearn.base._engine import restore

# Bound of all error counts in stored states: no stream is longer, and sums do not overflow.
ERRORS = 2**62


@cython.cclass
class ErrorDetector(Engine):
    """Base class of compiled detector statistics, updated with one error at a time.

    `SETTINGS` names the parameters of the constructor of a class with a method `fresh`.
    """

    SETTINGS = ()

    def update(self, error):
        """Update the detector with one error; return whether a change was detected."""
        raise NotImplementedError

    def update_many(self, errors):
        """Update with several errors; return the positions at which a change was detected."""
        found = []
        for i in range(errors.shape[0]):
            if self.update(errors[i]):
                found.append(i)
        return np.array(found, dtype=np.intp)

    def fresh(self):
        """Return a new detector with the same parameters."""
        return type(self)(*(getattr(self, name) for name in self.SETTINGS))

    def copy(self):
        """Return an independent copy."""
        return restore(type(self), self.get_state())
