"""Hoeffding adaptive tree classifier."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from driftlearn.io.schema import LARGEST
from driftlearn.tree._adaptive_tree_model import MAX_NODES, AdaptiveTreeModel
from driftlearn.tree.hoeffding_tree import TREE_CONSTRAINTS, HoeffdingLearner, model_attribute


@dataclass(eq=False, repr=False)
class HoeffdingAdaptiveTreeClassifier(HoeffdingLearner):
    """Hoeffding adaptive tree classifier: replaces subtrees whose error increases.

    An ADWIN detector at every node monitors the error of its subtree. When the error increases, an
    *alternate* subtree is trained on the same rows. Once both error windows are wide enough for a
    comparison, the better subtree is kept: the alternate replaces the old subtree or is dropped.
    Drift in one region of the feature space thus affects only that part of the tree. Use it for a
    single, interpretable model under concept drift. Missing values (nan) are handled as in
    `HoeffdingTreeClassifier`. Paper settings: `HoeffdingAdaptiveTreeClassifier.as_published()` has
    ``alternates="wait"``.

    Parameters
    ----------
    grace_period : float, default=100
        Weight of the rows that a leaf is trained on between two split attempts.
    delta : float, default=0.01
        Accepted probability that a split is made on the wrong attribute.
    tie_threshold : float, default=0.05
        When the Hoeffding bound falls below this value, the two best splits are considered tied
        and the leaf splits on the best.
    leaf_prediction : {"nba", "nb", "majority"}, default="nba"
        Prediction of a leaf: "nba" uses naive Bayes at leaves where it has been correct more often
        than the majority class; "nb" always uses naive Bayes, "majority" the majority class.
    nominal_features : array-like, optional
        Columns (positions or a mask) whose values are category codes 0, 1, .... Their splits
        separate one value from all others.
    max_depth : int, optional
        Maximum depth; the root has depth 0. None means no limit.
    max_nodes : int, default=10_000
        Maximum number of nodes, including those of alternates. Alternates start and split up to
        twice this number, so that a full tree can still adapt. Each node has an error window of
        about 5 kB, and each leaf has statistics of at least
        ``8 * n_classes * (1 + 4 * n_features)`` bytes.
    drift_delta : float, default=0.002
        Confidence parameter of the ADWIN detectors: smaller values start fewer alternates.
    switch_alpha : float, default=0.05
        Significance level of the test that an alternate has fewer, or more, errors than the old
        subtree.
    min_width : int, default=300
        The two subtrees are compared once both error windows are wider than this.
    alternates : {"vote", "wait"}, default="vote"
        Whether an alternate votes from its first split on, as in MOA and river, or waits until it
        replaces the old subtree, as in the paper. With "vote", the leaf of the main tree and all
        alternates on the row's path have equal weights. The error windows record the errors of the
        main tree only.
    class_weight : {"balanced"}, dict or None, default=None
        Class weights, by which row weights are multiplied. A dict maps labels to weights; other
        classes have weight 1. "balanced" uses n / (k * rows of the class), with the n rows and k
        classes so far, at most 100.

    Attributes
    ----------
    classes_ : ndarray
        Class labels, sorted.
    size_ : int
        Number of nodes, including those of alternates.
    n_alternates_, n_switches_ : int
        Number of alternates started so far; number of alternates that replaced a subtree.
    model_ : driftlearn.tree._adaptive_tree_model.AdaptiveTreeModel
        The compiled tree.

    Notes
    -----
    The paper does not specify the comparison of two subtrees. As in other implementations, the test
    applies a normal bound to the difference of the two error rates. Voting alternates are not part
    of the paper. On the 34 tuning streams of the benchmark suite with three seeds, they improve the
    accuracy by more than 0.3 points on 13 to 16 streams and reduce it on none (row by row); in
    chunks, they improve it on 7 to 14 streams and reduce it on at most two.

    The error window of a leaf continues when the leaf splits. Alternates do not have alternates.
    Without an alarm the tree equals that of `HoeffdingTreeClassifier`, bit by bit if no feature is
    nominal.

    References
    ----------
    .. [1] A. Bifet, R. Gavaldà, "Adaptive learning from evolving data streams", Advances in
       Intelligent Data Analysis VIII, 2009, doi:10.1007/978-3-642-03915-7_22.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((20_000, 2))
    >>> y = ((X[:, 0] > 0.5) == (X[:, 1] > 0.3)) == (np.arange(20_000) < 10_000)
    >>> model = HoeffdingAdaptiveTreeClassifier().partial_fit(X[:15_000], y[:15_000])
    >>> model.score(X[15_000:], y[15_000:])
    0.99
    >>> model.n_alternates_, model.n_switches_
    (10, 3)
    """

    max_nodes: int = MAX_NODES
    drift_delta: float = 0.002
    switch_alpha: float = 0.05
    min_width: int = 300
    _: KW_ONLY
    alternates: str = "vote"
    class_weight: Any = None

    _parameter_constraints = {
        **TREE_CONSTRAINTS,
        "max_nodes": [Interval(Integral, 1, LARGEST, closed="both")],
        "drift_delta": [Interval(Real, 0, 1, closed="neither")],
        "switch_alpha": [Interval(Real, 0, 1, closed="neither")],
        "min_width": [Interval(Integral, 0, LARGEST, closed="both")],
        "alternates": [StrOptions({"vote", "wait"})],
    }
    PUBLISHED = {"alternates": "wait"}
    size_ = model_attribute("n_nodes", "Number of nodes, including those of alternates.")
    n_alternates_ = model_attribute("n_alternates", "Number of alternates started so far.")
    n_switches_ = model_attribute("n_switches", "Number of alternates that replaced a subtree.")

    def _make(self, n_features: int, n_classes: int, seed: int = 0) -> AdaptiveTreeModel:
        others = "max_nodes", "drift_delta", "switch_alpha", "min_width", "alternates"
        return AdaptiveTreeModel(n_features, n_classes, **self._settings(n_features, *others))
