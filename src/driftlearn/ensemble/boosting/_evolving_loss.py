# cython: infer_types=True
"""The loss of a boosted ensemble on a sliding window, and updates that reduce it."""

import cython
import numpy as np
from cython.cimports.libc.math import exp, log

if not cython.compiled:
    from driftlearn.ensemble.boosting._boosted_votes import gains_by_member, votes_by_row
    from driftlearn.ensemble.boosting._margin_steps import implicit_step, sigmoid
    from driftlearn.ensemble.boosting._subset_sums import look_up, pack, tabulate

INF = cython.declare(cython.double, np.inf)

# AdaBoost's step does not shrink as the loss vanishes. It is skipped if all margins exceed this
# bound: otherwise confidences would grow without limit during a long run of one class, and later
# rows could not undo this growth.
ENOUGH = cython.declare(cython.double, 30.0)

# limit on updates of all confidences per row; more would take minutes per row
MOST_UPDATES = 1_000_000

# Default learning rates by rule, update and loss. The equations as printed need much smaller rates,
# because they contain no safeguard against overshooting.
STEPS = {
    ("implicit", "stochastic", "exponential"): 0.03,
    ("implicit", "stochastic", "logistic"): 0.1,
    ("implicit", "batch", "exponential"): 0.3,
    ("implicit", "batch", "logistic"): 0.2,
    ("printed", "stochastic", "exponential"): 3e-4,
    ("printed", "stochastic", "logistic"): 3e-4,
    ("printed", "batch", "exponential"): 5e-5,
    ("printed", "batch", "logistic"): 5e-5,
}


