cimport cython

from driftlearn.drift._error_detector cimport ErrorDetector


@cython.final
cdef class AdaptiveWindow(ErrorDetector):
    cdef readonly double delta
    cdef readonly int clock
    cdef readonly int max_buckets
    cdef readonly int min_window
    cdef readonly int min_sub
    cdef readonly long long width
    cdef readonly long long n_updates
    cdef readonly double total
    cdef readonly double estimate
    cdef readonly bint rising
    cdef readonly double var_sum
    cdef int n_rows
    cdef readonly int[::1] count
    cdef readonly double[:, ::1] bucket_sum
    cdef readonly double[:, ::1] bucket_var

    cpdef bint rises(self, double error) noexcept nogil
    cdef long long errors_until_test(self) noexcept nogil
    cdef bint _take(self, double error) noexcept nogil
    cdef void _insert(self, double error) noexcept nogil
    cdef void _push(self, int row, double value, double variance) noexcept nogil
    cdef void _shift(self, int row, int k) noexcept nogil
    cdef bint _cut_found(self) noexcept nogil
    cdef void _drop_oldest(self) noexcept nogil
