from driftlearn.ensemble.boosting._boosted_committee cimport BoostedCommittee
from driftlearn.base._engine cimport Engine
from driftlearn.ensemble.boosting._boosted_votes cimport soften_one


cdef class BoostedEngine(Engine):
    cdef public BoostedCommittee committee
    cdef public dict options

    cpdef void learn(
        self, const double[:, ::1] X, const Py_ssize_t[::1] y, const double[::1] w, object trainer=*,
        double[:, ::1] scores=*, double sharpness=*,
    ) except *
    cdef void score(self, double[::1] scores, double sharpness) except *
    cdef void learn_one(
        self, const double[:, ::1] X, Py_ssize_t i, Py_ssize_t y, double w, bint wrong
    ) except *
    cdef bint may_train(self, bint wrong) except -1
    cdef void _learn_or_undo(
        self,
        const double[:, ::1] X,
        Py_ssize_t i,
        Py_ssize_t y,
        double w,
        bint wrong,
        object trainer,
    ) except *
