cimport cython

from driftlearn.engines.online_model cimport OnlineModel
from driftlearn.kernels.fit_stump cimport fit_stump
from driftlearn.engines.row_window cimport RowWindow


cdef class Members:
    cdef readonly Py_ssize_t n
    cdef readonly bint can_fail

    cpdef void begin(self, object host, object X) except *
    cpdef void end(self) except *
    cpdef void vote(
        self, const double[:, ::1] X, Py_ssize_t i, short[:, ::1] codes, Py_ssize_t row
    ) except *
    cpdef void train(
        self, RowWindow window, const double[::1] weights, Py_ssize_t i, short[::1] said
    ) except *
    cpdef void admit(self) except *
    cpdef void keep(self, const Py_ssize_t[::1] index, Py_ssize_t n_kept) except *
    cpdef Members fresh(self)
    cpdef void widen(self, const Py_ssize_t[::1] positions, int n_classes) except *


@cython.final
cdef class Stumps(Members):
    cdef int[::1] feature
    cdef double[::1] threshold
    cdef short[::1] left
    cdef short[::1] right

    cdef void _ask_one(
        self, Py_ssize_t j, const double[:, ::1] X, short[::1] said
    ) noexcept nogil


@cython.final
cdef class Learners(Members):
    cdef OnlineModel blank
    cdef readonly list learners
    cdef OnlineModel candidate


cdef short _heaviest(const double[::1] weights, const Py_ssize_t[::1] count) noexcept nogil