@cython.final
@cython.cclass
class EvolvingLoss:
    """Loss of a committee on its sliding window, for two or more classes.

    With votes ``V_c(x)``, the sum of the confidences of the members that predict ``c``, a row of
    class ``y`` has one margin ``z_c = V_y - V_c`` for every other class, and the loss of the window
    is ``sum w exp(-z_c)``, or ``sum w log(1 + exp(-z_c))``. With two classes the margin is that of
    AdaBoost. The loss changes ("evolves") as the window slides.

    Parameters
    ----------
    committee : BoostedCommittee
        The members and the window.
    options : dict
        Parameters of `IBoostClassifier`: `loss`, `convention` and `update_when` for the weights,
        and for the updates `rule`, `update`, `step`, `n_updates` and `margin_clip`.

    Attributes
    ----------
    step : float
        The learning rate.
    weights : float array
        The weights of the window's rows, computed by `weigh`.
    """

    def __init__(self, committee, options):
        self.committee = committee
        self.window = committee.window
        self.logistic = options["loss"] == "logistic"
        literal = options.get("convention") == "literal"
        if literal and self.logistic:
            raise ValueError(
                'convention="literal" requires loss="exponential". Got loss="logistic".'
            )
        self.by_misses = literal and options["update_when"] == "never"
        self.halves = 2.0 if literal else 1.0
        self.printed = options["rule"] == "printed"
        self.batch = options["update"] == "batch"
        self.n_updates = options["n_updates"]
        self.margin_clip = options["margin_clip"]
        kind = options["rule"], options["update"], options["loss"]
        self.step = STEPS[kind] if options["step"] is None else options["step"]
        self.V = np.zeros((0, 0))
        self.sums = np.zeros((0, 2))

    def _make_room(self):
        """Allocate working arrays if the committee's shape has changed."""
        window, room = self.committee.window, self.committee.alpha.shape[0]
        n_classes, n_rows = window.n_classes, window.size
        if window is self.window and self.sums.shape[0] == room and self.V.shape[1] == n_classes:
            return
        self.window = window
        self.weights = np.zeros(n_rows)
        self.V = np.zeros((n_rows, n_classes))
        self.gain = np.zeros((n_rows, n_classes, 2))
        self.sums = np.zeros((room, 2))
        self.z = np.zeros(n_classes)
        self.a = np.zeros(n_classes)
        self.q = np.zeros(n_classes)
        self.moves = np.zeros(n_classes)
        self.said_by = np.zeros(n_classes, dtype=np.intp)
        n_bytes, m_bytes = (n_rows + 7) // 8, (room + 7) // 8
        self.by_member = np.zeros((n_bytes, 8 * m_bytes), dtype=np.uint8)
        self.by_row = np.zeros((m_bytes, 8 * n_bytes), dtype=np.uint8)
        self.table = np.zeros((max(n_bytes, m_bytes), 256))
        self.addends = np.zeros(8 * max(n_bytes, m_bytes))
        self.row_sums = np.zeros(n_rows)
        self.member_sums = np.zeros(room)

    # Row weights and the confidence of a candidate

    def weigh(self, clip):
        """Compute the row weights of the window from clipped margins; return their sum.

        A row's weight is the negative derivative of its loss, summed over its margins. The weights
        of the exponential loss are scaled by a common factor.

        With ``convention="literal"`` and confidences that are never updated, the weight of a row is
        ``exp(sum alpha [f != y])`` by equations 4, 15 and 16 of the paper: members that are right
        about the row do not contribute.
        """
        total: cython.double = 0.0
        self._make_room()
        self._votes(0)
        if self.by_misses:
            for i in range(self.window.n):
                self.V[i, self.window.y[self.window.start + i]] = 0.0
        self.lowest = INF
        for i in range(self.window.n):
            for k in range(self._margins(i, clip)):
                self.lowest = min(self.lowest, self.z[k])
        for i in range(self.window.n):
            total += self._weigh_row(i, clip, self.lowest)
        return total

    def confidence(self, predicted, total):
        """Return a candidate's confidence from its class codes `predicted` and the row weights."""
        right: cython.double = 0.0
        wrong: cython.double = 0.0
        for i in range(self.window.n):
            right += self.gain[i, predicted[i], 0]
            wrong += self.gain[i, predicted[i], 1]
        return self.halves * self._best(right, wrong, total)

    def _best(self, right, wrong, total):
        """Return 1/2 ln(right / wrong), with both bounded below by half an average row's weight."""
        if total == 0.0:
            return 0.0
        # With at least two rows, the floor is at most a quarter of the total.
        floor = total / (2 * max(2, self.window.n))
        right = min(max(right, floor), total - floor)
        wrong = min(max(wrong, floor), total - floor)
        return 0.5 * log(right / wrong)

    def _votes(self, first):
        """Sum the votes for the rows of the window from position `first` on."""
        start: cython.Py_ssize_t = self.window.start + first
        votes: cython.double[:, ::1] = self.V[first : self.window.n]
        m: cython.Py_ssize_t = self.committee.models.n
        votes_by_row(votes, self.window.codes[start:], self.committee.alpha, m)

    def _margins(self, row, clip):
        """Write the margins of a row to `z`; return their number.

        While only one class has been seen, the margin is taken against a hypothetical class without
        votes.
        """
        y = self.window.y[self.window.start + row]
        n: cython.Py_ssize_t = 0
        if self.committee.known.shape[0] == 1:
            self.z[0] = min(max(self.V[row, y], -clip), clip)
            return 1
        for k in range(self.committee.known.shape[0]):
            c = self.committee.known[k]
            if c != y:
                self.z[n] = min(max(self.V[row, y] - self.V[row, c], -clip), clip)
                n += 1
        return n

    def _weigh_row(self, i, clip, low):
        """Return the weight of a row, and fill in its `gain`.

        A member that predicts `c` for row `i` contributes ``gain[i, c, 0]`` to the weight of
        correct predictions and ``gain[i, c, 1]`` to the weight of wrong ones.
        """
        y = self.window.y[self.window.start + i]
        w = self.window.w[self.window.start + i]
        whole: cython.double = 0.0
        k: cython.Py_ssize_t = 0
        self._margins(i, clip)
        for c in range(self.committee.known.shape[0]):
            code = self.committee.known[c]
            if code != y or self.committee.known.shape[0] == 1:
                if self.logistic:
                    part = w * sigmoid(-self.z[k])
                else:
                    part = w * exp(low - self.z[k])
                self.gain[i, code, 0] = 0.0
                self.gain[i, code, 1] = part
                whole += part
                k += 1
        self.gain[i, y, 0] = whole
        self.gain[i, y, 1] = 0.0
        self.weights[i] = whole
        return whole

    def _gains(self, first):
        """Sum each member's `gain` over the rows of the window from position `first` on."""
        start: cython.Py_ssize_t = self.window.start + first
        m: cython.Py_ssize_t = self.committee.models.n
        gain: cython.double[:, :, ::1] = self.gain[first : self.window.n]
        gains_by_member(self.sums[:m], self.window.codes[start:], gain)

    # Updates of the confidences

    def update(self):
        """Update all confidences `n_updates` times."""
        if self.committee.models.n == 0:
            return
        self._make_room()
        if self.printed:
            self._step_as_printed()
        elif self.batch:
            self._step_of_adaboost()
        else:
            self._step_implicitly()

    def _step_as_printed(self):
        """Apply equations 13 and 14 of Grbovic and Vucetic (2011) as printed, times a rate."""
        alpha: cython.double[::1] = self.committee.alpha
        known: cython.Py_ssize_t[::1] = self.committee.known
        first: cython.Py_ssize_t = 0 if self.batch else self.window.n - 1
        for _ in range(self.n_updates):
            self._votes(first)
            for i in range(first, self.window.n):
                self._weigh_row(i, self.margin_clip, 0.0)
                for k in range(known.shape[0]):
                    self.gain[i, known[k], 0] -= self.gain[i, known[k], 1]
            self._gains(first)
            for j in range(self.committee.models.n):
                # Equations 13 and 14 with a learning rate: a step along the negative gradient of
                # the loss.
                alpha[j] += self.step * self.sums[j, 0]

    def _step_of_adaboost(self):
        """Move each confidence by AdaBoost's exact step divided by the number of members."""
        alpha: cython.double[::1] = self.committee.alpha
        m: cython.Py_ssize_t = self.committee.models.n
        if self.committee.known.shape[0] == 2:
            self._step_of_adaboost_two_classes()
            return
        for _ in range(self.n_updates):
            total = self.weigh(INF)
            if self.lowest > ENOUGH:
                return
            self._gains(0)
            for j in range(m):
                alpha[j] += self.step / m * self._best(self.sums[j, 0], self.sums[j, 1], total)

    def _step_of_adaboost_two_classes(self):
        """Fast `_step_of_adaboost` for two classes: one bit per prediction, tabulated sums."""
        alpha: cython.double[::1] = self.committee.alpha
        n: cython.Py_ssize_t = self.window.n
        m: cython.Py_ssize_t = self.committee.models.n
        start: cython.Py_ssize_t = self.window.start
        n_bytes: cython.Py_ssize_t = (n + 7) // 8
        m_bytes: cython.Py_ssize_t = (m + 7) // 8
        by_member: cython.uchar[:, ::1] = self.by_member[:n_bytes]
        by_row: cython.uchar[:, ::1] = self.by_row[:m_bytes]
        pack(self.window.codes[start:], self.window.y[start : start + n], m, by_member, by_row)
        for _ in range(self.n_updates):
            whole: cython.double = 0.0
            for j in range(8 * m_bytes):
                self.addends[j] = alpha[j] if j < m else 0.0
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
                alpha[j] += self.step / m * self._best(right, total - right, total)

    def _weigh_two_classes(self, whole):
        """Turn each row's sum of correct members' confidences into its weight; return the total."""
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

    def _step_implicitly(self):
        """Update the confidences by implicit gradient steps on the newest row.

        Confidences of members that are right change by ``s / m``, those of members that predict a
        wrong class ``c`` by ``-q_c s / m``. All updates are computed on the row's margins only.
        """
        row: cython.Py_ssize_t = self.window.n - 1
        newest = self.window.start + row
        y = self.window.y[newest]
        rate = self.step * self.window.w[newest]
        alpha: cython.double[::1] = self.committee.alpha
        known: cython.Py_ssize_t[::1] = self.committee.known
        m: cython.Py_ssize_t = self.committee.models.n
        self._votes(row)
        n: cython.Py_ssize_t = self._margins(row, INF)
        for c in range(self.window.n_classes):
            self.said_by[c] = 0
        for j in range(m):
            self.said_by[self.window.codes[newest, j]] += 1
        for _ in range(self.n_updates):
            s = self._length(y, n, rate)
            if s < 0.0:
                break
            k: cython.Py_ssize_t = 0
            for c in range(known.shape[0]):
                if known[c] != y:
                    self.moves[known[c]] = -(s * self.q[k] / m)
                    k += 1
            self.moves[y] = s / m
            for k in range(n):
                self.z[k] += s * self.a[k]
            for j in range(m):
                alpha[j] += self.moves[self.window.codes[newest, j]]

    def _length(self, y, n, rate):
        """Return the length of a step from the margins `z`; write the directions to `q` and `a`.

        Returns -1 if all logistic weights have vanished, so that no step reduces the loss.
        """
        low: cython.double = INF
        total: cython.double = 0.0
        m: cython.Py_ssize_t = self.committee.models.n
        for k in range(n):
            low = min(low, self.z[k])
        for k in range(n):
            self.q[k] = sigmoid(-self.z[k]) if self.logistic else exp(low - self.z[k])
            total += self.q[k]
        if total == 0.0:
            return -1.0
        k = 0
        if self.committee.known.shape[0] == 1:
            self.q[0] /= total
            self.a[0] = cython.cast(cython.double, self.said_by[y]) / m
        else:
            for c in range(self.committee.known.shape[0]):
                code = self.committee.known[c]
                if code != y:
                    self.q[k] /= total
                    self.a[k] = (self.said_by[y] + self.q[k] * self.said_by[code]) / m
                    k += 1
        if self.logistic:
            return rate * total
        return implicit_step(rate, self.z[:n], self.a[:n])

    # Diagnostics

    def row_weights(self):
        """Return the weights of the window's rows, oldest first, up to a common factor."""
        self.weigh(INF)
        return np.array(self.weights[: self.window.n])

    def log_value(self):
        """Return the logarithm of the window's loss."""
        self._make_room()
        here = slice(self.window.start, self.window.start + self.window.n)
        w, terms = np.asarray(self.window.w)[here], []
        self._votes(0)
        for i in range(self.window.n):
            n = self._margins(i, INF)
            z = np.array(self.z[:n])
            if self.logistic:
                terms.append(np.log(w[i]) + np.log(np.logaddexp(0.0, -z)))
            else:
                terms.append(np.log(w[i]) - z)
        return float(np.logaddexp.reduce(np.concatenate(terms)))
