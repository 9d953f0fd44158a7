"""Boosting of a single data set: AdaBoost.M1, AdaBoost.M2 and arc-x4."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from driftlearn.base.base_learners import codes, columns_of, drawn, proba_for_classes, trained
from driftlearn.base.chunk import WEAK, Chunk, draw_by_inversion, to_distribution, weighted_error
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.base.validation import takes_missing
from driftlearn.ensemble.committee import Committee, HasCommittee, check_members
from driftlearn.ensemble.member_weights import error_floor, odds
from driftlearn.io.schema import Field, a
from driftlearn.tree.cart import CARTClassifier
from driftlearn.utils.arguments import Floats, Values


@dataclass(eq=False, repr=False)
class BoostingClassifier(HasCommittee, StreamClassifier):
    """Boosting classifier for one data set: AdaBoost.M1, AdaBoost.M2 or arc-x4.

    Members are trained one after the other; rows misclassified by the members so far have a larger
    weight for the next member. The model is trained by `fit` only. Use it as the base learner of a
    chunk-based ensemble, or as a baseline without drift handling.

    Parameters
    ----------
    estimator : classifier, optional
        The base learner; ``CARTClassifier(max_depth=3)`` by default.
    n_estimators : int, default=10
        Maximum number of members.
    method : {"m1", "m2", "arc-x4"}, default="m1"
        * "m1", AdaBoost.M1 [1]_: the weights of rows that the newest member classifies correctly
          are multiplied by ``beta = e / (1 - e)``, where e is its weighted error, and its voting
          weight is ``log(1 / beta)``.
        * "m2", AdaBoost.M2 [1]_: the same for every pair of a row and a wrong label, with the
          pseudo-loss in place of the error. Members rate the plausibility of each label by
          `predict_proba`, so any member better than chance is useful, even with many classes.
        * "arc-x4" [2]_: the weight of a row is ``1 + m**4``, where m is the number of members that
          misclassify it. All votes have equal weight.

        AdaBoost.M1 and M2 stop at a member with an error of 1/2 or more, which is discarded (unless
        it is the first member, which is kept with weight 1), and after a member without errors.
        Errors are bounded below by half a row. arc-x4 never stops early.
    resample : bool, default=False
        Train each member on an unweighted sample of the same size, drawn with replacement by the
        row weights. By default the weights are passed as `sample_weight`; a base learner that does
        not accept weights is trained on a weighted sample that contains every class.
    nominal_features : array-like, optional
        Columns (positions or a mask) that contain category codes. They are passed to the base
        learner if it has this parameter, unless its own value is set.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied: a dict from label to weight (1 for
        labels not listed), or "balanced": n / (k * rows of the class), for the n rows and k classes
        of a call.
    random_state : int, RandomState instance or None
        Seed. For each member the sample and then the member's own seed are drawn from one
        generator.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row per member: voting weight, error on the weighted rows, classes trained on, size.
    n_members_ : int
        Number of members.
    estimators_ : list
        The members' models, in the order of training.
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
    m2 10 0.97
    arc-x4 10 0.97
    """

    estimator: Any = None
    n_estimators: int = 10
    _: KW_ONLY
    method: str = "m1"
    resample: bool = False
    nominal_features: Any = None
    class_weight: Any = None
    random_state: Any = None

    STATE: ClassVar[dict[str, Field]] = {"committee_": a(Committee)}
    _incremental = False
    _parameter_constraints = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "method": [StrOptions({"m1", "m2", "arc-x4"})],
        "resample": ["boolean"],
    }

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless the members match the classifier."""
        if "committee_" in state:
            check_members(state["committee_"], state)

    def _takes_missing(self) -> bool:
        return takes_missing(self._base_learner())

    def _default_base_learner(self) -> Any:
        return CARTClassifier(max_depth=3)

    def _begin(self) -> None:
        self.committee_ = Committee(self.classes_)

    def _learn(self, chunk: Chunk) -> None:
        if self.method == "arc-x4":
            self._arc_x4(chunk)
        elif self.method == "m1" or len(self.classes_) == 1:
            # M2 needs at least one wrong label per row
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
            # Weights of correct rows are multiplied by beta < 1, which gives the member error 1/2
            # on D.
            D = to_distribution(D * np.where(wrong, 1.0, beta))

    def _m2(self, chunk: Chunk) -> None:
        n, k = len(chunk), len(self.classes_)
        own = np.arange(n), chunk.y
        # distribution over mislabels (i, y)
        D = np.repeat(to_distribution(chunk.w)[:, None] / (k - 1), k, axis=1)
        D[own] = 0.0
        for _ in range(self.n_estimators):
            model = self._train(chunk, D.sum(axis=1))
            h = proba_for_classes(model, chunk.X, self.classes_)
            lead = h[own][:, None] - h
            loss = float(weighted_error((1.0 - lead).ravel() / 2, D.ravel()))
            beta = self._admit(model, loss, n)
            if loss == 0 or loss >= WEAK:
                break
            # The update of AdaBoost.M2: D beta^{(1 + h(x, y_i) - h(x, y)) / 2}.
            D = to_distribution(D * beta ** ((1.0 + lead) / 2))

    def _arc_x4(self, chunk: Chunk) -> None:
        misses = np.zeros(len(chunk))
        for _ in range(self.n_estimators):
            # The fourth power is Breiman's choice.
            D = to_distribution(chunk.w * (1.0 + misses**4))
            model = self._train(chunk, D)
            wrong = self._wrong(model, chunk)
            self.committee_.add(model, weight=1.0, error=weighted_error(wrong, D))
            misses += wrong

    def _wrong(self, model: Any, chunk: Chunk) -> Values:
        """Return a mask of the rows that a model misclassifies."""
        predicted: Values = codes(model, chunk.X, columns_of(model, self.classes_))
        return predicted != chunk.y

    def _admit(self, model: Any, error: float, n: int) -> float:
        """Add a model as a member unless it is too weak; return its beta."""
        beta = float(odds(np.array(error), error_floor("half_instance", n)))
        if error < WEAK:
            self.committee_.add(model, weight=np.log(1 / beta), error=error)
        elif not self.committee_.models:
            self.committee_.add(model, weight=1.0, error=error)
        return beta

    def _train(self, chunk: Chunk, D: Floats) -> Any:
        """Train a model on rows weighted by the distribution `D`."""
        base = self._base_learner()
        if self.resample:
            rows = chunk.at(draw_by_inversion(D, self.rng_)).weighted(np.ones(len(chunk)))
        else:
            rows = drawn(base, chunk.weighted(len(chunk) * D), self.rng_)
        return trained(base, rows, self._seed())

    def _scores(self, X: np.ndarray) -> np.ndarray:
        committee = self.committee_
        return committee.vote(committee.probas(X) if self.method == "m2" else committee.labels(X))
