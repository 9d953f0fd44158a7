# cython: infer_types=True
"""IBoost: boosting on a sliding window whose members' confidences are updated row by row."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.kernels.evolving import EvolvingLoss

LEAST = cython.declare(cython.double, 1e-6)


@cython.cclass
class IBoost(EvolvingLoss):
    """The loop of IBoost: when a member is trained, when confidences are updated, who goes.

    Parameters
    ----------
    window : Window
        The rows kept; its size is the most there will be.
    members : Members
        The members, none yet.
    adwin : ADWIN or None
        Fed with the ensemble's errors, of which the first row is one; the window is never longer
        than what it holds valid, unless that is less than `min_window`.
    options : dict
        Those of `EvolvingLoss`, and `n_estimators` (-1 without limit), `period`, `weight_clip`,
        `add_always`, `add_on_error`, `update_always`, `update_before_add`, `remove_negative`,
        `min_window`.
    """

    def __init__(self, window, members, adwin, options):
        self.adwin = adwin
        EvolvingLoss.__init__(self, window, members, options)

    def _set_options(self, options):
        EvolvingLoss._set_options(self, options)
        self.n_estimators = options["n_estimators"]
        self.period = options["period"]
        self.weight_clip = options["weight_clip"]
        self.add_always = options["add_always"]
        self.add_on_error = options["add_on_error"]
        self.update_always = options["update_always"]
        self.update_before_add = options["update_before_add"]
        self.remove_negative = options["remove_negative"]
        self.min_window = options["min_window"]

    def _make_room(self):
        """Make working space for as many members as `alpha` has room for."""
        EvolvingLoss._make_room(self)
        self.said = np.zeros(self.window.size, dtype=np.int16)
        self.index = np.zeros(self.alpha.shape[0], dtype=np.intp)

    def _learn_one(self, X, i, y, w, wrong):
        if self.adwin is not None:
            self.adwin.update(wrong)
            self.window.shrink(max(self.min_window, self.adwin.width) - 1)
        self._slide(X, i, y, w)
        if self._wants_member(wrong):
            if self.members.n == self.n_estimators:
                self._remove_smallest()
            if self.update_before_add or self.update_always:
                self.update()
            self._grow(i)
        elif self.update_always:
            self.update()
        if self.remove_negative:
            self._remove_negatives()
        self.n_rows += 1

    def _wants_member(self, wrong):
        newest: cython.Py_ssize_t = self.members.n - 1
        if newest < 0:
            return True
        if self.window.n_present == 1:
            y = self.window.y[self.window.start]
            n_met: cython.int = 0
            for c in range(self.met.shape[1]):
                n_met += self.met[newest, c]
            if n_met == 1 and self.met[newest, y]:
                return False
        return self._due(wrong)

    def _may_train(self, wrong):
        return self.members.n == 0 or self._due(wrong)

    def _parts(self):
        return [part for part in (self.window, self.members, self.adwin) if part is not None]

    def _due(self, wrong):
        due: cython.bint = (self.n_rows + 1) % self.period == 0
        return due and (self.add_always or (self.add_on_error and wrong))

    def _grow(self, i):
        """Train a member on the weighted window; admit it if it has something to say."""
        n: cython.Py_ssize_t = self.window.n
        said: cython.short[::1] = self.said[:n]
        weights: cython.double[::1] = self.weights[:n]
        total = self._weigh(self.weight_clip)
        if total == 0.0:
            for k in range(n):
                weights[k] = self.window.w[self.window.start + k]
        self.members.train(self.window, weights, i, said)
        right: cython.double = 0.0
        wrong: cython.double = 0.0
        for k in range(n):
            right += self.pull[k, said[k], 0]
            wrong += self.pull[k, said[k], 1]
        alpha = self._confidence(right, wrong, total)
        if self.members.n == 0:
            alpha = max(alpha, LEAST)
        if alpha > 1e-9:
            self.members.admit()
            self.window.admit(said)
            self._enter(self.members.n - 1, alpha)

    def _remove_smallest(self):
        m: cython.Py_ssize_t = self.members.n
        smallest: cython.Py_ssize_t = 0
        for j in range(m):
            if self.alpha[j] < self.alpha[smallest]:
                smallest = j
        for k in range(m - 1):
            self.index[k] = k if k < smallest else k + 1
        self._keep(m - 1)

    def _remove_negatives(self):
        for _ in range(5):
            n_kept: cython.Py_ssize_t = 0
            largest: cython.Py_ssize_t = 0
            for j in range(self.members.n):
                if self.alpha[j] >= 0.0:
                    self.index[n_kept] = j
                    n_kept += 1
                if self.alpha[j] > self.alpha[largest]:
                    largest = j
            if n_kept == self.members.n:
                return
            if n_kept == 0:
                self.index[0] = largest
                self._keep(1)
                self.alpha[0] = LEAST
                return
            self._keep(n_kept)
            self.update()

    def _keep(self, n_kept):
        for k in range(n_kept):
            self.alpha[k] = self.alpha[self.index[k]]
            self.id[k] = self.id[self.index[k]]
            self.born[k] = self.born[self.index[k]]
            for c in range(self.met.shape[1]):
                self.met[k, c] = self.met[self.index[k], c]
        self.window.keep(self.index, n_kept)
        self.members.keep(self.index, n_kept)

    def get_state(self):
        """Return everything the ensemble knows: arrays, numbers, its window and members."""
        return {
            **EvolvingLoss.get_state(self),
            "n_estimators": self.n_estimators,
            "period": self.period,
            "weight_clip": self.weight_clip,
            "add_always": bool(self.add_always),
            "add_on_error": bool(self.add_on_error),
            "update_always": bool(self.update_always),
            "update_before_add": bool(self.update_before_add),
            "remove_negative": bool(self.remove_negative),
            "min_window": self.min_window,
            "adwin": self.adwin,
        }

    def set_state(self, state):
        """Become the ensemble whose `get_state` this was."""
        self.adwin = state["adwin"]
        EvolvingLoss.set_state(self, state)
