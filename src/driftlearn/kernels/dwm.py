# cython: infer_types=True
"""Dynamic weighted majority: experts whose weight falls with every mistake that is looked at."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.kernels.sliding import Window
    from driftlearn.kernels.team import Team

WEIGHT = cython.declare(cython.int, 2)
ASKED = cython.declare(cython.int, 3)
WRONG = cython.declare(cython.int, 4)


@cython.cclass
class Majority(Team):
    """Experts with weights; a wrong vote of all brings a new one, a low weight ends an old one.

    Parameters
    ----------
    n_features, n_classes : int
        As for `Team`.
    beta, theta : float
        What a mistake multiplies a weight by; the weight below which an expert goes.
    period : int
        Rows between two changes of membership.
    limit : int
        The most experts; 0 for no limit.
    window_size : int
        Rows that a new expert learns at once; 0 for the original algorithm, which has no window,
        looks at mistakes only every `period` rows and lets a new expert begin with the row.
    online_update : bool
        Whether the older experts of the windowed algorithm go on learning.

    Notes
    -----
    The last expert is never dismissed: where all weights are below `theta` the heaviest stays.
    """

    def __init__(
        self, n_features, n_classes, beta, theta, period, limit, window_size, online_update
    ):
        Team.__init__(self, n_features, n_classes, 5)
        self.beta = beta
        self.theta = theta
        self.period = period
        self.limit = limit
        self.online_update = online_update
        self.window = None
        if window_size > 0:
            self.window = Window(n_features, n_classes, window_size)

    def replace(self, j, learner):
        """Put a learner that knows nothing in the place of a member, with weight 1."""
        Team.replace(self, j, learner)
        self.numbers[j, WEIGHT] = 1.0

    def learn(self, X, y, w, fresh):
        """Learn all rows, in order; ``fresh()`` returns a new learner."""
        for i in range(X.shape[0]):
            self.seen[y[i]] = 1
            if self.window is None:
                self._original(X, i, y[i], w[i], fresh)
            else:
                self._windowed(X, i, y[i], w[i], fresh)
            self.n_rows += 1

    def _original(self, X, i, y, w, fresh):
        if (self.n_rows + 1) % self.period == 0 and self.n_rows > 0:
            wrong = self._judge(X, i, y)
            self._scale()
            self._dismiss()
            if wrong:
                self._admit(fresh)
        for j in range(self.numbers.shape[0]):
            self._teach(j, X, i, y, w)

    def _windowed(self, X, i, y, w, fresh):
        newest: cython.Py_ssize_t = 0 if self.n_rows == 0 else -1
        if self.n_rows > 0:
            wrong = self._judge(X, i, y)
            if (self.n_rows + 1) % self.period == 0:
                self._dismiss()
                if wrong:
                    self._admit(fresh)
                    newest = self.numbers.shape[0] - 1
                    self._teach_window(newest)
        for j in range(self.numbers.shape[0]):
            if self.online_update or j == newest:
                self._teach(j, X, i, y, w)
        self._scale()
        for j in range(self.numbers.shape[0]):
            self.numbers[j, WEIGHT] = max(self.numbers[j, WEIGHT], 1e-12)
        self.window.append(X, i, y, w)

    def _teach_window(self, j):
        window = self.window
        leaving: cython.Py_ssize_t = window.n == window.size
        for row in range(window.start + leaving, window.start + window.n):
            self._teach(j, window.X, row, window.y[row], window.w[row])

    def _judge(self, X, i, y):
        """Lower the weight of those who are wrong about a row; return whether the vote is."""
        self.votes[:] = 0.0
        for j in range(self.numbers.shape[0]):
            says = self._ask(j, X, i)
            self.numbers[j, ASKED] += 1.0
            if says != y:
                self.numbers[j, WEIGHT] *= self.beta
                self.numbers[j, WRONG] += 1.0
            if says >= 0:
                self.votes[says] += self.numbers[j, WEIGHT]
        return self._winner() != y

    def _scale(self):
        largest: cython.double = 0.0
        for j in range(self.numbers.shape[0]):
            largest = max(largest, self.numbers[j, WEIGHT])
        for j in range(self.numbers.shape[0]):
            self.numbers[j, WEIGHT] /= largest

    def _dismiss(self):
        weight = self.weights()
        light = np.flatnonzero(weight < self.theta)
        if len(light) == len(weight):
            light = np.delete(light, weight.argmax())
        for j in light[::-1]:
            self.drop(j)

    def _admit(self, fresh):
        if len(self.members) == self.limit:
            self.drop(int(self.weights().argmin()))
        self.add(fresh())

    def weights(self):
        """Return the weights of the experts."""
        return np.array(self.numbers[:, WEIGHT])

    def errors(self):
        """Return how often each expert was wrong when it was looked at."""
        asked, wrong = np.asarray(self.numbers)[:, [ASKED, WRONG]].T
        return np.where(asked > 0, wrong / np.maximum(asked, 1.0), np.nan)

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        Team.widen(self, positions, n_classes)
        if self.window is not None:
            self.window.widen(positions, n_classes)

    def get_state(self):
        """Return everything the ensemble knows: arrays, numbers, its learners and the window."""
        return Team.get_state(self) | {
            "beta": self.beta,
            "theta": self.theta,
            "period": self.period,
            "limit": self.limit,
            "online_update": bool(self.online_update),
            "window": self.window,
        }

    def set_state(self, state):
        """Become the ensemble whose `get_state` this was."""
        Team.set_state(self, state)
        self.beta = float(state["beta"])
        self.theta = float(state["theta"])
        self.period = int(state["period"])
        self.limit = int(state["limit"])
        self.online_update = bool(state["online_update"])
        self.window = state["window"]
