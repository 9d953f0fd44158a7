"""Arrays with an axis of classes, when new classes come in."""

import numpy as np


def widened(array, positions, n_classes, axis=0):
    """Return `array` with its entries along `axis`, one a class, moved to `positions`; new ones 0.

    Parameters
    ----------
    array : array
        One entry a class along `axis`.
    positions : intp array
        Old class ``c`` is ``positions[c]`` now, ascending.
    n_classes : int
        Classes that there are now.
    axis : int
        The axis of classes.

    Examples
    --------
    >>> widened(np.array([[1.0, 2.0]]), np.array([0, 2]), 3, axis=1)
    array([[1., 0., 2.]])
    """
    array = np.asarray(array)
    shape = list(array.shape)
    shape[axis] = n_classes
    wider = np.zeros(shape, dtype=array.dtype)
    index = [slice(None)] * array.ndim
    index[axis] = np.asarray(positions)
    wider[tuple(index)] = array
    return wider
