cimport cython

from driftlearn.engines.adaptive_window cimport AdaptiveWindow
from driftlearn.engines.coded_model cimport CodedModel
from driftlearn.engines.poisson_table cimport PoissonTable
from driftlearn.online.adwin_bagging cimport ADWINBagging


@cython.final
cdef class LeveragingBagging(ADWINBagging):
    cdef PoissonTable often
    cdef int draws
    cdef bint codes
