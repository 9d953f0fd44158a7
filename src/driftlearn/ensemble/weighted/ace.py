# cython: infer_types=True
"""ACE, the adaptive classifiers-ensemble system."""

from __future__ import annotations

from math import log10
from numbers import Integral, Real
from typing import Any

import cython
import numpy as np
from cython.cimports.libc.math import pow
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

if not cython.compiled:
    from driftlearn.base._engine import Engine
    from driftlearn.base._online_model import OnlineModel
    from driftlearn.ensemble._online_committee import OnlineCommittee
    from driftlearn.ensemble._row_window import RowWindow
    from driftlearn.ensemble.weighted._answer_window import AnswerWindow
    from driftlearn.utils._row_pointers import row_at

from driftlearn.base.base_learners import columns_of
from driftlearn.base.class_weight import CLASS_WEIGHT
from driftlearn.base.one_model import OneModelClassifier
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.validation import takes_missing
from driftlearn.ensemble._committee_checks import check_columns, check_window
from driftlearn.ensemble._external_trainer import ExternalTrainer
from driftlearn.ensemble._fixed_model import FixedModel
from driftlearn.ensemble._online_committee import MOST_ROWS
from driftlearn.ensemble.online_classifier import OnlineClassifier
from driftlearn.ensemble.weighted._answer_window import wilson
from driftlearn.io.schema import LARGEST, InvalidStateError, a, integer, parameters
from driftlearn.naive_bayes.gaussian_nb import GaussianNBClassifier
from driftlearn.tree._fixed_tree import FixedTree
from driftlearn.tree.cart import CARTClassifier

WEIGHT = cython.declare(cython.int, 2)
UNASKED = 0.5  # error of a model that was never asked
MOST_DIGITS = 100  # of a weight: sums of weights and their products stay finite


