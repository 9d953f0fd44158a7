"""What every compiled detector does the same way."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._engine import Engine

ERRORS = 2**62  # more than any stream has


@cython.cclass
class ErrorDetector(Engine):
    """Base of the compiled objects that are fed errors and say when something has changed."""

    def update(self, error):
        """Take in one error; return whether it showed a change."""
        raise NotImplementedError

    def update_many(self, errors):
        """Take in errors in turn; return the positions of those that showed a change."""
        found = []
        for i in range(errors.shape[0]):
            if self.update(errors[i]):
                found.append(i)
        return np.array(found, dtype=np.intp)
