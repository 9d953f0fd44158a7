from driftlearn.kernels.learner cimport Learner


cdef class Team:
    cdef readonly list members
    cdef readonly long long n_rows
    cdef readonly long long n_admitted
    cdef readonly int n_features
    cdef readonly int n_classes
    cdef double[:, ::1] numbers
    cdef unsigned char[:, ::1] met
    cdef unsigned char[::1] seen
    cdef double[::1] votes

    cdef void _teach(
        self, Py_ssize_t j, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w
    ) except *
    cdef int _ask(self, Py_ssize_t j, const double[:, ::1] X, Py_ssize_t i) except -2
    cdef Py_ssize_t _winner(self) noexcept nogil


cpdef labels(Learner learner, const double[:, ::1] X)
cdef int poisson(double u, double lam) noexcept nogil
