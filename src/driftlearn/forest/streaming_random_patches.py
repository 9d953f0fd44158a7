"""Streaming random patches: bagging on random subsets of the features."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

from driftlearn.base._online_model import OnlineModel
from driftlearn.base.one_model import OneModelClassifier
from driftlearn.forest._subspace_model import SubspaceModel
from driftlearn.forest.adaptive_random_forest import AdaptiveRandomForestClassifier
from driftlearn.tree._random_features import draw_features, how_many
from driftlearn.tree.hoeffding_tree import HoeffdingTreeClassifier, quick_tree
from driftlearn.utils.docstrings import inherit_docs


@inherit_docs
@dataclass(eq=False, repr=False)
class StreamingRandomPatchesClassifier(AdaptiveRandomForestClassifier):
    """Streaming random patches: bagging on random subsets of rows and features.

    Each member is trained on a random subset of the features, drawn when the member is created, and
    on each row Poisson(6) times. As in `AdaptiveRandomForestClassifier`, two ADWINs monitor the
    errors of each member: at a *warning* a background model with other features is started, at a
    *drift* it replaces the member. A member's voting weight is its accuracy since it joined the
    ensemble.

    Any base learner can be used, whereas the adaptive random forest needs trees.

    Parameters
    ----------
    estimator : classifier with `partial_fit`, optional
        Base learner; ``HoeffdingTreeClassifier(grace_period=50, delta=0.01)`` by default. Its own
        `nominal_features` would be columns of the whole table. Naive Bayes is compiled, too; other
        classifiers are called once per row.
    %(n_estimators)s
    subspace : int, float, "sqrt" or None, default=0.6
        Features per member: their number, their share of all features (at least two features), the
        square root of the number of features plus one ("sqrt"), or all features (None).
    %(rate)s
    %(warning_delta)s
    %(vote)s
    %(nominal_features)s
    %(class_weight)s
    %(random_state)s
    %(n_jobs)s

    Attributes
    ----------
    %(classes_)s
    %(members_)s
    %(n_members_)s
    %(estimators_)s
    %(history_)s
    %(n_warnings_)s
    %(committee_)s
    %(engine_)s

    Notes
    -----
    A detector fires when it cuts its window and the mean error has increased. After a warning its
    detector is reset, and both detectors are reset when a member is replaced. The papers leave some
    details open. Here, a new warning discards the background model of an earlier warning; at a
    drift without a background model, a new model is started; the background model is trained on the
    row of the drift before it replaces the member; and each member's accuracy estimate starts with
    one correct prediction, so that new members have a nonzero vote.

    References
    ----------
    .. [1] H. M. Gomes, J. Read, A. Bifet, "Streaming random patches for evolving data stream
       classification", IEEE International Conference on Data Mining, 2019,
       doi:10.1109/ICDM.2019.00034.

    Examples
    --------
    >>> from driftlearn import StreamingRandomPatchesClassifier
    >>> from driftlearn.streams import RBF
    >>> stream = RBF(n_rows=8_000, random_state=0)
    >>> model = StreamingRandomPatchesClassifier(random_state=0)
    >>> for batch in stream.chunks(1_000):
    ...     model = model.partial_fit(batch.X, batch.y)
    >>> model.score(*stream.test_set(7_999, 1_000, random_state=1))
    0.9
    >>> model.n_warnings_, model.n_drifts_
    (10, 8)
    """

    _: KW_ONLY
    subspace: Any = 0.6

    _parameter_constraints = {
        "subspace": HoeffdingTreeClassifier._parameter_constraints["max_features"]
    }

    def _default_base_learner(self) -> Any:
        return quick_tree()

    def _new_model(self, seed: int | None = None) -> OnlineModel:
        """Return an untrained model of a random feature subset, both determined by the seed."""
        seed = self._seed() if seed is None else seed
        d = self.n_features_in_
        columns = draw_features(seed, 1, d, how_many(self.subspace, d))[0]
        base = self._base_learner()
        if isinstance(base, OneModelClassifier):
            base = base._seeing(columns, d)
        return SubspaceModel(d, columns, self._model_of(base, seed, n_features=len(columns)))
