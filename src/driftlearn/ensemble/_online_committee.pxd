cimport cython

from driftlearn.ensemble._pointer_list cimport PointerList
from driftlearn.base._engine cimport Engine
from driftlearn.base._online_model cimport OnlineModel
from driftlearn.utils._row_pointers cimport place_at, row_at, start_of


@cython.final
cdef class OnlineCommittee(Engine):
    cdef public list models
    cdef public dict objects
    cdef public tuple columns
    cdef public long long n_rows
    cdef public long long n_admitted
    cdef public int n_features
    cdef public int n_classes
    cdef public double[:, ::1] numbers
    cdef public unsigned char[:, ::1] member_classes
    cdef public unsigned char[::1] seen_classes
    cdef public double[::1] votes
    cdef double[::1] vote_weights
    cdef int[::1] cached
    cdef PointerList pointers

    cdef int _refresh(self) except -1
    cdef void mark_seen(self, Py_ssize_t y) noexcept nogil
    cdef int update_row(self, Py_ssize_t j, const double* row, Py_ssize_t y, double w) except -1 nogil
    cdef int update_tested_row(
        self, Py_ssize_t j, const double* row, Py_ssize_t y, double w
    ) except -1 nogil
    cdef int predict_row(self, Py_ssize_t j, const double* row) except -3 nogil
    cdef int score_row(self, Py_ssize_t j, const double* row, double* out) except -1 nogil
    cdef int predict_once(self, Py_ssize_t j, const double* row) except -3 nogil
    cdef void begin_row(self) noexcept nogil
    cdef void weigh_by(self, Py_ssize_t column) noexcept nogil
    cdef int vote_row(self, const double* row, double* votes) except -1 nogil
    cdef int blend_row(self, const double* row, double* votes) except -1 nogil
    cpdef Py_ssize_t best_class(self) noexcept nogil
    cdef Py_ssize_t best_class_of(self, const double* votes) noexcept nogil
