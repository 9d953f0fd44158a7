# cython: infer_types=True
"""Members of any make, trained and asked by a host in Python."""

import cython
import numpy as np

if not cython.compiled:
    from driftlearn.engines.fixed_models import Members


@cython.cclass
class Guests(Members):
    """Classifiers of any make. A host trains them and asks them about many rows in one go.

    The host has ``train(X, y, w) -> model`` and ``ask(model, X) -> codes``. What members say about
    the rows to come is asked for when `begin` names these rows, and when a candidate is trained.
    """

    def __init__(self):
        Members.__init__(self)
        self.can_fail = True
        self.models = []
        self.end()

    def begin(self, host, X):
        """Take note of the rows that `vote` will be asked about, and ask about all of them."""
        self.host = host
        self.rows = X
        self.ahead = self.ask(X, host).T

    def end(self):
        """Forget those rows."""
        self.host = None
        self.rows = None
        self.candidate = None
        self.candidate_ahead = None
        self.ahead = np.empty((0, 0), dtype=np.int16)

    def vote(self, X, i, codes, row):
        """Write the code each member gives row `i` of `X` into this row of `codes`."""
        for j in range(self.n):
            codes[row, j] = self.ahead[i, j]

    def train(self, window, weights, i, said):
        """Train a candidate on the window; write the codes it gives the window's rows."""
        X = window.rows().copy()
        self.candidate = self.host.train(X, window.labels().copy(), np.array(weights))
        codes = self.host.ask(self.candidate, np.concatenate([X, self.rows[i + 1 :]]))
        np.asarray(said)[:] = codes[: len(X)]
        self.candidate_ahead = np.zeros(len(self.rows), dtype=np.int16)
        self.candidate_ahead[i + 1 :] = codes[len(X) :]

    def admit(self):
        """Make the candidate the newest member."""
        self.models.append(self.candidate)
        ahead = np.asarray(self.ahead)
        if self.n == ahead.shape[1]:
            ahead = np.empty((len(self.rows), 2 * self.n + 1), dtype=np.int16)
            ahead[:, : self.n] = self.ahead
            self.ahead = ahead
        ahead[:, self.n] = self.candidate_ahead
        self.n += 1

    def keep(self, index, n_kept):
        """Keep the members at these ascending positions."""
        kept = np.array(index[:n_kept])
        self.models = [self.models[k] for k in kept]
        self.ahead = np.asarray(self.ahead)[:, kept]
        self.n = n_kept

    def fresh(self):
        """Return members of the same kind, none yet, for the same rows to come."""
        other = Guests()
        other.host = self.host
        other.rows = self.rows
        other.ahead = np.empty((len(self.rows), 0), dtype=np.int16)
        return other

    def ask(self, X, host=None, which=None):
        """Return the code each member, or each at these positions, gives each row."""
        chosen = self.models if which is None else [self.models[j] for j in which]
        codes = np.empty((len(chosen), len(X)), dtype=np.int16)
        for k, model in enumerate(chosen):
            codes[k] = host.ask(model, X)
        return codes

    def keys(self):
        """Return the models."""
        return list(self.models)

    def sizes(self):
        """Return each member's `size_`, None where there is no such thing."""
        return [getattr(model, "size_", None) for model in self.models]

    def get_state(self):
        """Return the models."""
        return {"models": list(self.models)}

    def set_state(self, state):
        """Become the members whose `get_state` this was."""
        Guests.__init__(self)
        self.models = list(state["models"])
        self.n = len(self.models)
