# cython: infer_types=True
"""The loop over rows of every boosted ensemble: ask, then learn; where that fails, undo."""

import cython

from driftlearn.io.schema import a, anything

if not cython.compiled:
    from driftlearn.base._engine import Engine
    from driftlearn.ensemble.boosting._boosted_committee import BoostedCommittee
    from driftlearn.ensemble.boosting._boosted_votes import soften_one


@cython.cclass
class BoostedEngine(Engine):
    """Base of the boosted ensembles, which write `learn_one` in verbs of the committee.

    Parameters
    ----------
    committee : BoostedCommittee
        The members, none yet.
    options : dict
        The parameters of the classifier, by their names there. `_prepare` reads them.
    """

    STATE = {"options": anything(), "committee": a(BoostedCommittee)}

    def __init__(self, committee, options):
        self.committee = committee
        self.options = options
        self._prepare()

    def learn(self, X, y, w, trainer=None, scores=None, sharpness=1.0):
        """Learn all rows, in order.

        If a base learner raises, its row leaves no trace; ``committee.n_rows`` says how far it
        went.

        Parameters
        ----------
        X, y, w : arrays
            Features, class codes, positive weights.
        trainer : ExternalTrainer, optional
            Trains the models that are external, and draws for the option `resample`.
        scores : array of shape (rows, classes), optional
            Where to write the scores of each row before it is learned.
        sharpness : float
            What votes are multiplied by to be logarithms of scores.
        """
        asked: cython.bint = scores is not None
        i: cython.Py_ssize_t
        wrong: cython.bint
        committee: BoostedCommittee = self.committee
        committee.models.begin(X, trainer)
        committee.trainer = trainer if self.options.get("resample") else None
        try:
            for i in range(X.shape[0]):
                committee.ask(X, i)
                wrong = committee.guess() != y[i]
                if asked:
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
        """Write the scores of the row in hand; the members have been asked."""
        self.committee.votes_now(scores)
        soften_one(scores, sharpness)

    def learn_one(self, X, i, y, w, wrong):
        """Learn row `i` of `X`, the row in hand; `wrong` says whether the ensemble erred on it."""
        raise NotImplementedError

    def may_train(self, wrong):
        """Say whether the row in hand may lead to a new member."""
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
        """Return the votes for all classes, (rows, classes); -inf where no row of it has come."""
        return self.committee.scores(X)

    def describe(self):
        """Return a table of the members, as a dict of columns."""
        return self.committee.describe()

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.committee.widen(positions, n_classes)


def snapshot(engine):
    """Return the states of the engines that this one is made of, and its own."""
    state = engine.get_state()
    parts = [part for part in state.values() if hasattr(part, "set_state")]
    return [*(saved for part in parts for saved in snapshot(part)), (engine, state)]


def go_back(saved):
    """Put back the states that a `snapshot` holds."""
    for engine, state in saved:
        engine.set_state(state)
