# cython: infer_types=True
"""Leveraging bagging: bagging with more chance in it, watched by ADWIN."""

from __future__ import annotations

from numbers import Real
from typing import Any

import cython
import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

if not cython.compiled:
    from driftlearn.ensemble.bagging._output_codes import CodedModel
    from driftlearn.ensemble.bagging._poisson_table import PoissonTable
    from driftlearn.ensemble.bagging.adwin_bagging import ADWINBagging

from driftlearn.base.external_model import ClassBook
from driftlearn.ensemble.bagging.adwin_bagging import ADWINBaggingClassifier
from driftlearn.io.schema import InvalidStateError, a, parameters
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier

DRAWS = "leveraging", "me", "half", "wt", "subag"
ME = cython.declare(cython.int, 1)
HALF = cython.declare(cython.int, 2)
WT = cython.declare(cython.int, 3)
SUBAG = cython.declare(cython.int, 4)


@cython.annotation_typing(False)
class LeveragingBaggingClassifier(ADWINBaggingClassifier):
    """Leveraging bagging: ADWIN bagging whose members learn each row Poisson(6) times.

    The weights of rows vary more than in bagging, hardly any row is left out, and trees grow
    faster. Each member is watched by an ADWIN; when that sees errors rise, the member is replaced
    by a fresh one. As published: `LeveragingBaggingClassifier.as_published()`:
    ``estimator=HoeffdingTreeClassifier()``, ``replace="worst"``. There the member goes whose error
    is highest.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        The base learner; by default a Hoeffding tree that looks early,
        ``HoeffdingTreeClassifier(grace_period=50, delta=0.01)``. `GaussianNBClassifier` runs
        compiled too, anything else in the same loop at its own speed. A learner of another
        library cannot take a class that it has not been told of: such a member starts again
        from the row that has it, unless the first call announces all labels with `classes`.
    n_estimators : int, default=10
        Number of members.
    rate : float, default=6.0
        How often a member learns a row, on average, where `draws` is "leveraging"; up to 500.
    draws : {"leveraging", "me", "half", "wt", "subag"}, default="leveraging"
        How often that is: a Poisson number; "me": once if it is wrong about the row, else once
        with chance e / (1 - e), e its error; "half": once with chance 1/2; "wt": once and a
        Poisson(1) number of times more; "subag": once if a Poisson(1) number is not 0.
    codes : bool, default=False
        Random output codes, for many classes: each member splits the classes at random into two
        sides of equally many, learns which side a row is on, and votes for all classes of a side.
    delta : float, default=0.002
        Confidence of the detectors: the smaller, the fewer false alarms.
    replace : {"worst", "fired"}, default="fired"
        Who goes: the worst of all, as published, or every member whose detector fired. Over the
        28 streams of ``benchmarks/panel.toml`` that serve to choose, without spam, "worst" is
        right about 86.7 % of rows and "fired" about 88.2 %; on the four real ones among them
        "worst" is 0.3 points ahead.
    vote : {"soft", "majority"}, default="soft"
        Members vote with probabilities, as in MOA, or with labels, as printed.
    error : {"before", "after"}, default="before"
        Whether a member is tested on a row before it learns it, or after, as in MOA.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), of the n rows and k classes so far; at most 100.
    random_state : int, Generator, RandomState or None
        Decides the draws and the splits.
    n_jobs : int, optional
        Threads among which members that are Hoeffding trees or naive Bayes are shared out; the
        result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    members_ : Table
        One row a member: ``id``, ``born`` (the row), ``weight`` (of its vote, 1), ``error``
        (its detector's estimate), ``classes`` (the labels it has learned),
        ``size``, ``bytes``.
    n_members_, n_rows_ : int
        The number of members; of rows learned.
    estimators_ : list
        The members' models; with `codes` each has the ``side`` of every class, 1 or 2, and the
        ``inner`` model that tells them apart.
    history_ : History
        The voting weights every 200 rows, later every 400, and so on.
    n_replaced_ : int
        Members replaced so far.
    committee_ : OnlineCommittee
        The models and what is kept of each.
    engine_ : LeveragingBagging
        The compiled algorithm.

    Notes
    -----
    "me" accepts a row by chance, where one may also read that it is learned with weight e / (1 -
    e): without chance all members would be the same. The share of "subag", 63 %, is that of the
    rows in a bootstrap sample. Printed is a split for all classes at the start, which a member's
    successor inherits; here classes may come at any time, so a member gives them sides as it
    meets them, and a fresh member splits anew.

    References
    ----------
    .. [1] A. Bifet, G. Holmes, B. Pfahringer, "Leveraging Bagging for Evolving Data Streams",
       European Conference on Machine Learning, 2010, doi:10.1007/978-3-642-15880-3_15.

    Examples
    --------
    >>> from driftlearn import LeveragingBaggingClassifier
    >>> from driftlearn.streams import SEA
    >>> stream = SEA(n_rows=8_000, noise=0.0, random_state=0)
    >>> model = LeveragingBaggingClassifier(random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.98
    >>> model.n_replaced_
    21
    """

    PUBLISHED = {"estimator": HoeffdingTreeClassifier(), "replace": "worst"}
    STATE = {**ADWINBaggingClassifier.STATE, "engine_": a("LeveragingBagging")}
    _parameter_constraints = {
        **ADWINBaggingClassifier._parameter_constraints,
        "rate": [Interval(Real, 0, 500, closed="right")],
        "draws": [StrOptions(set(DRAWS))],
        "codes": ["boolean"],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        rate: float = 6.0,
        draws: str = "leveraging",
        codes: bool = False,
        delta: float = 0.002,
        replace: str = "fired",
        vote: str = "soft",
        error: str = "before",
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        super().__init__(
            estimator,
            n_estimators,
            delta=delta,
            replace=replace,
            vote=vote,
            error=error,
            class_weight=class_weight,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.rate = rate
        self.draws = draws
        self.codes = codes

    def _new_engine(self) -> Any:
        return LeveragingBagging(self.committee_, self._options())

    def _hands_on(self) -> bool:
        return super()._hands_on() and not self.codes  # whose models have books of their own

    def _new_model(self, seed: int | None = None) -> Any:
        if not self.codes:
            return super()._new_model(seed)
        seed = self._seed() if seed is None else seed
        sides = ClassBook(np.arange(2))
        sides.announce(sides.labels)
        inner = self._model_of(self._base_learner(), seed, sides)
        return CodedModel(inner, seed, len(self.classes_), self.vote == "soft")


@cython.cclass
class LeveragingBagging(ADWINBagging):
    """ADWIN bagging with other numbers of times that a row is learned, and with output codes.

    Parameters
    ----------
    committee : OnlineCommittee
        The members, each with its detector; `CodedModel` all of them where there are codes.
    options : dict
        The classifier's parameters.
    """

    STATE = {**ADWINBagging.STATE, "options": parameters(LeveragingBaggingClassifier)}

    @staticmethod
    def check_state(state):
        """Raise ValueError unless all members have codes, or none has."""
        models, codes = state["committee"].models, state["options"]["codes"]
        if any(isinstance(model, CodedModel) != codes for model in models):
            raise InvalidStateError(
                "members with output codes where there should be none, or without"
            )

    def _prepare(self):
        ADWINBagging._prepare(self)
        self.often = PoissonTable(self.options["rate"])
        self.draws = DRAWS.index(self.options["draws"])
        self.codes = self.options["codes"]
        self.ask_before = self.ask_before or self.draws == ME
        self.soft = self.soft or self.codes  # what a coded model says is for several classes

    def _times(self, error, wrong, u):
        if self.draws == ME:
            return wrong or u * (1.0 - error) < error
        if self.draws == HALF:
            return u < 0.5
        if self.draws == WT:
            return 1 + self.once.draw(u)
        if self.draws == SUBAG:
            return self.once.draw(u) > 0
        return self.often.draw(u)

    def _wrong(self, j, i, says):
        if says < 0 or not self.codes:
            return ADWINBagging._wrong(self, j, i, says)
        side = cython.cast(CodedModel, self.models.at[j]).side
        return side[says] != side[self.y[i]]
