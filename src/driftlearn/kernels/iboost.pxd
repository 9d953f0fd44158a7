cimport cython

from driftlearn.kernels.adwin cimport ADWIN
from driftlearn.kernels.members cimport Members
from driftlearn.kernels.sliding cimport Window
from driftlearn.kernels.subsets cimport look_up, pack, tabulate


@cython.final
cdef class IBoost:
    cdef readonly Window window
    cdef readonly Members members
    cdef readonly ADWIN adwin
    cdef readonly Py_ssize_t n_estimators
    cdef readonly Py_ssize_t period
    cdef readonly Py_ssize_t n_updates
    cdef readonly bint batch
    cdef readonly bint logistic
    cdef readonly bint printed
    cdef readonly double step
    cdef readonly double margin_clip
    cdef readonly double weight_clip
    cdef readonly bint add_always
    cdef readonly bint add_on_error
    cdef readonly bint update_always
    cdef readonly bint update_before_add
    cdef readonly bint remove_negative
    cdef readonly Py_ssize_t min_window
    cdef readonly long long n_rows
    cdef readonly long long n_admitted
    cdef double[::1] alpha
    cdef long long[::1] id
    cdef long long[::1] born
    cdef unsigned char[:, ::1] met
    cdef Py_ssize_t[::1] known

    cdef double[:, ::1] V
    cdef double[:, :, ::1] pull
    cdef double[:, ::1] sums
    cdef double[::1] z
    cdef double[::1] a
    cdef double[::1] q
    cdef double[:, ::1] moves
    cdef Py_ssize_t[::1] said_by
    cdef double[::1] weights
    cdef short[::1] said
    cdef Py_ssize_t[::1] index
    cdef short[:, ::1] guesses
    cdef unsigned char[:, ::1] by_member
    cdef unsigned char[:, ::1] by_row
    cdef double[:, ::1] table
    cdef double[::1] addends
    cdef double[::1] row_sums
    cdef double[::1] member_sums

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w, object host=*
    ) except *
    cdef void _learn_or_undo(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, bint wrong
    ) except *
    cdef void _learn_one(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, bint wrong
    ) except *
    cdef Py_ssize_t _guess(self, const double[:, ::1] X, Py_ssize_t i) except -2
    cdef void _meet(self, Py_ssize_t y) except *
    cdef bint _wants_member(self, bint wrong) noexcept nogil
    cdef bint _due(self, bint wrong) noexcept nogil
    cdef void _grow(self, Py_ssize_t i) except *
    cdef void _admit(self, double alpha) except *
    cdef void _remove_smallest(self) except *
    cdef void _remove_negatives(self) except *
    cdef void _keep(self, Py_ssize_t n_kept) except *
    cdef void _update(self) noexcept nogil
    cdef void _tally(self, Py_ssize_t first) noexcept nogil
    cdef Py_ssize_t _margins(self, Py_ssize_t row, double clip) noexcept nogil
    cdef double _weigh(self, double clip) noexcept nogil
    cdef double _weigh_row(self, Py_ssize_t i, double clip, double low) noexcept nogil
    cdef void _add_up(self, Py_ssize_t first) noexcept nogil
    cdef double _confidence(self, double right, double wrong, double total) noexcept nogil
    cdef void _update_in_parallel(self) noexcept nogil
    cdef void _update_two_classes(self) noexcept nogil
    cdef double _weigh_two_classes(self, double whole) noexcept nogil
    cdef void _follow_gradient(self) noexcept nogil
    cdef void _step_implicitly(self) noexcept nogil
    cdef double _next_step(self, Py_ssize_t y, Py_ssize_t n, double rate) noexcept nogil


cdef void tally_rows(
    double[:, ::1] votes, const short[:, ::1] codes, const double[::1] alpha, Py_ssize_t m
) noexcept nogil
cdef void sum_by_member(
    double[:, ::1] sums, const short[:, ::1] codes, const double[:, :, ::1] pull
) noexcept nogil
cdef double sigmoid(double z) noexcept nogil
cpdef double lambert(double a) noexcept nogil
cpdef double implicit_step(double rate, const double[::1] z, const double[::1] a) noexcept nogil
cdef double log_sum_exp(const double[::1] z, const double[::1] a, double s) noexcept nogil