@cython.annotation_typing(False)
class ACEClassifier(OnlineClassifier):
    """ACE: one model that learns every row, and fixed ones that remember earlier rules.

    Every `chunk_size` rows, and at a drift, a member is trained on the rows since the last one and
    never changed again. Beside them an online model learns each row. Votes count by how often
    models were right lately: a rule that comes back finds those that know it after a few rows. A
    drift is where the best model of a window is worse in the next than by chance.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner of the members; `CARTClassifier` by default, which runs compiled, as do
        `GaussianNBClassifier` and `HoeffdingTreeClassifier`. Any other is asked row by row at its
        own speed. One that takes no weights is trained on a draw by them; rows of one class
        that it would refuse give a constant.
    n_estimators : int or None, default=50
        The most members besides the online model; where there is no room the one that was right
        least often lately goes. None is no limit.
    online : classifier with `partial_fit`, optional
        The online model; `GaussianNBClassifier` by default.
    chunk_size : int, default=500
        The most rows that a member is trained on.
    window_size : int, default=50
        Answers over which a model's accuracy is taken: the fewer, the sooner a rule is known again,
        and the more noise does.
    alpha : float, default=1e-4
        A drift is an accuracy below Wilson's interval of ``1 - alpha`` around that of the window
        before: the smaller, the fewer false alarms.
    power : float, default=5.0
        A vote counts ``error ** -power``, with an error of at least ``1 / (2 * window_size)``: 0
        makes all alike, a high power lets the best speak alone.
    restart : {"drift", "chunk", "never"}, default="drift"
        When the online model begins anew: at a drift, with every new member, as printed, or never.
    vote : {"soft", "majority"}, default="soft"
        Models vote with probabilities, or with labels, as printed.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), of the n rows and k classes so far; at most 100.
    random_state : int, Generator, RandomState or None
        Seeds base learners that are random; the algorithm itself is not.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        The online model, then the members, oldest first: ``id``, ``created_at`` (the row),
        ``weight`` (of its vote), ``error`` (over the window; nan if it was never asked),
        ``classes`` (the labels it has learned), ``size``, ``bytes``.
    n_members_, n_rows_, n_drifts_ : int
        The number of members, the online model among them; of rows learned; of drifts found.
    estimators_ : list
        Their models.
    history_ : History
        The voting weights every 200 rows, later every 400, and so on.
    committee_, engine_ : OnlineCommittee, ACE
        The models and what is kept of each; the compiled algorithm.

    Notes
    -----
    Written from memory of [1]_ and [2]_. Until its first answer a member counts as right every
    other time. Who has to go does so before the new one comes. At a drift answers before the newest
    window are forgotten. As published: `ACEClassifier.as_published()`: ``chunk_size=200``,
    ``window_size=30``, ``alpha=0.01``, ``power=3.0``, ``restart="chunk"``, ``vote="majority"``.

    References
    ----------
    .. [1] K. Nishida, K. Yamauchi, T. Omori, "ACE: Adaptive Classifiers-Ensemble System for
       Concept-Drifting Environments", Multiple Classifier Systems, 2005, doi:10.1007/11494683_18.
    .. [2] K. Nishida, "Learning and Detecting Concept Drift", Hokkaido University, 2008.

    Examples
    --------
    >>> from driftlearn import ACEClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(thresholds=(8, 9.5, 8, 9.5), n_rows=8_000, noise=0.0, random_state=0)
    >>> model = ACEClassifier()
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.977
    >>> model.n_members_
    17
    """

    PUBLISHED = {"chunk_size": 200, "window_size": 30, "alpha": 0.01, "power": 3.0,
                 "restart": "chunk", "vote": "majority"}  # fmt: skip
    STATE = {**OnlineClassifier.STATE, "engine_": a("ACE")}
    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left"), None],
        "online": [HasMethods(["partial_fit", "predict"]), None],
        "chunk_size": [Interval(Integral, 1, LARGEST, closed="both")],
        "window_size": [Interval(Integral, 1, LARGEST // 2, closed="both")],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "power": [Interval(Real, 0, 100, closed="both")],
        "restart": [StrOptions({"drift", "chunk", "never"})],
        "vote": [StrOptions({"soft", "majority"})],
        "class_weight": CLASS_WEIGHT,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int | None = 50,
        *,
        online: Any = None,
        chunk_size: int = 500,
        window_size: int = 50,
        alpha: float = 1e-4,
        power: float = 5.0,
        restart: str = "drift",
        vote: str = "soft",
        class_weight: Any = None,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.online = online
        self.chunk_size = chunk_size
        self.window_size = window_size
        self.alpha = alpha
        self.power = power
        self.restart = restart
        self.vote = vote
        self.class_weight = class_weight
        self.random_state = random_state

    @property
    def n_drifts_(self) -> int:
        """Drifts found so far."""
        self._check_fitted()
        return int(self.engine_.n_drifts)

    def _base_learner(self) -> Any:
        return GaussianNBClassifier() if self.online is None else self.online

    def _batch_learner(self) -> Any:
        return CARTClassifier() if self.estimator is None else self.estimator

    def _options(self) -> dict[str, Any]:
        options = super()._options()
        del options["online"]
        return options

    def _validate_params(self) -> None:
        super()._validate_params()
        check_weights(self.window_size, self.power)

    def _begin(self) -> None:
        batch = self._batch_learner()
        if isinstance(batch, StreamClassifier):
            batch._validate_params()
        super()._begin()
        self.committee_ = self._new_committee("weight")
        self.committee_.add(
            self._new_model(), weight=UNASKED**-self.power, answers=AnswerWindow(self.window_size)
        )
        self.engine_ = ACE(self.committee_, self._options())

    def _takes_missing(self) -> bool:
        return super()._takes_missing() and takes_missing(self._batch_learner())

    def _check_features(self, X: np.ndarray) -> None:
        super()._check_features(X)
        batch = self._batch_learner()
        if isinstance(batch, StreamClassifier):
            batch._check_features(X)

    def _new_member(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> OnlineModel:
        """Return a model of `estimator` that was trained on these rows and is fixed now."""
        trainer = ExternalTrainer(self._batch_learner(), self.classes_, self.rng_)
        mark = trainer.mark()
        try:
            model = trainer.train(X, y, w)
        except BaseException:
            trainer.back_to(mark)
            raise
        d, C = self.n_features_in_, len(self.classes_)
        if type(model) is CARTClassifier:
            return FixedTree(d, C, model._arrays(d), columns_of(model, self.classes_))
        if isinstance(model, OneModelClassifier):
            model._meet(self.classes_)
            return model.model_
        return FixedModel(model, w.sum(), d, self.class_book_)

    def _learn_rows(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, scores: np.ndarray | None = None
    ) -> None:
        self.engine_.learn(X, y, w, self._new_model, self._new_member, scores)


@cython.cclass
class ACE(Engine):
    """An online model, fixed members, how each did lately, and the rows for the next member.

    Parameters
    ----------
    committee : OnlineCommittee
        The online model, with its `AnswerWindow`, ``"answers"``; members come behind it, oldest
        first.
    options : dict
        The classifier's parameters.

    Attributes
    ----------
    buffer : RowWindow
        The rows that the next member is trained on.
    """

    STATE = {
        "committee": a(OnlineCommittee),
        "options": parameters(ACEClassifier, "online"),
        "buffer": a(RowWindow),
        "n_drifts": integer(0, MOST_ROWS),
    }

    def __init__(self, committee, options):
        self.committee = committee
        self.options = options
        shape = committee.n_features, committee.n_classes
        self.buffer = RowWindow(*shape, options["chunk_size"])
        self.n_drifts = 0
        self._prepare()

    @staticmethod
    def check_state(state):
        """Raise ValueError unless there is an online model, and all have their windows."""
        committee, options = state["committee"], state["options"]
        check_columns(committee, ["weight"])
        check_window(committee, state["buffer"])
        check_weights(options["window_size"], options["power"])
        answers = committee.objects.get("answers", [])
        if not 0 < len(committee) == len(answers) or not all(
            isinstance(each, AnswerWindow) and each.size == options["window_size"]
            for each in answers
        ):
            raise InvalidStateError("a member of ACE has no window of answers")
        if state["buffer"].size != options["chunk_size"]:
            raise InvalidStateError("ACE with a buffer of another size than its chunks")

    def _prepare(self):
        self.window = self.options["window_size"]
        self.chunk_size = self.options["chunk_size"]
        self.power = self.options["power"]
        self.soft = self.options["vote"] == "soft"
        self.lowest = wilson(self.window, self.options["alpha"])
        self.votes = np.zeros(self.committee.n_classes)
        self.said = np.zeros(len(self.committee), dtype=np.int32)

    def learn(self, X, y, w, new_model, new_member, scores=None):
        """Learn all rows, in order; write the votes on each before that to `scores`, if given.

        ``new_model()`` returns an online model that knows nothing, ``new_member(X, y, w)`` one that
        was trained on these rows. A row is whole before a member is trained; where that fails, it
        is tried again after the next row, with that one in the place of the oldest.
        """
        votes = self.votes
        asked: cython.bint = scores is not None
        committee = self.committee
        for i in range(X.shape[0]):
            if asked:
                votes = scores[i]
            votes[:] = 0.0
            for j in range(committee.numbers.shape[0]):
                self.said[j] = self._ask(j, X, i, votes)
            committee.update_row(0, row_at(X, i), y[i], w[i])
            committee.mark_seen(y[i])
            self._judge(y[i])
            self.buffer.append(X, i, y[i], w[i])
            committee.n_rows += 1
            self._grow(new_model, new_member)

    def _judge(self, y):
        """Take note of who was right about a row of class `y`; weigh everybody by that."""
        least: cython.double = 1.0 / (2 * self.window)
        windows: list = self.committee.objects["answers"]
        for j in range(self.committee.numbers.shape[0]):
            if self.said[j] >= 0:
                window = cython.cast(AnswerWindow, windows[j])
                window.update(self.said[j] == y)
                weight = pow(max(1.0 - window.share(), least), -self.power)
                self.committee.numbers[j, WEIGHT] = weight

    def _ask(self, j, X, i, votes):
        """Add the vote of a model on row `i`; return its class, or -1 if it knows nothing yet."""
        best: cython.int = -1
        highest: cython.double = 0.0
        weight = self.committee.numbers[j, WEIGHT]
        probas = self.committee.votes
        if self.soft:
            cython.cast(OnlineModel, self.committee.models[j]).scores_one(X, i, probas)
            for c in range(probas.shape[0]):
                votes[c] += weight * probas[c]
                if probas[c] > highest:
                    best = c
                    highest = probas[c]
        else:
            best = self.committee.predict_row(j, row_at(X, i))
            if best >= 0:
                votes[best] += weight
        return best

    def _drifts(self):
        """Say whether the model that was best in the window before is worse now than by chance."""
        windows: list = self.committee.objects["answers"]
        best: AnswerWindow = None
        for each in windows:
            window = cython.cast(AnswerWindow, each)
            if window.kept == 2 * self.window and (best is None or window.before > best.before):
                best = window
        if best is None:
            return False
        right: cython.double = best.right
        return best.right < best.before and right / self.window < self.lowest[best.before]

    def _grow(self, new_model, new_member):
        """Train a member on the buffer where it is full or something drifted, and empty it."""
        full: cython.bint = self.buffer.n >= self.chunk_size
        if full or self.buffer.n >= self.window:
            drift = self._drifts()
            if full or drift:
                self._renew(drift, new_model, new_member)

    def _renew(self, drift, new_model, new_member):
        """Let the rows of the buffer become a member; after a drift forget what was before."""
        committee, buffer, restart = self.committee, self.buffer, self.options["restart"]
        weights = np.array(buffer.w[buffer.start : buffer.start + buffer.n])
        member = new_member(buffer.rows().copy(), buffer.labels().copy(), weights)
        anew = restart == "chunk" or (drift and restart == "drift")
        model, born = new_model() if anew else None, committee.n_rows
        if len(committee) - 1 == self.options["n_estimators"]:
            accuracies = [window.accuracy for window in committee["answers"]]
            committee.drop(1 + int(np.argmin(accuracies[1:])))
        fresh = AnswerWindow(self.window)
        committee.add(member, created_at=born, weight=UNASKED**-self.power, answers=fresh)
        np.asarray(committee.member_classes)[len(committee) - 1] = np.asarray(buffer.count) > 0
        buffer.shrink(0)
        if drift:
            self.n_drifts += 1
            for window in committee["answers"]:
                window.forget_older()
        if anew:  # answers stay with the place
            kept = {name: committee[name][0] for name in ("weight", "answers")}
            committee.replace(0, model, created_at=born, **kept)
        self.said = np.zeros(len(committee), dtype=np.int32)

    def scores(self, X):
        """Return the votes: (rows, classes)."""
        vote = self.committee.blend if self.soft else self.committee.tally
        return vote(X, self.committee["weight"])

    def describe(self):
        """Return a table of the members, as a dict of columns."""
        windows = self.committee["answers"]
        errors = [1.0 - window.accuracy if window.asked else np.nan for window in windows]
        return self.committee.describe(errors=errors)

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        self.committee.widen(positions, n_classes)
        self.buffer.widen(positions, n_classes)
        self._prepare()


def check_weights(window_size, power):
    """Raise ValueError if the weight of a model that is always right is beyond all bounds."""
    if power * log10(2 * window_size) > MOST_DIGITS:
        raise ValueError(
            f"power={power} is too much for window_size={window_size}: the weight of a model that "
            f"is always right, (2 * window_size) ** power, must not be above 1e{MOST_DIGITS}"
        )
