from driftlearn.base._engine cimport Engine


cdef class ErrorDetector(Engine):
    cpdef bint update(self, double error) except *
    cpdef update_many(self, const double[::1] errors)
