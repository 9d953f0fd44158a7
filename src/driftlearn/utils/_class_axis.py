"""Arrays with a class axis that can be extended by new classes."""

import numpy as np


def widened(array, positions, n_classes, axis=0):
    """Return an array with the entries of old classes at `positions` and zeros elsewhere.

    Parameters
    ----------
    array : array
        Array with one entry per class along `axis`.
    positions : intp array
        New position of each old class, in ascending order.
    n_classes : int
        New number of classes.
    axis : int
        The class axis.

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
