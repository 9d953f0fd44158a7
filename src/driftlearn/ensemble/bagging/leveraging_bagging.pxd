cimport cython

from driftlearn.ensemble.bagging._output_codes cimport OutputCodeModel
from driftlearn.utils._poisson cimport PoissonTable
from driftlearn.ensemble.bagging.adwin_bagging cimport ADWINBagging


@cython.final
cdef class LeveragingBagging(ADWINBagging):
    cdef PoissonTable poisson_rate
    cdef int distribution
    cdef bint codes
