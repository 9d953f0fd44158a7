# cython: infer_types=True
"""Container for scikit-learn classifiers as members of a compiled boosting loop."""

import cython
import numpy as np

from driftlearn.ensemble.boosting._fixed_models import ListedModels
from driftlearn.io.schema import able, list_of


@cython.final
@cython.cclass
class ExternalModels(ListedModels):
    """Arbitrary classifiers, trained by an `ExternalTrainer`, that predict rows in batches.

    Calling Python once per row would be slow, so the upcoming rows are predicted in one batch when
    `begin` passes them, and again by each newly trained candidate.

    Parameters
    ----------
    book : ClassBook
        Maps labels to class codes; updated by the owner of the models.

    Attributes
    ----------
    models : list
        The models, oldest first.
    """

    STATE = {"book": able("codes"), "models": list_of(able("predict"))}

    def __init__(self, book):
        self.book = book
        self.models = []
        self._prepare()

    def _prepare(self):
        ListedModels._prepare(self)
        self.can_fail = True
        self.end()

    def begin(self, X, trainer):
        """Store the rows that `vote` will refer to, and predict all of them."""
        self.trainer = trainer
        self.rows = np.asarray(X)
        self.row = -1
        self.ahead = self.codes(self.rows)

    def end(self):
        """Release the rows passed to `begin`."""
        self.trainer = None
        self.rows = np.empty((0, 0))
        self.candidate = None
        self.candidate_ahead = None
        self.ahead = np.empty((0, 0), dtype=np.int16)

    def vote(self, X, i, codes):
        """Write each model's class code for row `i` of `X`, which becomes the current row."""
        self.row = i
        for j in range(self.n):
            codes[j] = self.ahead[j, i]

    def train(self, window, weights, test_window, predicted):
        """Train a candidate on a window; write its class codes for the rows of `test_window`."""
        X, next_row = test_window.rows().copy(), self.row + 1
        rows = X if test_window is window else window.rows()
        self.candidate = self.trainer.train(rows, window.labels().copy(), np.array(weights))
        codes_of_all = self.book.codes(self.candidate, np.concatenate([X, self.rows[next_row:]]))
        np.asarray(predicted)[:] = codes_of_all[: len(X)]
        self.candidate_ahead = np.zeros(len(self.rows), dtype=np.int16)
        self.candidate_ahead[next_row:] = codes_of_all[len(X) :]

    def admit(self):
        """Add the candidate as the newest model."""
        ahead = np.asarray(self.ahead)
        if self.n == len(ahead):
            ahead = np.empty((2 * self.n + 1, len(self.rows)), dtype=np.int16)
            ahead[: self.n] = self.ahead
            self.ahead = ahead
        ahead[self.n] = self.candidate_ahead
        ListedModels.admit(self)

    def keep(self, index, n_kept):
        """Keep the models at these ascending positions."""
        ListedModels.keep(self, index, n_kept)
        self.ahead = np.asarray(self.ahead)[np.array(index[:n_kept])]

    def _codes(self, model, X):
        return self.book.codes(model, X)

    def sizes(self):
        """Return `size_` of each model, None for models without this attribute."""
        return [getattr(model, "size_", None) for model in self.models]
