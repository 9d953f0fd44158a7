from driftlearn.kernels.adwin cimport ADWIN
from driftlearn.kernels.boosting cimport Boosting
from driftlearn.kernels.deviation cimport Deviation


cdef class FLCBoosting(Boosting):
    cdef readonly bint replace_worst
    cdef readonly long long n_changes
    cdef readonly ADWIN adwin
    cdef readonly Deviation deviation

    cdef Py_ssize_t _guess(self, const double[:, ::1] X, Py_ssize_t i) except -2
    cdef void _correct(self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w) except *
