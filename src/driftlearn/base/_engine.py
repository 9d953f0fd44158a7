"""Base class of compiled objects: reading, restoring and pickling their state."""

from copy import deepcopy
from typing import ClassVar

import cython
import numpy as np

PLAIN = {bool, int, float, str, type(None)}  # types of immutable values


@cython.cclass
class Engine:
    """Base of compiled objects whose state consists of some of their attributes.

    A subclass declares these attributes in `STATE` with the fields of `driftlearn.io.schema`, which
    validate states from files. The state contains copies of the attributes: arrays, plain numbers
    and other engines. They are restored in the same order; `_prepare` then derives all other
    attributes and raises ValueError if the state is inconsistent.
    """

    STATE: ClassVar = {}

    def get_state(self):
        """Return the state as a dict of arrays, numbers and nested engines."""
        return {name: _plain(getattr(self, name)) for name in self.STATE}

    def set_state(self, state):
        """Restore a state returned by `get_state`."""
        for name in self.STATE:
            setattr(self, name, _plain(state[name]))
        self._prepare()

    def _prepare(self):
        """Derive attributes from the state."""

    def __reduce__(self):
        return restore, (type(self), self.get_state())

    def __deepcopy__(self, memo):
        # `deepcopy` would copy the arrays of the state once more.
        state = self.get_state()
        for name, value in state.items():
            if not isinstance(value, np.ndarray) and type(value) not in PLAIN:
                state[name] = deepcopy(value, memo)
        return restore(type(self), state)


def restore(kind, state):
    """Return an object of type `kind` with a state returned by its `get_state`."""
    thing = kind.__new__(kind)
    thing.set_state(state)
    return thing


def _plain(value):
    """Return a copy of an array, list or dict, or a NumPy number as Python's; else the value."""
    if isinstance(value, (list, dict)):
        return value.copy()
    if isinstance(value, np.ndarray) or hasattr(value, "is_c_contig"):  # Cython's memoryviews
        return np.array(value)
    return value.item() if isinstance(value, np.generic) else value
