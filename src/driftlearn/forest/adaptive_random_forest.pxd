from driftlearn.base._online_model cimport OnlineModel, top_class
from driftlearn.drift._adwin_window cimport AdaptiveWindow
from driftlearn.ensemble._pointer_list cimport PointerList, pointers_to
from driftlearn.utils._poisson cimport PoissonTable
from driftlearn.ensemble.bagging.online_bagging cimport OnlineBagging
from driftlearn.utils._row_pointers cimport row_at


cdef class AdaptiveRandomForest(OnlineBagging):
    cdef public list background_models
    cdef public unsigned char[:, ::1] background_classes
    cdef public long long n_warnings
    cdef public long long n_drifts
    cdef double warning_delta
    cdef double drift_delta
    cdef PoissonTable poisson_rate
    cdef double[:] n_correct
    cdef double[:] n_tested
    cdef unsigned char[::1] has_background
    cdef PointerList background
    cdef PointerList warning_detectors
    cdef PointerList drift_detectors

    cdef int _predict_and_vote(self, Py_ssize_t j, Py_ssize_t i, double weight) except -3 nogil
    cdef int _update_background(self, Py_ssize_t j, Py_ssize_t i, int k) except -1 nogil
    cdef void _start_background(self, Py_ssize_t i, Py_ssize_t j, bint warning) except *
    cdef void _replace_by_background(self, Py_ssize_t i, Py_ssize_t j) except *
    cdef void _reset_detector(self, Py_ssize_t j, str name, PointerList detectors, double delta) except *


cdef double accuracy(double n_correct, double n_tested) noexcept nogil
