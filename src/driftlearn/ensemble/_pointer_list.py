# cython: infer_types=True
"""List of objects that compiled loops can access without the GIL."""

import cython
import numpy as np

from driftlearn.base._online_model import OnlineModel


@cython.cclass
class PointerList:
    """List of objects whose j-th entry compiled code accesses as ``at[j]`` without the GIL.

    The list keeps a reference to each object, so that the pointers stay valid.

    Parameters
    ----------
    objects : list
        The objects.
    """

    def __init__(self, objects):
        self.objects = list(objects)
        self.addresses = np.array([id(each) for each in self.objects] or [0], dtype=np.intp)
        if cython.compiled:
            self.at = cython.cast(cython.pointer(cython.p_void), cython.address(self.addresses[0]))
        else:
            self.at = self.objects

    def holds(self, objects):
        """Return whether these are the objects of the list, in this order."""
        same: cython.bint = len(objects) == len(self.objects)
        for j in range(len(objects)):
            same = same and objects[j] is self.objects[j]
        return same

    def set(self, j, new):
        """Replace the object at position `j`; loops may use other positions meanwhile."""
        self.objects[j] = new
        self.addresses[j] = id(new)

    def all_lock_free(self):
        """Return whether all of these models train and predict without the GIL."""
        for j in range(len(self.objects)):
            if not cython.cast(OnlineModel, self.objects[j])._is_free():
                return False
        return True


def pointers_to(objects, before):
    """Return a `PointerList` of these objects: `before` if it holds them, else a new list."""
    return before if before is not None and before.holds(objects) else PointerList(objects)
