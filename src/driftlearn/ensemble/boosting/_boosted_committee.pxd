cimport cython

from driftlearn.base._engine cimport Engine
from driftlearn.ensemble.boosting._fixed_models cimport FixedModels
from driftlearn.ensemble._row_window cimport RowWindow


@cython.final
cdef class BoostedCommittee(Engine):
    cdef public RowWindow window
    cdef public FixedModels models
    cdef public long long n_rows
    cdef public long long n_admitted
    cdef public Py_ssize_t[::1] known
    cdef public double[::1] alpha
    cdef public long long[::1] id
    cdef public long long[::1] created_at
    cdef public unsigned char[:, ::1] member_classes
    cdef public short[::1] now
    cdef public short[::1] predicted
    cdef object trainer
    cdef RowWindow training_window
    cdef Py_ssize_t[::1] index
    cdef double[::1] votes

    cdef void predict_row(self, const double[:, ::1] X, Py_ssize_t i) except *
    cdef Py_ssize_t guess(self) noexcept nogil
    cdef void votes_now(self, double[::1] votes) noexcept nogil
    cdef void slide(self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w) except *
    cdef void _meet(self, Py_ssize_t y) except *
    cdef void train(self, const double[::1] weights) except *
    cdef void admit(self, double alpha) except *
    cdef void keep(self, Py_ssize_t n_kept) except *
