cimport cython


@cython.final
cdef class TaskQueue:
    cdef Py_ssize_t[::1] next_row
    cdef Py_ssize_t[::1] checkpoint
    cdef Py_ssize_t[::1] owner
    cdef unsigned char[::1] busy
    cdef unsigned char[::1] present
    cdef readonly Py_ssize_t stop
    cdef readonly Py_ssize_t n_unfinished
    cdef readonly Py_ssize_t task_stop
    cdef Py_ssize_t max_rows

    cpdef void start(
        self, Py_ssize_t first, Py_ssize_t stop, Py_ssize_t n_threads, Py_ssize_t max_rows
    ) noexcept nogil
    cpdef void set_checkpoint(self, Py_ssize_t j, long long n_rows) noexcept nogil
    cpdef Py_ssize_t get(self, Py_ssize_t thread, bint steal) noexcept nogil
    cdef bint _precedes(self, Py_ssize_t j, Py_ssize_t k, Py_ssize_t thread) noexcept nogil
    cpdef void finish(self, Py_ssize_t j, Py_ssize_t stop, bint ends_batch) noexcept nogil
    cpdef bint any_busy(self) noexcept nogil
