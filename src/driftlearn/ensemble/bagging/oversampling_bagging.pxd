cimport cython

from driftlearn.ensemble.bagging.online_bagging cimport OnlineBagging


@cython.final
cdef class ResamplingBagging(OnlineBagging):
    cdef public bint over
    cdef public double[::1] sizes
    cdef double theta
