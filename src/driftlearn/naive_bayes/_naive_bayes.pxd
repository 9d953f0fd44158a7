cimport cython

from driftlearn.base._online_model cimport RowModel
from driftlearn.utils._normal_sums cimport heaviest, weigh
from driftlearn.utils._row_pointers cimport place_at, row_at, start_of


@cython.final
cdef class NaiveBayesModel(RowModel):
    cdef public double var_smoothing
    cdef double[::1] numbers
    cdef double* weight
    cdef double* share
    cdef double* constant
    cdef double* room
    cdef double* mean
    cdef double* m2
    cdef double* precision
    cdef double* mean_all
    cdef double* m2_all
    cdef bint fresh
    cdef bint matches
    cdef bint gaps
    cdef double[:, ::1] known
    cdef double[::1] known_all

    cdef int _hold(self, double[::1] numbers) except -1
    cdef int _learn_gaps(self, const double* row, int y, double w) except -1 nogil
    cdef void _refresh(self) noexcept nogil
    cdef void _refresh_class(self, int c, double smoothing) noexcept nogil
    cdef double _largest_variance(self) noexcept nogil
    cdef void _refresh_gaps(self, int c, double smoothing) noexcept nogil
    cdef void _exponents(self, const double* row, double* out) noexcept nogil
    cdef double _exponent(self, const double* row, int c) noexcept nogil
    cdef double _exponent_of_known(self, const double* row, int c) noexcept nogil


cdef bint lacks(const double* row, Py_ssize_t n) noexcept nogil
cdef void learn(double* mean, double* m2, Py_ssize_t first, const double* row, Py_ssize_t n_features, double w, double n) noexcept nogil
cdef void add(double* mean, double* m2, Py_ssize_t k, double x, double w, double n) noexcept nogil
cdef void precisions(const double* m2, double n, double more, Py_ssize_t first, Py_ssize_t n_features, double* out) noexcept nogil
cdef double precise(double m2, double n, double more) noexcept nogil
cdef (double, double) product_of(const double* values, const double* counted, Py_ssize_t first, Py_ssize_t n) noexcept nogil
cdef double distance(const double* row, const double* mean, const double* precision, Py_ssize_t first, Py_ssize_t n) noexcept nogil
cdef inline double part(double x, double mean, double precision) noexcept nogil
