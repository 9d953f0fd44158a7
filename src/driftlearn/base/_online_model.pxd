from driftlearn.base._engine cimport Engine
from driftlearn.utils._row_pointers cimport place_at, row_at, start_of


cdef class OnlineModel(Engine):
    cdef public int n_features
    cdef public int n_classes
    cdef public double weight_seen

    cpdef void learn_one(self, const double[:, ::1] X, Py_ssize_t i, int y, double w) except *
    cpdef void scores_one(self, const double[:, ::1] X, Py_ssize_t i, double[::1] out) except *
    cpdef int predict_one(self, const double[:, ::1] X, Py_ssize_t i) except -2
    cpdef int test_one(self, const double[:, ::1] X, Py_ssize_t i, double[::1] out) except -3
    cpdef void learn_tested(self, const double[:, ::1] X, Py_ssize_t i, int y, double w) except *
    cdef bint _is_free(self) noexcept
    cdef bint _is_quiet(self, const double* row) noexcept
    cdef int _learn_row(self, const double* row, int y, double w) except -1 nogil
    cdef int _learn_tested_row(self, const double* row, int y, double w) except -1 nogil
    cdef int _predict_row(self, const double* row) except -3 nogil
    cdef int _test_row(self, const double* row, double* out) except -3 nogil
    cdef object _as_matrix(self, const double* row)
    cpdef void learn_many(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w
    ) except *
    cpdef void test_and_learn_many(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w,
        double[:, ::1] out,
    ) except *
    cpdef void scores_many(self, const double[:, ::1] X, double[:, ::1] out) except *
    cpdef void widen(self, const Py_ssize_t[::1] positions, int n_classes) except *


cdef class RowModel(OnlineModel):
    pass


cdef int top_class(const double* scores, Py_ssize_t n_classes) noexcept nogil
cpdef int check_rows(
    int n_features, int n_classes, const double[:, ::1] X, const Py_ssize_t[::1] y,
    const double[::1] w,
) except -1
cpdef int check_scores(
    int n_features, int n_classes, const double[:, ::1] X, double[:, ::1] out
) except -1
