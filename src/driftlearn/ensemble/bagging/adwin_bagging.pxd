from driftlearn.base._online_model cimport OnlineModel
from driftlearn.drift._adwin_window cimport AdaptiveWindow
from driftlearn.ensemble._batch_engine cimport BatchEngine
from driftlearn.ensemble._pointer_list cimport PointerList, pointers_to
from driftlearn.ensemble.bagging.online_bagging cimport OnlineBagging
from driftlearn.utils._row_pointers cimport row_at


cdef class ADWINBagging(OnlineBagging):
    cdef public long long n_replaced
    cdef double delta
    cdef bint replaces_fired
    cdef bint tests_before
    cdef bint tests_after
    cdef unsigned char[::1] fired
    cdef PointerList detectors

    cdef int _training_weight(self, double error, bint wrong, double u) noexcept nogil
    cdef int _predict(self, Py_ssize_t j, Py_ssize_t i) except -3 nogil
    cdef bint _is_wrong(self, Py_ssize_t j, Py_ssize_t i, int predicted) noexcept nogil
    cdef void _start_again(self, Py_ssize_t i, Py_ssize_t j) except *
