# cython: infer_types=True
"""The evolving loss of a window, and the updates of the confidences that make it smaller."""

import cython
import numpy as np
from cython.cimports.libc.math import exp, log

if not cython.compiled:
    from driftlearn.kernels.boosted import Boosted
    from driftlearn.kernels.margins import implicit_step, sigmoid
    from driftlearn.kernels.subsets import look_up, pack, tabulate
    from driftlearn.kernels.tallies import sum_by_member, tally

INF = cython.declare(cython.double, np.inf)
ENOUGH = cython.declare(cython.double, 30.0)


@cython.cclass
class EvolvingLoss(Boosted):
    """Boosted members whose confidences follow the loss of the window, for any number of classes.

    With votes ``V_c(x)``, the sum of the confidences of the members that say ``c``, a row of class
    ``y`` has one margin ``z_c = V_y - V_c`` for every other class, and the window has the loss
    ``sum w exp(-z_c)``, or ``sum w log(1 + exp(-z_c))``. With two classes the margin is that of
    AdaBoost.

    Parameters
    ----------
    window, members : Window, Members
        As for `Boosted`.
    options : dict
        `n_updates`, how many updates make a set; `batch`, whether they go by the whole window
        or its newest row; `logistic`, which loss; `step`, the rate; `printed`, whether they are
        S3's equations to the letter, with margins cut off at `margin_clip`.
    """

    def __init__(self, window, members, options):
        Boosted.__init__(self, window, members)
        self._set_options(options)
        self._make_room()

    def _set_options(self, options):
        self.n_updates = options["n_updates"]
        self.batch = options["batch"]
        self.logistic = options["logistic"]
        self.printed = options["printed"]
        self.step = options["step"]
        self.margin_clip = options["margin_clip"]

    def _make_room(self):
        """Make working space for as many members as `alpha` has room for."""
        n_classes = self.window.n_classes
        self.V = np.zeros((self.window.size, n_classes))
        self.pull = np.zeros((self.window.size, n_classes, 2))
        self.sums = np.zeros((self.alpha.shape[0], 2))
        self.z = np.zeros(max(1, n_classes))
        self.a = np.zeros(max(1, n_classes))
        self.q = np.zeros(max(1, n_classes))
        self.moves = np.zeros((self.n_updates, n_classes))
        self.said_by = np.zeros(n_classes, dtype=np.intp)
        self.weights = np.zeros(self.window.size)
        n_bytes, m_bytes = (self.window.size + 7) // 8, (self.alpha.shape[0] + 7) // 8
        self.by_member = np.zeros((n_bytes, 8 * m_bytes), dtype=np.uint8)
        self.by_row = np.zeros((m_bytes, 8 * n_bytes), dtype=np.uint8)
        self.table = np.zeros((max(n_bytes, m_bytes), 256))
        self.addends = np.zeros(8 * max(n_bytes, m_bytes))
        self.row_sums = np.zeros(self.window.size)
        self.member_sums = np.zeros(self.alpha.shape[0])

    def update(self):
        """Make one set of updates of all confidences."""
        if self.members.n == 0:
            return
        if self.printed:
            self._follow_gradient()
        elif self.batch:
            self._update_in_parallel()
        else:
            self._step_implicitly()

    def _tally(self, first):
        """Add up the votes for the rows of the window from number `first` on."""
        start: cython.Py_ssize_t = self.window.start + first
        votes: cython.double[:, ::1] = self.V[first : self.window.n]
        tally(votes, self.window.codes[start:], self.alpha, self.members.n)

    def _margins(self, row, clip):
        """Write the margins of a row; return how many there are.

        While only one class is known there is one nameless other class without votes.
        """
        y = self.window.y[self.window.start + row]
        n: cython.Py_ssize_t = 0
        if self.known.shape[0] == 1:
            self.z[0] = min(max(self.V[row, y], -clip), clip)
            return 1
        for k in range(self.known.shape[0]):
            c = self.known[k]
            if c != y:
                self.z[n] = min(max(self.V[row, y] - self.V[row, c], -clip), clip)
                n += 1
        return n

    def _weigh(self, clip):
        """Work out the weights of the window's rows, margins clipped; return their sum.

        ``pull[i, c]`` is what a member that says `c` about row `i` gets: ``pull[i, c, 0]`` if
        that is right, ``pull[i, c, 1]`` if it is wrong. Exponential weights have a common factor.
        """
        total: cython.double = 0.0
        self._tally(0)
        self.lowest = INF
        for i in range(self.window.n):
            for k in range(self._margins(i, clip)):
                self.lowest = min(self.lowest, self.z[k])
        for i in range(self.window.n):
            total += self._weigh_row(i, clip, self.lowest)
        return total

    def _weigh_row(self, i, clip, low):
        y = self.window.y[self.window.start + i]
        w = self.window.w[self.window.start + i]
        whole: cython.double = 0.0
        k: cython.Py_ssize_t = 0
        self._margins(i, clip)
        for c in range(self.known.shape[0]):
            code = self.known[c]
            if code != y or self.known.shape[0] == 1:
                if self.logistic:
                    part = w * sigmoid(-self.z[k])
                else:
                    part = w * exp(low - self.z[k])
                self.pull[i, code, 0] = 0.0
                self.pull[i, code, 1] = part
                whole += part
                k += 1
        self.pull[i, y, 0] = whole
        self.pull[i, y, 1] = 0.0
        self.weights[i] = whole
        return whole

    def _add_up(self, first):
        """Add up what each member gets for the rows of the window from number `first` on."""
        start: cython.Py_ssize_t = self.window.start + first
        pull: cython.double[:, :, ::1] = self.pull[first : self.window.n]
        sum_by_member(self.sums[: self.members.n], self.window.codes[start:], pull)

    def _confidence(self, right, wrong, total):
        """Return 1/2 ln(right / wrong), the errors at least half a row of the window."""
        if total == 0.0:
            return 0.0
        floor = total / (2 * max(2, self.window.n))
        right = min(max(right, floor), total - floor)
        wrong = min(max(wrong, floor), total - floor)
        return 0.5 * log(right / wrong)

    def _update_in_parallel(self):
        """Take for each member the step that AdaBoost would take, divided by their number.

        Such a step does not get shorter as the loss vanishes. It is not taken when all margins
        exceed `ENOUGH`, lest a long run of one class make its members immortal.
        """
        m: cython.Py_ssize_t = self.members.n
        if self.known.shape[0] == 2:
            self._update_two_classes()
            return
        for _ in range(self.n_updates):
            total = self._weigh(INF)
            if self.lowest > ENOUGH:
                return
            self._add_up(0)
            for j in range(m):
                step = self._confidence(self.sums[j, 0], self.sums[j, 1], total)
                self.alpha[j] += self.step / m * step

    def _update_two_classes(self):
        """Do the same where right and wrong are all there is: sums over subsets, by table."""
        n: cython.Py_ssize_t = self.window.n
        m: cython.Py_ssize_t = self.members.n
        start: cython.Py_ssize_t = self.window.start
        n_bytes: cython.Py_ssize_t = (n + 7) // 8
        m_bytes: cython.Py_ssize_t = (m + 7) // 8
        by_member: cython.uchar[:, ::1] = self.by_member[:n_bytes]
        by_row: cython.uchar[:, ::1] = self.by_row[:m_bytes]
        pack(self.window.codes[start:], self.window.y[start : start + n], m, by_member, by_row)
        for _ in range(self.n_updates):
            whole: cython.double = 0.0
            for j in range(8 * m_bytes):
                self.addends[j] = self.alpha[j] if j < m else 0.0
                whole += self.addends[j]
            tabulate(self.addends, self.table[:m_bytes])
            look_up(by_row, self.table[:m_bytes], self.row_sums[:n])
            total = self._weigh_two_classes(whole)
            if self.lowest > ENOUGH:
                return
            tabulate(self.addends, self.table[:n_bytes])
            look_up(by_member, self.table[:n_bytes], self.member_sums[:m])
            for j in range(m):
                right = self.member_sums[j]
                self.alpha[j] += self.step / m * self._confidence(right, total - right, total)

    def _weigh_two_classes(self, whole):
        """Turn each row's sum of confidences that are right into its weight; return the sum."""
        n: cython.Py_ssize_t = self.window.n
        total: cython.double = 0.0
        self.lowest = INF
        for i in range(n):
            right = self.row_sums[i]
            self.row_sums[i] = right - (whole - right)
            self.lowest = min(self.lowest, self.row_sums[i])
        for i in range(n):
            z = self.row_sums[i]
            share = sigmoid(-z) if self.logistic else exp(self.lowest - z)
            self.addends[i] = self.window.w[self.window.start + i] * share
            total += self.addends[i]
        for i in range(n, (n + 7) // 8 * 8):
            self.addends[i] = 0.0
        return total

    def _follow_gradient(self):
        """Equations 13 and 14 as they are printed, with a rate."""
        first: cython.Py_ssize_t = 0 if self.batch else self.window.n - 1
        for _ in range(self.n_updates):
            self._tally(first)
            for i in range(first, self.window.n):
                self._weigh_row(i, self.margin_clip, 0.0)
                for k in range(self.known.shape[0]):
                    self.pull[i, self.known[k], 0] -= self.pull[i, self.known[k], 1]
            self._add_up(first)
            for j in range(self.members.n):
                self.alpha[j] += self.step * self.sums[j, 0]

    def _step_implicitly(self):
        """Move the confidences for the newest row, all updates worked out on its margins.

        Members that are right move by ``s / m``, those that say ``c`` by ``-q_c s / m``.
        """
        row: cython.Py_ssize_t = self.window.n - 1
        newest = self.window.start + row
        y = self.window.y[newest]
        rate = self.step * self.window.w[newest]
        m: cython.Py_ssize_t = self.members.n
        self._tally(row)
        n: cython.Py_ssize_t = self._margins(row, INF)
        for c in range(self.window.n_classes):
            self.said_by[c] = 0
        for j in range(m):
            self.said_by[self.window.codes[newest, j]] += 1
        n_moves: cython.Py_ssize_t = 0
        for t in range(self.n_updates):
            s = self._next_step(y, n, rate)
            if s < 0.0:
                break
            k: cython.Py_ssize_t = 0
            for c in range(self.known.shape[0]):
                if self.known[c] != y:
                    self.moves[t, self.known[c]] = -(s * self.q[k] / m)
                    k += 1
            self.moves[t, y] = s / m
            for k in range(n):
                self.z[k] += s * self.a[k]
            n_moves += 1
        for t in range(n_moves):
            for j in range(m):
                self.alpha[j] += self.moves[t, self.window.codes[newest, j]]

    def _next_step(self, y, n, rate):
        """Return the length of a step from the margins `z`; leave the directions in `q`, `a`.

        -1 if there is nothing to gain: all logistic weights have vanished.
        """
        low: cython.double = INF
        total: cython.double = 0.0
        k: cython.Py_ssize_t
        m: cython.Py_ssize_t = self.members.n
        for k in range(n):
            low = min(low, self.z[k])
        for k in range(n):
            self.q[k] = sigmoid(-self.z[k]) if self.logistic else exp(low - self.z[k])
            total += self.q[k]
        if total == 0.0:
            return -1.0
        k = 0
        if self.known.shape[0] == 1:
            self.q[0] /= total
            self.a[0] = cython.cast(cython.double, self.said_by[y]) / m
        else:
            for c in range(self.known.shape[0]):
                code = self.known[c]
                if code != y:
                    self.q[k] /= total
                    self.a[k] = (self.said_by[y] + self.q[k] * self.said_by[code]) / m
                    k += 1
        if self.logistic:
            return rate * total
        return implicit_step(rate, self.z[:n], self.a[:n])

    def row_weights(self):
        """Return the weights of the window's rows, oldest first; a common factor is left out."""
        self._weigh(INF)
        return np.array(self.weights[: self.window.n])

    def log_loss(self):
        """Return the logarithm of the window's loss."""
        here = slice(self.window.start, self.window.start + self.window.n)
        w, terms = np.asarray(self.window.w)[here], []
        self._tally(0)
        for i in range(self.window.n):
            n = self._margins(i, INF)
            z = np.array(self.z[:n])
            if self.logistic:
                terms.append(np.log(w[i]) + np.log(np.logaddexp(0.0, -z)))
            else:
                terms.append(np.log(w[i]) - z)
        return float(np.logaddexp.reduce(np.concatenate(terms)))

    def get_state(self):
        """Return everything the ensemble knows: arrays, numbers, its window and members."""
        return {
            **Boosted.get_state(self),
            "n_updates": self.n_updates,
            "batch": bool(self.batch),
            "logistic": bool(self.logistic),
            "printed": bool(self.printed),
            "step": self.step,
            "margin_clip": self.margin_clip,
        }

    def set_state(self, state):
        """Become the ensemble whose `get_state` this was."""
        self._set_options(state)
        Boosted.set_state(self, state)
