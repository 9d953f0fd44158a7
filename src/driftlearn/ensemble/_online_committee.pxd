cimport cython

from driftlearn.ensemble._borrowed cimport Borrowed
from driftlearn.base._engine cimport Engine
from driftlearn.base._online_model cimport OnlineModel
from driftlearn.utils._row_pointers cimport place_at, row_at, start_of


@cython.final
cdef class OnlineCommittee(Engine):
    cdef public list models
    cdef public dict things
    cdef public tuple columns
    cdef public long long n_rows
    cdef public long long n_admitted
    cdef public int n_features
    cdef public int n_classes
    cdef public double[:, ::1] numbers
    cdef public unsigned char[:, ::1] met
    cdef public unsigned char[::1] seen
    cdef public double[::1] votes
    cdef double[::1] shares
    cdef int[::1] said
    cdef Borrowed held

    cdef int _hold(self) except -1
    cdef void note(self, Py_ssize_t y) noexcept nogil
    cdef int learn(self, Py_ssize_t j, const double* row, Py_ssize_t y, double w) except -1 nogil
    cdef int learn_tested(
        self, Py_ssize_t j, const double* row, Py_ssize_t y, double w
    ) except -1 nogil
    cdef int predict(self, Py_ssize_t j, const double* row) except -3 nogil
    cdef int test(self, Py_ssize_t j, const double* row, double* out) except -1 nogil
    cdef int answer(self, Py_ssize_t j, const double* row) except -3 nogil
    cdef void take_row(self) noexcept nogil
    cdef void share_by(self, Py_ssize_t column) noexcept nogil
    cdef int vote(self, const double* row, double* votes) except -1 nogil
    cdef int blend_one(self, const double* row, double* votes) except -1 nogil
    cpdef Py_ssize_t winner(self) noexcept nogil
    cdef Py_ssize_t winner_by(self, const double* votes) noexcept nogil
