cimport cython

from driftlearn.ensemble.boosting._boosted_committee cimport BoostedCommittee
from driftlearn.ensemble._row_window cimport RowWindow
from driftlearn.ensemble.boosting._boosted_votes cimport gains_by_member, votes_by_row
from driftlearn.ensemble.boosting._margin_steps cimport implicit_step, sigmoid
from driftlearn.ensemble.boosting._subset_sums cimport look_up, pack, tabulate


@cython.final
cdef class EvolvingLoss:
    cdef readonly BoostedCommittee committee
    cdef RowWindow window
    cdef readonly double step
    cdef Py_ssize_t n_updates
    cdef bint batch
    cdef bint logistic
    cdef bint printed
    cdef bint by_misses
    cdef double halves
    cdef double margin_clip
    cdef double lowest
    cdef double[::1] weights
    cdef double[:, ::1] V
    cdef double[:, :, ::1] gain
    cdef double[:, ::1] sums
    cdef double[::1] z
    cdef double[::1] a
    cdef double[::1] q
    cdef double[::1] moves
    cdef Py_ssize_t[::1] said_by
    cdef unsigned char[:, ::1] by_member
    cdef unsigned char[:, ::1] by_row
    cdef double[:, ::1] table
    cdef double[::1] addends
    cdef double[::1] row_sums
    cdef double[::1] member_sums

    cdef void _make_room(self) except *
    cpdef void update(self) except *
    cdef double weigh(self, double clip) except *
    cdef double confidence(self, const short[::1] predicted, double total) noexcept
    cdef void _votes(self, Py_ssize_t first) noexcept
    cdef Py_ssize_t _margins(self, Py_ssize_t row, double clip) noexcept nogil
    cdef double _weigh_row(self, Py_ssize_t i, double clip, double low) noexcept nogil
    cdef void _gains(self, Py_ssize_t first) noexcept
    cdef double _best(self, double right, double wrong, double total) noexcept nogil
    cdef void _step_of_adaboost(self) except *
    cdef void _step_of_adaboost_two_classes(self) noexcept
    cdef double _weigh_two_classes(self, double whole) noexcept nogil
    cdef void _step_as_printed(self) noexcept
    cdef void _step_implicitly(self) noexcept
    cdef double _length(self, Py_ssize_t y, Py_ssize_t n, double rate) noexcept nogil
