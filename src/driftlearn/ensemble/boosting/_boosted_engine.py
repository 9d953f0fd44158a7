# cython: infer_types=True
"""The prequential training loop of the boosted ensembles, with rollback on failure."""

import cython

from driftlearn.io.schema import a, anything

if not cython.compiled:
    from driftlearn.base._engine import Engine
    from driftlearn.ensemble.boosting._boosted_committee import BoostedCommittee
    from driftlearn.ensemble.boosting._boosted_votes import soften_one


@cython.cclass
class BoostedEngine(Engine):
    """Base class of boosting engines; a subclass implements `learn_one` using the committee.

    Parameters
    ----------
    committee : BoostedCommittee
        The members; initially none.
    options : dict
        The classifier's parameters by name, read by `_prepare`.
    """

    STATE = {"options": anything(), "committee": a(BoostedCommittee)}

    def __init__(self, committee, options):
        self.committee = committee
        self.options = options
        self._prepare()

    def learn(self, X, y, w, trainer=None, scores=None, sharpness=1.0):
        """Predict each row, then train on it, in order.

        If a base learner raises, the state before its row is restored; ``committee.n_rows`` is the
        number of rows completed.

        Parameters
        ----------
        X, y, w : arrays
            Features, class codes, positive weights.
        trainer : ExternalTrainer, optional
            Trains external models and draws the samples of the option `resample`.
        scores : array of shape (rows, classes), optional
            Output: the scores of each row before training on it.
        sharpness : float
            Factor by which votes are multiplied to obtain log-probabilities.
        """
        needs_scores: cython.bint = scores is not None
        wrong: cython.bint
        committee: BoostedCommittee = self.committee
        committee.models.begin(X, trainer)
        committee.trainer = trainer if self.options.get("resample") else None
        try:
            for i in range(X.shape[0]):
                committee.predict_row(X, i)
                wrong = committee.guess() != y[i]
                if needs_scores:
                    self.score(scores[i], sharpness)
                if committee.models.can_fail and self.may_train(wrong):
                    self._learn_or_undo(X, i, y[i], w[i], wrong, trainer)
                else:
                    self.learn_one(X, i, y[i], w[i], wrong)
                committee.n_rows += 1
        finally:
            committee.models.end()
            committee.trainer = None

    def score(self, scores, sharpness):
        """Write the scores of the current row, after the committee's `predict_row` and `guess`."""
        self.committee.votes_now(scores)
        soften_one(scores, sharpness)

    def learn_one(self, X, i, y, w, wrong):
        """Train on row `i` of `X`, the current row, which the ensemble misclassified if `wrong`."""
        raise NotImplementedError

    def may_train(self, wrong):
        """Return whether training on the current row may add a member."""
        return True

    def _learn_or_undo(self, X, i, y, w, wrong, trainer):
        before = snapshot(self)
        mark = trainer.mark()
        try:
            self.learn_one(X, i, y, w, wrong)
        except BaseException:
            go_back(before)
            trainer.back_to(mark)
            raise

    def scores(self, X):
        """Return the votes, shape (rows, classes); -inf for classes not seen yet."""
        return self.committee.scores(X)

    def describe(self):
        """Return a table of the members, as a dict of columns."""
        return self.committee.describe()

    def widen(self, positions, n_classes):
        """Adapt to `n_classes` classes, where old class ``c`` becomes ``positions[c]``."""
        self.committee.widen(positions, n_classes)


def snapshot(engine):
    """Return (engine, state) pairs of this engine and all engines in it, innermost first."""
    state = engine.get_state()
    parts = [part for part in state.values() if hasattr(part, "set_state")]
    return [*(saved for part in parts for saved in snapshot(part)), (engine, state)]


def go_back(saved):
    """Restore the states of a `snapshot`."""
    for engine, state in saved:
        engine.set_state(state)
