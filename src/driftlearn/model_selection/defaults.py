"""Default candidates of online model selection, for single rows and for tables."""

from typing import Any

from sklearn.ensemble import RandomForestClassifier

from driftlearn.dummy.baselines import NoChangeClassifier
from driftlearn.dummy.refit import RefitClassifier
from driftlearn.ensemble.bagging.leveraging_bagging import LeveragingBaggingClassifier
from driftlearn.ensemble.boosting.iboost import IBoostClassifier
from driftlearn.ensemble.boosting.online_boost import OnlineBoostClassifier
from driftlearn.ensemble.chunk.awe import AWEClassifier
from driftlearn.ensemble.chunk.dtel import DTELClassifier
from driftlearn.ensemble.weighted.ace import ACEClassifier
from driftlearn.ensemble.weighted.oaue import OAUEClassifier
from driftlearn.forest.adaptive_random_forest import AdaptiveRandomForestClassifier
from driftlearn.linear_model.logistic import LogisticClassifier
from driftlearn.linear_model.one_hot_logistic import OneHotLogisticClassifier
from driftlearn.tree.boosted_trees import BoostedTreesClassifier

BUDGETS = 1, 2, 3, 5  # values of `budget`
CLASS_ROWS = 200  # rows of each class that the window keeps regardless of age


def default_candidates(chunk_size: int = 1) -> dict[str, Any]:
    """Return the default candidates of `AutoClassifier` for a chunk size, by name.

    The candidates were selected on one part of the streams in ``benchmarks/suite.toml``: the
    learners that are best on most streams, and learners that are best on other streams (rotating
    hyperplanes, electricity, recurring concepts). For single rows, "no change" covers labels that
    occur in runs. For chunks, there are two chunk learners and a random forest that is retrained
    with each chunk on a window containing rows of every class.
    """
    online: dict[str, Any] = {
        "leveraging bagging": LeveragingBaggingClassifier(),
        "adaptive random forest": AdaptiveRandomForestClassifier(),
        "oaue": OAUEClassifier(),
        "iboost": IBoostClassifier(),
        "online boosting": OnlineBoostClassifier(),
        "ace": ACEClassifier(),
        "logistic": LogisticClassifier(),
    }
    if chunk_size == 1:
        return {**online, "no change": NoChangeClassifier()}
    return {
        **online,
        "dtel": DTELClassifier(),
        "awe": AWEClassifier(),
        "forest, window": RefitClassifier(RandomForestClassifier(50), class_rows=CLASS_ROWS),
    }


def default_table_candidates(budget: int = 3, keep_rows: int = 100_000) -> dict[str, Any]:
    """Return the default candidates of `OnlineStackingClassifier`, by name.

    Parameters
    ----------
    budget : {1, 2, 3, 5}
        Approximate training time in multiples of the time in which LightGBM is retrained every
        seven tables.
    keep_rows : int
        Maximum number of rows that each candidate stores. With 0, models are kept instead: an
        archive of boosted trees, one for each chunk.
    """
    small = BoostedTreesClassifier(60, 0.08, max_leaf_nodes=15, min_samples_leaf=40)
    return {
        "boosted trees": RefitClassifier(
            BoostedTreesClassifier(), n_chunks=None, every=28, growth=1.25, max_rows=keep_rows
        ),
        "boosted trees, 28 chunks": RefitClassifier(
            small, n_chunks=28, every=7, growth=1.5, max_rows=keep_rows
        ),
        "logistic, 56 chunks": RefitClassifier(
            OneHotLogisticClassifier(), n_chunks=56, every=7, growth=1.5, max_rows=keep_rows
        ),
        "adaptive random forest": AdaptiveRandomForestClassifier(),
        "leveraging bagging": LeveragingBaggingClassifier(),
    }
