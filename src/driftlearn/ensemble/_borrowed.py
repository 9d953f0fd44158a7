# cython: infer_types=True
"""Objects of a list that compiled loops reach without the interpreter's lock."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.base._online_model import OnlineModel


@cython.cclass
class Borrowed:
    """The objects of a list, which can be reached without the interpreter's lock as ``at[j]``."""

    def __init__(self, things):
        self.things = list(things)
        self.places = np.array([id(thing) for thing in self.things] or [0], dtype=np.intp)
        if cython.compiled:
            self.at = cython.cast(cython.pointer(cython.p_void), cython.address(self.places[0]))
        else:
            self.at = self.things

    def are(self, things):
        """Say whether these are the objects."""
        same: cython.bint = len(things) == len(self.things)
        for j in range(len(things)):
            same = same and things[j] is self.things[j]
        return same

    def put(self, j, thing):
        """Have another object in the place `j`, while loops may be at those in other places."""
        self.things[j] = thing
        self.places[j] = id(thing)

    def are_free(self):
        """Say whether these models all learn and answer without the interpreter's lock."""
        for j in range(len(self.things)):
            if not cython.cast(OnlineModel, self.things[j])._is_free():
                return False
        return True


def borrowed(things, before):
    """Return these objects, borrowed, or what was borrowed before if it is the same."""
    return before if before is not None and before.are(things) else Borrowed(things)
