cimport cython

from driftlearn.base._engine cimport Engine
from driftlearn.base._online_model cimport OnlineModel
from driftlearn.ensemble._row_window cimport RowWindow
from driftlearn.tree._fit_stump cimport fit_stump


cdef class FixedModels(Engine):
    cdef public Py_ssize_t n
    cdef public bint can_fail

    cpdef void begin(self, object X, object trainer) except *
    cpdef void end(self) except *
    cpdef void vote(self, const double[:, ::1] X, Py_ssize_t i, short[::1] codes) except *
    cpdef void train(
        self, RowWindow window, const double[::1] weights, RowWindow test_window,
        short[::1] predicted
    ) except *
    cpdef void admit(self) except *
    cpdef void keep(self, const Py_ssize_t[::1] index, Py_ssize_t n_kept) except *


@cython.final
cdef class FixedStumps(FixedModels):
    cdef public int[::1] feature
    cdef public double[::1] threshold
    cdef public short[::1] left
    cdef public short[::1] right
    cdef public unsigned char[::1] missing_left

    cdef void _predict_one(
        self, Py_ssize_t j, const double[:, ::1] X, short[::1] predicted
    ) noexcept nogil


cdef class ListedModels(FixedModels):
    cdef public list models
    cdef object candidate


@cython.final
cdef class FixedOnlineModels(ListedModels):
    cdef public OnlineModel blank


cdef short _heaviest(const double[::1] weights, const Py_ssize_t[::1] count) noexcept nogil
