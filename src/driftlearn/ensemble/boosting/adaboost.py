"""Boosting of one data set: AdaBoost.M1, AdaBoost.M2 and arc-x4."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from driftlearn.base.base_learners import codes, columns_of, drawn, proba_for_classes, trained
from driftlearn.base.chunk import Chunk
from driftlearn.base.class_weight import CLASS_WEIGHT
from driftlearn.base.row_weights import draw_by_inversion, to_distribution
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.validation import takes_missing
from driftlearn.ensemble.committee import Committee, check_members
from driftlearn.ensemble.member_weights import WEAK, error_floor, odds, weighted_error
from driftlearn.io.schema import Field, a
from driftlearn.tree.cart import CARTClassifier
from driftlearn.utils.table import Table
from driftlearn.utils.typing import Floats, Values


class BoostingClassifier(StreamClassifier):
    """Boosting: members are trained one after the other, each on what those before it miss.

    It learns one data set and is done: a base learner for the ensembles, or the boosting of the
    textbooks to compare them with.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; ``CARTClassifier(max_depth=3)`` by default.
    n_estimators : int, default=10
        The most members.
    method : {"m1", "m2", "arc-x4"}, default="m1"
        * "m1", AdaBoost.M1 [1]_: rows that the newest member gets right lose weight by ``beta =
          e / (1 - e)``, where e is its weighted error, and it votes by ``log(1 / beta)``.
        * "m2", AdaBoost.M2 [1]_: the same for every pair of a row and a wrong label, with the
          pseudo-loss in place of the error. Members say how plausible each label is, by
          `predict_proba`; so they help as long as they do better than that, with many classes too.
        * "arc-x4" [2]_: a row counts ``1 + m**4`` where m is the number of members that are wrong
          about it. All votes are equal.

        Both AdaBoosts end at a member of error 1/2 or more, which is left out, or kept with weight
        1 if it is the first; and after a member without error. Errors count as half a row at
        least. arc-x4 never ends early.
    resample : bool, default=False
        Train members on as many rows as there are, drawn by their weights with replacement, and
        unweighted. By default they are told the weights as `sample_weight`; a base learner that
        takes none is trained on a draw that has every class.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), with the n rows and k classes of a call.
    random_state : int, RandomState instance or None
        Seed. Every member takes its draw and then its own seed from one generator.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row a member: voting weight, error on the weighted rows, classes it knows, size.
    n_members_ : int
        Their number.
    estimators_ : list
        The models, in the order of their training.
    committee_ : Committee
        The members.

    References
    ----------
    .. [1] Y. Freund, R. E. Schapire, "Experiments with a New Boosting Algorithm", ICML 1996.
    .. [2] L. Breiman, "Arcing Classifiers", The Annals of Statistics 26(3), 1998,
       doi:10.1214/aos/1024691079.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> for method in ("m1", "m2", "arc-x4"):
    ...     model = BoostingClassifier(CARTClassifier(max_depth=1), method=method).fit(X, y)
    ...     print(method, model.n_members_, round(model.score(X, y), 2))
    m1 10 0.97
    m2 10 0.95
    arc-x4 10 0.97
    """

    STATE: ClassVar[dict[str, Field]] = {**StreamClassifier.STATE, "committee_": a(Committee)}
    _incremental = False
    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "method": [StrOptions({"m1", "m2", "arc-x4"})],
        "resample": ["boolean"],
        "random_state": ["random_state"],
        "class_weight": CLASS_WEIGHT,
    }

    committee_: Committee

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        method: str = "m1",
        resample: bool = False,
        class_weight: Any = None,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.method = method
        self.resample = resample
        self.class_weight = class_weight
        self.random_state = random_state

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless the members are of the learner's problem."""
        if "committee_" in state:
            check_members(state["committee_"], state)

    @property
    def members_(self) -> Table:
        """One row a member: weight, error, classes it knows, size."""
        self._check_fitted()
        return self.committee_.table()

    @property
    def n_members_(self) -> int:
        """The number of members."""
        self._check_fitted()
        return len(self.committee_)

    @property
    def estimators_(self) -> list[Any]:
        """The members' models, in the order of their training."""
        self._check_fitted()
        return list(self.committee_.models)

    def _takes_missing(self) -> bool:
        return takes_missing(self._base_learner())

    def _base_learner(self) -> Any:
        return CARTClassifier(max_depth=3) if self.estimator is None else self.estimator

    def _begin(self) -> None:
        self.committee_ = Committee(self.classes_)

    def _learn(self, chunk: Chunk) -> None:
        if self.method == "arc-x4":
            self._arc_x4(chunk)
        elif self.method == "m1" or len(self.classes_) == 1:  # then there is no wrong label
            self._m1(chunk)
        else:
            self._m2(chunk)

    def _m1(self, chunk: Chunk) -> None:
        D = to_distribution(chunk.w)
        for _ in range(self.n_estimators):
            model = self._train(chunk, D)
            wrong = self._wrong(model, chunk)
            error = float(weighted_error(wrong, D))
            beta = self._admit(model, error, len(chunk))
            if error == 0 or error >= WEAK:
                break
            D = to_distribution(D * np.where(wrong, 1.0, beta))

    def _m2(self, chunk: Chunk) -> None:
        n, k = len(chunk), len(self.classes_)
        own = np.arange(n), chunk.y
        D = np.repeat(to_distribution(chunk.w)[:, None] / (k - 1), k, axis=1)  # of mislabels (i, y)
        D[own] = 0.0
        for _ in range(self.n_estimators):
            model = self._train(chunk, D.sum(axis=1))
            h = proba_for_classes(model, chunk.X, self.classes_)
            lead = h[own][:, None] - h
            loss = float(weighted_error((1.0 - lead).ravel() / 2, D.ravel()))
            beta = self._admit(model, loss, n)
            if loss == 0 or loss >= WEAK:
                break
            D = to_distribution(D * beta ** ((1.0 + lead) / 2))

    def _arc_x4(self, chunk: Chunk) -> None:
        misses = np.zeros(len(chunk))
        for _ in range(self.n_estimators):
            D = to_distribution(chunk.w * (1.0 + misses**4))
            model = self._train(chunk, D)
            wrong = self._wrong(model, chunk)
            self.committee_.add(model, weight=1.0, error=weighted_error(wrong, D))
            misses += wrong

    def _wrong(self, model: Any, chunk: Chunk) -> Values:
        """Say which rows a model gets wrong."""
        said: Values = codes(model, chunk.X, columns_of(model, self.classes_))
        return said != chunk.y

    def _admit(self, model: Any, error: float, n: int) -> float:
        """Make a model a member unless it is too weak; return its beta."""
        beta = float(odds(np.array(error), error_floor("half_instance", n)))
        if error < WEAK:
            self.committee_.add(model, weight=np.log(1 / beta), error=error)
        elif not self.committee_.models:
            self.committee_.add(model, weight=1.0, error=error)
        return beta

    def _train(self, chunk: Chunk, D: Floats) -> Any:
        """Train a model on rows that count by the distribution `D`."""
        base = self._base_learner()
        if self.resample:
            rows = chunk.at(draw_by_inversion(D, self.rng_)).weighted(np.ones(len(chunk)))
        else:
            rows = drawn(base, chunk.weighted(len(chunk) * D), self.rng_)
        return trained(base, rows, self._seed())

    def _scores(self, X: np.ndarray) -> np.ndarray:
        committee = self.committee_
        return committee.vote(committee.probas(X) if self.method == "m2" else committee.labels(X))
