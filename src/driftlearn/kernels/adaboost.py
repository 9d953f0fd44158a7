# cython: infer_types=True
"""AdaBoost on the rows of a window, and AdaBoost that is trained anew at every mistake."""

import cython
import numpy as np
from cython.cimports.libc.math import exp, log

if not cython.compiled:
    from driftlearn.kernels.boosted import Boosted

LEAST = cython.declare(cython.double, 1e-6)


def boost(window, members, n_rounds, i):
    """Fill `members` with the rounds of AdaBoost on the window; return their confidences.

    A round's confidence is ``1/2 (ln((1 - e) / e) + ln(K - 1))`` with K classes in the window, the
    error e at least half a row; weights are ``w exp(-z)`` with the margin ``z`` the sum of the
    confidences that are right minus those that are wrong. With two classes that is AdaBoost, with
    more SAMME. It ends before a round that is no better than chance (the first is kept all the
    same, with next to no confidence) and after one without error.

    Parameters
    ----------
    window : Window
        The rows; what the members say is noted there.
    members : Members
        None yet.
    n_rounds : int
        The most rounds.
    i : int
        The newest of the rows that the members were told of by `begin`.

    Returns
    -------
    list of float
    """
    n: cython.Py_ssize_t = window.n
    start: cython.Py_ssize_t = window.start
    K: cython.double = max(2, window.n_present)
    floor: cython.double = 1.0 / (2 * max(2, n))
    z: cython.double[::1] = np.zeros(n)
    D: cython.double[::1] = np.empty(n)
    said: cython.short[::1] = np.empty(n, dtype=np.int16)
    alphas = []
    window.keep(np.zeros(0, dtype=np.intp), 0)
    while members.n < n_rounds:
        total = _weigh(window.w[start : start + n], z, D)
        members.train(window, D, i, said)
        error = _missed(window.y[start : start + n], said, D) / total
        too_weak: cython.bint = error * K >= K - 1 - 1e-9
        if too_weak and members.n > 0:
            break
        e = min(max(error, floor), 1 - floor)
        alpha = max(LEAST, 0.5 * (log((1 - e) / e) + log(K - 1)))
        members.admit()
        window.admit(said)
        alphas.append(alpha)
        if too_weak or error == 0:
            break
        for k in range(n):
            z[k] += alpha if said[k] == window.y[start + k] else -alpha
    return alphas


def train_anew(ensemble, n_rounds, i):
    """Give an ensemble the members that `boost` makes, in place of those it has."""
    members = ensemble.members.fresh()
    alphas = boost(ensemble.window, members, n_rounds, i)
    ensemble.members = members
    for m in range(len(alphas)):
        ensemble._enter(m, alphas[m])


def _weigh(w, z, D):
    low: cython.double = z[0]
    total: cython.double = 0.0
    for k in range(z.shape[0]):
        low = min(low, z[k])
    for k in range(z.shape[0]):
        D[k] = w[k] * exp(low - z[k])
        total += D[k]
    return total


def _missed(y, said, D):
    missed: cython.double = 0.0
    for k in range(y.shape[0]):
        if said[k] != y[k]:
            missed += D[k]
    return missed


@cython.cclass
class WindowedAdaBoost(Boosted):
    """AdaBoost on a sliding window, trained from nothing whenever the ensemble errs.

    Parameters
    ----------
    window, members : Window, Members
        As for `Boosted`.
    n_estimators : int
        Rounds.
    period : int
        A mistake counts only at rows whose number is a multiple of this.
    """

    def __init__(self, window, members, n_estimators, period):
        Boosted.__init__(self, window, members)
        self.n_estimators = n_estimators
        self.period = period

    def _may_train(self, wrong):
        due: cython.bint = (self.n_rows + 1) % self.period == 0
        return self.members.n == 0 or (due and wrong)

    def _learn_one(self, X, i, y, w, wrong):
        train: cython.bint = self._may_train(wrong)
        self._slide(X, i, y, w)
        if train:
            train_anew(self, self.n_estimators, i)
        self.n_rows += 1

    def get_state(self):
        """Return everything the ensemble knows: arrays, numbers, its window and members."""
        mine = {"n_estimators": self.n_estimators, "period": self.period}
        return {**Boosted.get_state(self), **mine}

    def set_state(self, state):
        """Become the ensemble whose `get_state` this was."""
        Boosted.set_state(self, state)
        self.n_estimators = int(state["n_estimators"])
        self.period = int(state["period"])
