# cython: infer_types=True
"""Online bagging whose members are watched by ADWIN."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.kernels.adwin import ADWIN
    from driftlearn.kernels.team import Team, poisson


@cython.cclass
class Bagging(Team):
    """Members that each learn a row Poisson(1) times, and a window of the errors of each.

    Parameters
    ----------
    n_features, n_classes : int
        As for `Team`.
    delta : float
        Confidence of the detectors.
    replace_fired : bool
        Replace every member whose detector fired, not just the worst of all.
    soft : bool
        Members vote with probabilities, not with labels.
    error_after : bool
        A member's error on a row is taken after it learned the row, not before.

    Notes
    -----
    A detector fires if it cuts its window and its mean is higher after the row than before it. It
    is fed errors: the member with the highest mean is the worst. A member that knows nothing yet
    is not tested.
    """

    def __init__(self, n_features, n_classes, delta, replace_fired, soft, error_after):
        Team.__init__(self, n_features, n_classes, 2)
        self.delta = delta
        self.replace_fired = replace_fired
        self.soft = soft
        self.error_after = error_after
        self.detectors = []
        self.n_replaced = 0
        self.fired = np.zeros(0, dtype=np.uint8)

    def add(self, learner):
        """Admit a learner that knows nothing, as the last, with a detector of its own."""
        self.detectors.append(None)
        Team.add(self, learner)
        self.fired = np.zeros(len(self.members), dtype=np.uint8)

    def replace(self, j, learner):
        """Put a learner that knows nothing in the place of a member, with a fresh detector."""
        Team.replace(self, j, learner)
        self.detectors[j] = ADWIN(self.delta)

    def drop(self, j):
        """Dismiss the member at position `j` and its detector."""
        Team.drop(self, j)
        del self.detectors[j]
        self.fired = np.zeros(len(self.members), dtype=np.uint8)

    def learn(self, X, y, w, u, fresh):
        """Learn all rows, in order; the arguments are those of `Boosting.learn`."""
        for i in range(X.shape[0]):
            if self._step(X, i, y[i], w[i], u):
                self._renew(i, fresh)
            self.n_rows += 1

    def _step(self, X, i, y, w, u):
        """Learn a row; return whether any detector fired."""
        says: cython.int = -1
        any_fired: cython.bint = False
        self.seen[y] = 1
        for j in range(self.numbers.shape[0]):
            detector = cython.cast(ADWIN, self.detectors[j])
            if not self.error_after:
                says = self._ask(j, X, i)
            k = poisson(u[i, j], 1.0)
            if k > 0:
                self._teach(j, X, i, y, k * w)
            if self.error_after:
                says = self._ask(j, X, i)
            self.fired[j] = False
            if says >= 0:
                before = detector.estimate
                if detector.update(1.0 if says != y else 0.0) and detector.estimate > before:
                    self.fired[j] = True
                    any_fired = True
        return any_fired

    def _renew(self, i, fresh):
        leavers = np.flatnonzero(self.fired) if self.replace_fired else [self.errors().argmax()]
        for j in leavers:
            self.replace(j, fresh(i))
            self.n_replaced += 1

    def errors(self):
        """Return the error of each member over its detector's window."""
        return np.array([detector.estimate for detector in self.detectors])

    def scores(self, X):
        """Return the votes: (rows, classes)."""
        if not self.soft:
            return Team.scores(self, X)
        scores = np.zeros((len(X), self.n_classes))
        probas = np.zeros_like(scores)
        for learner in self.members:
            learner.scores_many(X, probas)
            scores += probas
        return scores

    def get_state(self):
        """Return everything the ensemble knows: arrays, numbers, its learners and detectors."""
        return Team.get_state(self) | {
            "delta": self.delta,
            "replace_fired": bool(self.replace_fired),
            "soft": bool(self.soft),
            "error_after": bool(self.error_after),
            "detectors": list(self.detectors),
            "n_replaced": self.n_replaced,
        }

    def set_state(self, state):
        """Become the ensemble whose `get_state` this was."""
        Team.set_state(self, state)
        self.delta = float(state["delta"])
        self.replace_fired = bool(state["replace_fired"])
        self.soft = bool(state["soft"])
        self.error_after = bool(state["error_after"])
        self.detectors = list(state["detectors"])
        self.n_replaced = int(state["n_replaced"])
        self.fired = np.zeros(len(self.members), dtype=np.uint8)
