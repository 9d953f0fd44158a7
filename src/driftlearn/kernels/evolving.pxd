from driftlearn.kernels.boosted cimport Boosted
from driftlearn.kernels.margins cimport implicit_step, sigmoid
from driftlearn.kernels.subsets cimport look_up, pack, tabulate
from driftlearn.kernels.tallies cimport sum_by_member, tally


cdef class EvolvingLoss(Boosted):
    cdef readonly Py_ssize_t n_updates
    cdef readonly bint batch
    cdef readonly bint logistic
    cdef readonly bint printed
    cdef readonly double step
    cdef readonly double margin_clip
    cdef double lowest
    cdef double[:, ::1] V
    cdef double[:, :, ::1] pull
    cdef double[:, ::1] sums
    cdef double[::1] z
    cdef double[::1] a
    cdef double[::1] q
    cdef double[:, ::1] moves
    cdef Py_ssize_t[::1] said_by
    cdef double[::1] weights
    cdef unsigned char[:, ::1] by_member
    cdef unsigned char[:, ::1] by_row
    cdef double[:, ::1] table
    cdef double[::1] addends
    cdef double[::1] row_sums
    cdef double[::1] member_sums

    cdef void _set_options(self, dict options) except *
    cpdef void update(self) noexcept
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
