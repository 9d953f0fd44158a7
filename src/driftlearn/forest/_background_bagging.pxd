cimport cython

from driftlearn.drift._adwin_window cimport AdaptiveWindow
from driftlearn.ensemble._borrowed cimport Borrowed, borrowed
from driftlearn.ensemble._crew cimport MemberwiseEngine, Room
from driftlearn.ensemble._online_committee cimport OnlineCommittee
from driftlearn.base._online_model cimport OnlineModel
from driftlearn.utils._poisson cimport poisson
from driftlearn.utils._row_pointers cimport place_at, row_at


@cython.final
cdef class BackgroundBagging(MemberwiseEngine):
    cdef public dict options
    cdef public list background
    cdef public unsigned char[:, ::1] background_met
    cdef public long long n_warnings
    cdef public long long n_drifts
    cdef double rate
    cdef double warning_delta
    cdef double drift_delta
    cdef bint soft
    cdef unsigned char[::1] has_successor
    cdef Borrowed successors
    cdef Borrowed warnings
    cdef Borrowed drifts

    cdef int _answer(self, Py_ssize_t j, Py_ssize_t i, double weight) except -3 nogil
    cdef void _warn(self, Py_ssize_t i, Py_ssize_t j, bint warned) except *
    cdef void _promote(self, Py_ssize_t i, Py_ssize_t j) except *
    cdef void _watch(self, Py_ssize_t j, str name, Borrowed held, double delta) except *
    cdef int _teach_successor(self, Py_ssize_t j, Py_ssize_t i, int k) except -1 nogil


cdef double _share(double right, double seen) noexcept nogil
