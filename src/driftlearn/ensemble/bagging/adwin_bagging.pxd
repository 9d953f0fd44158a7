from driftlearn.drift._adwin_window cimport AdaptiveWindow
from driftlearn.ensemble._borrowed cimport Borrowed, borrowed
from driftlearn.ensemble._crew cimport MemberwiseEngine
from driftlearn.base._online_model cimport OnlineModel
from driftlearn.utils._row_pointers cimport row_at
from driftlearn.ensemble.bagging.online_bagging cimport OnlineBagging


cdef class ADWINBagging(OnlineBagging):
    cdef public long long n_replaced
    cdef double delta
    cdef bint replace_fired
    cdef bint ask_before
    cdef bint error_after
    cdef unsigned char[::1] fired
    cdef Borrowed detectors

    cdef int _times(self, double error, bint wrong, double u) noexcept nogil
    cdef int _ask(self, Py_ssize_t j, Py_ssize_t i) except -3 nogil
    cdef void _renew(self, Py_ssize_t i, Py_ssize_t j) except *
    cdef bint _wrong(self, Py_ssize_t j, Py_ssize_t i, int says) noexcept nogil
