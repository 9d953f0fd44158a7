cimport cython

from driftlearn.base._online_model cimport OnlineModel
from driftlearn.ensemble._pointer_list cimport PointerList, pointers_to
from driftlearn.ensemble._row_engine cimport CommitteeEngine
from driftlearn.ensemble._task_queue cimport TaskQueue
from driftlearn.ensemble._thread_pool cimport TaskRunner, ThreadPool
from driftlearn.utils._row_pointers cimport place_at, row_at


@cython.final
cdef class VoteBuffer:
    cdef double[:, ::1] votes


cdef class BatchEngine(TaskRunner):
    cdef public ThreadPool thread_pool
    cdef Py_ssize_t first
    cdef PointerList models
    cdef PointerList vote_buffers
    cdef list replaced
    cdef dict errors_of_models

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w, object draws,
        double[:, ::1] scores=*,
    ) except *
    cdef void _allocate_votes(self, Py_ssize_t m, Py_ssize_t n_rows, Py_ssize_t C) except *
    cdef double* _votes_of(self, Py_ssize_t j, Py_ssize_t i) noexcept nogil
    cdef void _sum_votes(self, double[:, ::1] scores, Py_ssize_t m, Py_ssize_t stop) noexcept nogil
    cdef void _refresh_pointers(self) except *
    cdef Py_ssize_t _train_members(self, Py_ssize_t m, Py_ssize_t stop) except -1
    cdef long long _rows_until_checkpoint(self, Py_ssize_t j) noexcept nogil
    cdef bint _ends_batch(self, Py_ssize_t j) noexcept nogil
    cdef void _begin_row(self, Py_ssize_t i) noexcept
    cdef void _end_batch(self, Py_ssize_t i) except *
    cdef object _new_model_for(self, Py_ssize_t i, Py_ssize_t j)
    cdef void _replace_member(self, Py_ssize_t i, Py_ssize_t j, object model, dict objects) except *
    cdef void _number_new_members(self) except *
    cdef int _update_member(self, Py_ssize_t j, Py_ssize_t i, int k, bint tested) except -1 nogil
