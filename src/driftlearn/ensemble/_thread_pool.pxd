cimport cython
from cpython.pythread cimport (
    PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    PyThread_type_lock,
)

cdef extern from "pythread.h":
    int PyThread_acquire_lock_timed(PyThread_type_lock lock, long long microseconds, int interruptible) nogil

from driftlearn.ensemble._row_engine cimport CommitteeEngine
from driftlearn.ensemble._task_queue cimport TaskQueue


cdef class TaskRunner(CommitteeEngine):
    cdef TaskQueue queue

    cdef int _train_member(self, Py_ssize_t j, Py_ssize_t first, Py_ssize_t stop) except -1 nogil
    cdef void _finish_task(self, Py_ssize_t j, Py_ssize_t stop) noexcept nogil
    cdef int _run_tasks(self) except -1 nogil


@cython.final
cdef class ThreadPool:
    cdef readonly int n
    cdef bint active
    cdef bint waited_long
    cdef int solo_left
    cdef int solo_batches
    cdef long long n_changes
    cdef long long batch
    cdef bint asleep[64]
    cdef Py_ssize_t current[65]
    cdef PyThread_type_lock mutex
    cdef PyThread_type_lock never_open
    cdef PyThread_type_lock wake_up[64]
    cdef list errors
    cdef TaskRunner engine
    cdef TaskQueue queue

    cdef void _wake(self) noexcept
    cdef void _abort(self, int thread, object error) except *
    cdef int _work(self, int thread) except -1 nogil
    cdef int _poll(self, int thread, long long n_changes, int n_polls) noexcept nogil
    cdef void run(self, TaskRunner engine) except *


cdef PyThread_type_lock _closed_lock() noexcept
cdef void _lock(PyThread_type_lock mutex) noexcept nogil
