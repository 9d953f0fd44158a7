# cython: infer_types=True
"""Online boosting: a chain of members, each trained harder on what those before got wrong."""

import cython
import numpy as np
from cython.cimports.libc.math import fabs, log

if not cython.compiled:
    from driftlearn.kernels.sliding import Window
    from driftlearn.kernels.team import Team, labels, poisson

RIGHT = cython.declare(cython.int, 2)
WRONG = cython.declare(cython.int, 3)
TRAINED = cython.declare(cython.int, 4)


@cython.cclass
class Boosting(Team):
    """Oza and Russell's chain: a row's weight grows where a member is wrong, shrinks where right.

    Of every member two sums are kept: the weights that rows had when it was right about them and
    when it was wrong, after it had learned them.

    Notes
    -----
    A row's own weight `w` multiplies what a member learns and what the sums count; the weight
    that travels along the chain starts at 1 and never exceeds 100. A member that knows nothing
    yet is passed over.
    """

    def __init__(self, n_features, n_classes):
        Team.__init__(self, n_features, n_classes, 5)

    def learn(self, X, y, w, u, fresh):
        """Learn all rows, in order.

        Parameters
        ----------
        X, y, w : arrays
            Rows, class codes, weights.
        u : array of shape (rows, members)
            Uniform numbers; `fresh` may draw those of later rows anew.
        fresh : callable
            ``fresh(i)`` returns a new learner that row ``i`` calls for.
        """
        for i in range(X.shape[0]):
            self._step(X, i, y[i], w[i], u, fresh)
            self.n_rows += 1

    def _step(self, X, i, y, w, u, fresh):
        self._boost(X, i, y, w, u)

    def _boost(self, X, i, y, w, u):
        lam: cython.double = 1.0
        self.seen[y] = 1
        for j in range(self.numbers.shape[0]):
            k = poisson(u[i, j], lam)
            if k > 0:
                self._train(j, X, i, y, k * w)
            says = self._ask(j, X, i)
            if says < 0:
                continue
            self._count(j, says == y, lam * w)
            e = self._error(j)
            lam *= 1.0 / (2.0 * (1.0 - e)) if says == y else 1.0 / (2.0 * e)
            lam = min(lam, 100.0)

    def _train(self, j, X, i, y, w):
        self._teach(j, X, i, y, w)
        self.numbers[j, TRAINED] += 1.0

    def _count(self, j, is_right, weight):
        self.numbers[j, RIGHT if is_right else WRONG] += weight

    def _error(self, j):
        """Return the share of weight that a member was wrong about, 1/2 where there is none."""
        n = self.numbers[j, RIGHT] + self.numbers[j, WRONG]
        return self.numbers[j, WRONG] / n if n > 0.0 else 0.5

    def _vote_weight(self, j):
        n = self.numbers[j, RIGHT] + self.numbers[j, WRONG]
        if n == 0.0:
            return 0.0
        e = max(self.numbers[j, WRONG] / n, 1.0 / (2.0 * n))
        return log((1.0 - e) / e) if e < 0.5 else 0.0

    def weights(self):
        """Return what the vote of each member counts: log((1-e)/e), 0 where e is not below 1/2."""
        return np.array([self._vote_weight(j) for j in range(len(self.members))])

    def errors(self):
        """Return the share of weight that each member was wrong about."""
        right, wrong = np.asarray(self.numbers)[:, [RIGHT, WRONG]].T
        return np.where(right + wrong > 0, wrong / np.maximum(right + wrong, 1e-300), np.nan)


@cython.cclass
class NSBoosting(Boosting):
    """The chain with a window: a member without which the window's error is lower is replaced.

    Parameters
    ----------
    n_features, n_classes : int
        As for `Team`.
    window_size, period, maturity : int
        Rows of the window; rows between two judgements; rows with a draw that a member learns
        before it is judged and votes.
    """

    def __init__(self, n_features, n_classes, window_size, period, maturity):
        Boosting.__init__(self, n_features, n_classes)
        self.period = period
        self.maturity = maturity
        self.window = Window(n_features, n_classes, window_size)

    def _step(self, X, i, y, w, u, fresh):
        self._boost(X, i, y, w, u)
        self.window.append(X, i, y, w)
        if (self.n_rows + 1) % self.period == 0:
            worst = self._worst()
            if worst >= 0:
                self.drop(worst)
                self.add(fresh(i))

    def _worst(self):
        """Return the mature member whose absence helps most on the window, -1 if none's does."""
        mature = np.flatnonzero(np.asarray(self.numbers)[:, TRAINED] >= self.maturity)
        if len(mature) < 2:
            return -1
        rows = self.window.rows()
        said: cython.int[:, ::1] = np.vstack([labels(self.members[j], rows) for j in mature])
        weight: cython.double[::1] = np.array([self._vote_weight(j) for j in mature])
        self.without = np.zeros(len(mature) + 1)
        self._judge(said, weight)
        errors = np.asarray(self.without)
        best = errors[: len(mature)].argmin()
        return mature[best] if errors[best] < errors[len(mature)] else -1

    def _judge(self, said, weight):
        """Add up the window's errors of the vote without each member, and last with all.

        Only a member that voted for the winner can change it by leaving, and only in favour of
        the runner-up. The vote without it is added up anew where the difference is so small that
        rounding might decide.
        """
        M: cython.Py_ssize_t = weight.shape[0]
        for row in range(said.shape[1]):
            y = self.window.y[self.window.start + row]
            w = self.window.w[self.window.start + row]
            self.votes[:] = 0.0
            for j in range(M):
                if said[j, row] >= 0:
                    self.votes[said[j, row]] += weight[j]
            top = self._winner()
            second = self._runner_up(top)
            for j in range(M + 1):
                winner: cython.Py_ssize_t = top
                if j < M and said[j, row] == top and second >= 0:
                    rest: cython.double = self.votes[top] - weight[j]
                    other: cython.double = self.votes[second]
                    if fabs(rest - other) <= 1e-9 * self.votes[top]:
                        rest = 0.0
                        for k in range(M):
                            if k != j and said[k, row] == top:
                                rest += weight[k]
                    if rest < other or (rest == other and second < top):
                        winner = second
                if winner != y:
                    self.without[j] += w

    def _runner_up(self, top):
        best: cython.Py_ssize_t = -1
        for c in range(self.n_classes):
            if self.seen[c] and c != top and (best < 0 or self.votes[c] > self.votes[best]):
                best = c
        return best

    def weights(self):
        """Return what the vote of each member counts; once one is mature, only mature ones vote."""
        mature = np.asarray(self.numbers)[:, TRAINED] >= self.maturity
        return Boosting.weights(self) * (mature | ~mature.any())

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        Boosting.widen(self, positions, n_classes)
        self.window.widen(positions, n_classes)

    def get_state(self):
        """Return everything the ensemble knows: arrays, numbers, its learners and the window."""
        mine = {"period": self.period, "maturity": self.maturity, "window": self.window}
        return Boosting.get_state(self) | mine

    def set_state(self, state):
        """Become the ensemble whose `get_state` this was."""
        Boosting.set_state(self, state)
        self.period = int(state["period"])
        self.maturity = int(state["maturity"])
        self.window = state["window"]
