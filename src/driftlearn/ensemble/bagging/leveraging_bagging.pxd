cimport cython

from driftlearn.drift._adwin_window cimport AdaptiveWindow
from driftlearn.ensemble.bagging._output_codes cimport CodedModel
from driftlearn.ensemble.bagging._poisson_table cimport PoissonTable
from driftlearn.ensemble.bagging.adwin_bagging cimport ADWINBagging


@cython.final
cdef class LeveragingBagging(ADWINBagging):
    cdef PoissonTable often
    cdef int draws
    cdef bint codes
