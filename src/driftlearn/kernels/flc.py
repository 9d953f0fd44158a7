# cython: infer_types=True
"""Online boosting that watches its own errors."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.kernels.adwin import ADWIN
    from driftlearn.kernels.boosting import Boosting


@cython.cclass
class FLCBoosting(Boosting):
    """The chain with a detector of changes in the ensemble's own errors.

    Parameters
    ----------
    n_features, n_classes : int
        As for `Team`.
    detector : ADWIN or Deviation
        Fed the error of the vote on each row before it is learned.
    replace_worst : bool
        Whether a change also replaces the member with the largest error.
    """

    def __init__(self, n_features, n_classes, detector, replace_worst=False):
        Boosting.__init__(self, n_features, n_classes)
        self._watch(detector)
        self.replace_worst = replace_worst
        self.n_changes = 0

    def _watch(self, detector):
        self.adwin = detector if isinstance(detector, ADWIN) else None
        self.deviation = None if isinstance(detector, ADWIN) else detector

    @property
    def detector(self):
        """The detector of changes."""
        return self.deviation if self.adwin is None else self.adwin

    def _step(self, X, i, y, w, u, fresh):
        changed: cython.bint = False
        if self.n_rows > 0:
            error: cython.double = self._guess(X, i) != y
            if self.adwin is None:
                changed = self.deviation.update(error)
            else:
                changed = self.adwin.update(error)
        if not changed:
            self._boost(X, i, y, w, u)
            return
        self.n_changes += 1
        self._correct(X, i, y, w)
        if self.replace_worst:
            self.drop(int(np.argmax(self.errors())))
            self.add(fresh(i))

    def _guess(self, X, i):
        self.votes[:] = 0.0
        for j in range(self.numbers.shape[0]):
            weight = self._vote_weight(j)
            if weight > 0.0:
                says = self._ask(j, X, i)
                if says >= 0:
                    self.votes[says] += weight
        return self._winner()

    def _correct(self, X, i, y, w):
        """Teach each member the row with its own weight (1-e)/e, not one from the chain."""
        self.seen[y] = 1
        for j in range(self.numbers.shape[0]):
            e = min(max(self._error(j), 0.01), 0.5)
            lam = (1.0 - e) / e
            self._train(j, X, i, y, lam * w)
            self._count(j, self._ask(j, X, i) == y, lam * w)

    def get_state(self):
        """Return everything the ensemble knows: arrays, numbers, its learners and the detector."""
        mine = {"detector": self.detector, "n_changes": self.n_changes}
        return Boosting.get_state(self) | mine | {"replace_worst": bool(self.replace_worst)}

    def set_state(self, state):
        """Become the ensemble whose `get_state` this was."""
        Boosting.set_state(self, state)
        self._watch(state["detector"])
        self.replace_worst = bool(state["replace_worst"])
        self.n_changes = int(state["n_changes"])
