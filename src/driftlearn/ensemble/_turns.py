# cython: infer_types=True
"""Which member of an engine takes which rows of a block next.

A member may call for the end of a block, but only at rows where it looks at something (`ADWIN` at
every 32nd error). No other member may be beyond such a row before that is over. So a turn ends at
the nearest look of all, and who has it is served first: alone, each member goes from one of its
looks to the next in one turn, wherever those of the others are.
"""

import cython
import numpy as np


@cython.cclass
class Turns:
    """The turns of the members of one engine, block by block.

    Attributes
    ----------
    at : array
        The row that each member takes next.
    look : array
        The first row at which each may call for the end.
    busy : array
        Whether a turn of it is under way.
    owner : array
        The thread to which it belongs, so that a model stays in the cache of one processor.
    here : array
        Whether each thread has asked for a turn of this block.
    last : int
        The row before which the block ends; lower once somebody called for the end.
    n_left : int
        Members that have not come there.
    end : int
        The row before which the turn ends that was given last.
    """

    def __init__(self, m, most_threads):
        self.at, self.look, self.owner = np.zeros((3, m), dtype=np.intp)
        self.busy = np.zeros(m, dtype=np.uint8)
        self.here = np.zeros(most_threads, dtype=np.uint8)

    def begin(self, first, last, n_threads, longest):
        """Begin a block of rows, whose turns are of `longest` rows at most; say `expect` next."""
        m = self.at.shape[0]
        self.last = last
        self.n_left = m
        self.longest = longest
        self.here[:] = False
        for j in range(m):
            self.at[j] = first
            self.owner[j] = j * n_threads // m
            self.busy[j] = False

    def expect(self, j, rows):
        """Take note that member `j` will not call for the end before so many rows were taken."""
        self.look[j] = self.at[j] + rows - 1

    def take(self, who, others):
        """Give a thread a turn: return the member, -1 if there is none now.

        Its own members first, then those of threads that are not here; with `others`, any. The turn
        goes to before the row that `end` says.
        """
        nearest: cython.Py_ssize_t = self.last - 1
        best: cython.Py_ssize_t = -1
        self.here[who] = True
        for j in range(self.at.shape[0]):
            nearest = min(nearest, self.look[j])
        for j in range(self.at.shape[0]):
            owner = self.owner[j]
            if self.busy[j] or self.at[j] > nearest:
                continue
            if owner != who and self.here[owner] and not others:
                continue
            if best < 0 or self._is_before(j, best, who):
                best = j
        if best >= 0:
            self.busy[best] = True
            self.end = min(nearest + 1, self.at[best] + self.longest)
        return best

    def _is_before(self, j, k, who):
        """Say whether member `j` is to be served before another one."""
        if (self.owner[j] == who) != (self.owner[k] == who):
            return self.owner[j] == who
        if self.look[j] != self.look[k]:
            return self.look[j] < self.look[k]
        return self.at[j] < self.at[k]

    def give(self, j, end, stops):
        """Take back a turn that went to before row `end`, after which a member calls for the end.

        `expect` has to follow.
        """
        self.at[j] = end
        self.busy[j] = False
        if stops and end < self.last:
            self.last = end
            self.n_left = 0
            for k in range(self.at.shape[0]):
                self.n_left += self.at[k] < end
        elif end == self.last:
            self.n_left -= 1

    def any_busy(self):
        """Say whether a turn is under way."""
        n_busy: cython.int = 0
        for j in range(self.busy.shape[0]):
            n_busy += self.busy[j]
        return n_busy > 0
