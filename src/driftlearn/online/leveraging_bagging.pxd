cimport cython

from driftlearn.engines.adaptive_window cimport AdaptiveWindow
from driftlearn.engines.coded_model cimport CodedModel
from driftlearn.kernels.poisson cimport poisson
from driftlearn.online.adwin_bagging cimport ADWINBagging


@cython.final
cdef class LeveragingBagging(ADWINBagging):
    cdef double rate
    cdef int draws
    cdef bint codes
