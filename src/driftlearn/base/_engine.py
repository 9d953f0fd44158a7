"""What every compiled object does the same way: give its state, and take it back."""

import cython
import numpy as np


@cython.cclass
class Engine:
    """Base of the compiled objects whose state is some of their attributes.

    A subclass says in `STATE` which these are, and what each is, in the words of
    `driftlearn.io.schema`, by which a state that comes out of a file is looked at. They are handed
    out as arrays, plain numbers and other engines, copied, and are set again in that order;
    `_prepare` then makes everything else, and raises ValueError where the parts do not fit
    together.
    """

    STATE = {}

    def get_state(self):
        """Return everything it knows: a dict of arrays, numbers and the engines it is made of."""
        return {name: _plain(getattr(self, name)) for name in self.STATE}

    def set_state(self, state):
        """Become the object whose `get_state` this was."""
        for name in self.STATE:
            setattr(self, name, _plain(state[name]))
        self._prepare()

    def _prepare(self):
        """Make what follows from the state."""

    def __reduce__(self):
        return restore, (type(self), self.get_state())


def restore(kind, state):
    """Return an object of type `kind` with the state that its `get_state` gave."""
    thing = kind.__new__(kind)
    thing.set_state(state)
    return thing


def _plain(value):
    """Return a copy of an array, list or dict, a number as Python's own, all else as it is."""
    if isinstance(value, (list, dict)):
        return value.copy()
    if isinstance(value, np.ndarray) or hasattr(value, "is_c_contig"):  # Cython's memoryviews
        return np.array(value)
    return value.item() if isinstance(value, np.generic) else value
