from driftlearn.engines.fixed_models cimport Members
from driftlearn.engines.row_window cimport RowWindow


cdef class Boosted:
    cdef readonly RowWindow window
    cdef readonly Members members
    cdef readonly long long n_rows
    cdef readonly long long n_admitted
    cdef Py_ssize_t[::1] known
    cdef double[::1] alpha
    cdef long long[::1] id
    cdef long long[::1] born
    cdef unsigned char[:, ::1] met
    cdef double[:, ::1] votes
    cdef short[:, ::1] now

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w, object host=*
    ) except *
    cdef void _learn_or_undo(
        self,
        const double[:, ::1] X,
        Py_ssize_t i,
        Py_ssize_t y,
        double w,
        bint wrong,
        object host,
    ) except *
    cdef list _parts(self)
    cdef bint _may_train(self, bint wrong) noexcept
    cdef void _learn_one(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, bint wrong
    ) except *
    cdef Py_ssize_t _guess(self) noexcept nogil
    cdef void _slide(self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w) except *
    cdef void _meet(self, Py_ssize_t y) except *
    cdef void _enter(self, Py_ssize_t m, double alpha) except *
    cdef void _make_room(self) except *
