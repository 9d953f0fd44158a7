# cython: infer_types=True
"""OOB and UOB: online bagging that learns rows of rare classes more, or of frequent ones less."""

from __future__ import annotations

from numbers import Real
from typing import Any

import cython
import numpy as np
from sklearn.utils._param_validation import Interval

if not cython.compiled:
    from driftlearn.ensemble.bagging.online_bagging import OnlineBagging

from driftlearn.ensemble.bagging.online_bagging import OnlineBaggingClassifier
from driftlearn.io.schema import InvalidStateError, a, flag, floats, parameters
from driftlearn.utils._class_axis import widened


@cython.annotation_typing(False)
class OOBClassifier(OnlineBaggingClassifier):
    """OOB, oversampling online bagging: rows of rare classes are learned more often.

    How frequent each class is *lately* is kept up row by row. A member learns a row of class k
    Poisson(largest / size of k) times: once, on average, if k is the most frequent class, and more
    often the rarer it is. `UOBClassifier` learns frequent classes less instead.

    As published: `OOBClassifier.as_published()`: ``estimator=HoeffdingTreeClassifier()``.

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
    theta : float, default=0.9
        What a class keeps of its size at every row: sizes are those of about the last
        1 / (1 - theta) rows. No row is learned more often than that, on average, nor ever more than
        1,000 times.
    vote : {"soft", "majority"}, default="soft"
        Members vote with probabilities, or with labels.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), of the n rows and k classes so far; at most 100.
    random_state : int, Generator, RandomState or None
        Decides the draws.
    n_jobs : int, optional
        Threads among which members that are Hoeffding trees or naive Bayes are shared out; the
        result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    class_sizes_ : ndarray
        The size of each class: the share that it has of the latest rows.
    members_ : Table
        One row a member: ``id``, ``created_at`` (the row), ``weight`` (of its vote, 1), ``error``
        (nan: members are not tested), ``classes`` (the labels it has learned), ``size``, ``bytes``.
    n_members_, n_rows_ : int
        The number of members; of rows learned.
    estimators_ : list
        The members' models.
    history_ : History
        The voting weights every 200 rows, later every 400, and so on.
    committee_ : OnlineCommittee
        The models.
    engine_ : ResamplingBagging
        The compiled algorithm.

    Notes
    -----
    This is the form for many classes [2]_; with two it is that of [1]_. A row is counted before it
    is learned. Rows are counted, not their weights.

    References
    ----------
    .. [1] S. Wang, L. L. Minku, X. Yao, "Resampling-Based Ensemble Methods for Online Class
       Imbalance Learning", IEEE Transactions on Knowledge and Data Engineering 27(5), 2015,
       doi:10.1109/TKDE.2014.2345380.
    .. [2] S. Wang, L. L. Minku, X. Yao, "Dealing with Multiple Classes in Online Class Imbalance
       Learning", International Joint Conference on Artificial Intelligence, 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from driftlearn import OnlineBaggingClassifier, OOBClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = (rng.random(5_000) < 0.02).astype(int)
    >>> X = rng.normal(size=(5_000, 2)) + 1.5 * y[:, None]
    >>> for kind in (OnlineBaggingClassifier, OOBClassifier):
    ...     model = kind(random_state=0).partial_fit(X, y)
    ...     print((model.predict(X[y == 1]) == 1).mean().round(2))
    0.2
    0.69
    """

    STATE = {**OnlineBaggingClassifier.STATE, "engine_": a("ResamplingBagging")}
    _parameter_constraints = {
        **OnlineBaggingClassifier._parameter_constraints,
        "theta": [Interval(Real, 0, 1, closed="neither")],
    }
    _over = True

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        theta: float = 0.9,
        vote: str = "soft",
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        super().__init__(
            estimator,
            n_estimators,
            vote=vote,
            class_weight=class_weight,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.theta = theta

    @property
    def class_sizes_(self) -> np.ndarray:
        """The size of each class: the share that it has of the latest rows."""
        with self._locked():
            self._check_fitted()
            return np.array(self.engine_.sizes)

    def _new_engine(self) -> Any:
        return ResamplingBagging(self.committee_, self._options(), self._over)


@cython.annotation_typing(False)
class UOBClassifier(OOBClassifier):
    """UOB, undersampling online bagging: rows of frequent classes are learned less often.

    How frequent each class is *lately* is kept up row by row. A member learns a row of class k
    Poisson(smallest / size of k) times: once, on average, if k is the rarest class that has come,
    and less often the more frequent it is. `OOBClassifier` learns rare classes more instead, which
    takes more time but passes over no rows.

    As published: `UOBClassifier.as_published()`: ``estimator=HoeffdingTreeClassifier()``.

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
    theta : float, default=0.9
        What a class keeps of its size at every row: sizes are those of about the last
        1 / (1 - theta) rows.
    vote : {"soft", "majority"}, default="soft"
        Members vote with probabilities, or with labels.
    class_weight : {"balanced"}, dict or None, default=None
        What the rows of a class count for, times their weights: by label, 1 where not named, or
        "balanced": n / (k * rows of the class), of the n rows and k classes so far; at most 100.
    random_state : int, Generator, RandomState or None
        Decides the draws.
    n_jobs : int, optional
        Threads among which members that are Hoeffding trees or naive Bayes are shared out; the
        result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The labels, sorted.
    class_sizes_ : ndarray
        The size of each class: the share that it has of the latest rows.
    members_ : Table
        One row a member: ``id``, ``created_at`` (the row), ``weight`` (of its vote, 1), ``error``
        (nan: members are not tested), ``classes`` (the labels it has learned), ``size``, ``bytes``.
    n_members_, n_rows_ : int
        The number of members; of rows learned.
    estimators_ : list
        The members' models.
    history_ : History
        The voting weights every 200 rows, later every 400, and so on.
    committee_ : OnlineCommittee
        The models.
    engine_ : ResamplingBagging
        The compiled algorithm.

    Notes
    -----
    This is the form for many classes [2]_; with two it is that of [1]_. A row is counted before it
    is learned. Rows are counted, not their weights. While a class does not come its size falls
    without end, and with it what is learned of all others: where a class may disappear, or rows
    come sorted by class, OOB is the choice. On the first 50,000 rows of covertype, seven classes,
    OOB is right about 85 % of rows and UOB about 22 %.

    References
    ----------
    .. [1] S. Wang, L. L. Minku, X. Yao, "Resampling-Based Ensemble Methods for Online Class
       Imbalance Learning", IEEE Transactions on Knowledge and Data Engineering 27(5), 2015,
       doi:10.1109/TKDE.2014.2345380.
    .. [2] S. Wang, L. L. Minku, X. Yao, "Dealing with Multiple Classes in Online Class Imbalance
       Learning", International Joint Conference on Artificial Intelligence, 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from driftlearn import OnlineBaggingClassifier, UOBClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = (rng.random(5_000) < 0.02).astype(int)
    >>> X = rng.normal(size=(5_000, 2)) + 1.5 * y[:, None]
    >>> for kind in (OnlineBaggingClassifier, UOBClassifier):
    ...     model = kind(random_state=0).partial_fit(X, y)
    ...     print((model.predict(X[y == 1]) == 1).mean().round(2))
    0.2
    0.92
    """

    _over = False


@cython.cclass
class ResamplingBagging(OnlineBagging):
    """Online bagging whose rate follows how frequent the classes are lately.

    Parameters
    ----------
    committee : OnlineCommittee
        The members.
    options : dict
        The classifier's parameters.
    over : bool
        Whether all classes are learned as often as the largest, or as the smallest.
    """

    STATE = {
        **OnlineBagging.STATE,
        "options": parameters(OOBClassifier),
        "over": flag(),
        "sizes": floats(None, least=0),
    }

    def __init__(self, committee, options, over):
        self.over = over
        self.sizes = np.zeros(committee.n_classes)
        OnlineBagging.__init__(self, committee, options)

    @staticmethod
    def check_state(state):
        """Raise ValueError unless every class has a size, above 0 in all if rows have come."""
        sizes, committee = state["sizes"], state["committee"]
        if len(sizes) != committee.n_classes or sizes.any() != (committee.n_rows > 0):
            raise InvalidStateError("sizes of other classes than there are")

    def _prepare(self):
        OnlineBagging._prepare(self)
        self.theta = self.options["theta"]

    def _rate(self, y):
        """Count a row of class `y`; return how often it is learned, on average."""
        aim: cython.double
        self.committee.mark_seen(y)
        for c in range(self.sizes.shape[0]):
            self.sizes[c] *= self.theta
        self.sizes[y] += 1.0 - self.theta
        aim = self.sizes[y]
        for c in range(self.sizes.shape[0]):
            if self.over:
                aim = max(aim, self.sizes[c])
            elif self.committee.seen_classes[c]:
                aim = min(aim, self.sizes[c])
        return aim / self.sizes[y]

    def widen(self, positions, n_classes):
        """Take note that there are `n_classes` now and old class ``c`` is ``positions[c]``."""
        OnlineBagging.widen(self, positions, n_classes)
        self.sizes = widened(self.sizes, positions, n_classes)
