"""Default candidates of online model selection, for single rows and for tables."""

from typing import Any

from sklearn.base import clone

from driftlearn.dummy.baselines import NoChangeClassifier
from driftlearn.dummy.refit import RefitClassifier
from driftlearn.ensemble.bagging.leveraging_bagging import LeveragingBaggingClassifier
from driftlearn.ensemble.bagging.online_bagging import OnlineBaggingClassifier
from driftlearn.ensemble.boosting.iboost import IBoostClassifier
from driftlearn.ensemble.boosting.online_boost import OnlineBoostClassifier
from driftlearn.ensemble.chunk.awe import AWEClassifier
from driftlearn.ensemble.chunk.dtel import DTELClassifier
from driftlearn.ensemble.chunk.sea import SEAClassifier
from driftlearn.ensemble.weighted.ace import ACEClassifier
from driftlearn.ensemble.weighted.oaue import OAUEClassifier
from driftlearn.forest.adaptive_random_forest import AdaptiveRandomForestClassifier
from driftlearn.forest.streaming_random_patches import StreamingRandomPatchesClassifier
from driftlearn.linear_model.logistic import LogisticClassifier
from driftlearn.linear_model.one_hot_logistic import OneHotLogisticClassifier
from driftlearn.naive_bayes.gaussian_nb import GaussianNBClassifier
from driftlearn.tree.boosted_trees import BoostedTreesClassifier

BUDGETS = 1, 2, 3, 5  # values of `budget`


def default_candidates(chunk_size: int = 1, keep_rows: int = 100_000) -> dict[str, Any]:
    """Return the default candidates of `AutoClassifier` for a chunk size, by name.

    The candidates were selected on one part of the streams in ``benchmarks/suite.toml``: the
    learners that are best on most streams, and learners that are best on other streams (rotating
    hyperplanes, electricity, recurring concepts). For single rows, "no change" covers labels that
    occur in runs. For chunks, there are two chunk learners, boosted trees over two windows and a
    logistic regression, each of which stores at most `keep_rows` rows.
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
    del online["iboost"]  # gains nothing there
    chunked = {"dtel": DTELClassifier(), "awe": AWEClassifier()}
    names = "boosted trees", "boosted trees, 7 chunks", "logistic, 56 chunks"
    windows = _refitted(keep_rows, *names) if keep_rows else {}
    return online | chunked | windows


def default_table_candidates(budget: int = 3, keep_rows: int = 100_000) -> dict[str, Any]:
    """Return the default candidates of `OnlineStackingClassifier`, by name.

    They were selected on fourteen sequences of tables by the log loss of subsets of some forty
    candidates: boosted trees over several windows, one of them with categories in order of
    appearance; logistic regressions; and chunk and online learners, of which each is best for some
    kind of drift.

    Parameters
    ----------
    budget : {1, 2, 3, 5}
        Approximate training time in multiples of the time in which LightGBM is retrained every
        seven tables.
    keep_rows : int
        Maximum number of rows that each candidate stores. With 0, models are kept instead: the
        online learners and an archive of boosted trees, one for each chunk.
    """
    if keep_rows == 0:
        small = BoostedTreesClassifier(40, max_leaf_nodes=8, min_samples_leaf=10)
        return {
            "boosted trees of chunks": SEAClassifier(small, n_estimators=25),
            "logistic": LogisticClassifier(),
            "naive Bayes": GaussianNBClassifier(),
            "random patches": StreamingRandomPatchesClassifier(),
            "leveraging bagging": LeveragingBaggingClassifier(),
            "bagging": OnlineBaggingClassifier(),
            "ace": ACEClassifier(),
            "online boosting": OnlineBoostClassifier(),
        }

    names = ["boosted trees", "logistic, 56 chunks"]
    online: dict[str, Any] = {"random patches": StreamingRandomPatchesClassifier()}
    if budget > 1:
        names += ["boosted trees, 28 chunks"]
        online |= {"bagging": OnlineBaggingClassifier(), "ace": ACEClassifier()}
        online |= {"logistic": LogisticClassifier(), "dtel": DTELClassifier()}
    if budget > 2:
        names += ["boosted trees, ordered categories", "boosted trees, 7 chunks"]
        online["online boosting"] = OnlineBoostClassifier()
    if budget > 3:
        names += ["boosted trees, 56 chunks"]
        online["adaptive random forest"] = AdaptiveRandomForestClassifier()
    windows = _refitted(keep_rows, *names)
    if budget > 3:
        windows["boosted trees, 28 chunks"].set_params(every=1)
    return windows | online


def _refitted(keep_rows: int, *names: str) -> dict[str, Any]:
    """Return classifiers that are retrained on windows, by name."""
    small = BoostedTreesClassifier(60, 0.08, max_leaf_nodes=15, min_samples_leaf=40)
    young = clone(small).set_params(min_samples_leaf=20)
    # Categories in order of appearance group new values, which are often alike.
    ordered = BoostedTreesClassifier(nominal_features=[])
    windows = {
        "boosted trees": (BoostedTreesClassifier(), None, 28),
        "boosted trees, ordered categories": (ordered, None, 28),
        "boosted trees, 56 chunks": (small, 56, 7),
        "boosted trees, 28 chunks": (small, 28, 7),
        "boosted trees, 7 chunks": (young, 7, 2),
        "logistic, 56 chunks": (OneHotLogisticClassifier(), 56, 14),
    }
    found: dict[str, Any] = {}
    for name in names:
        model, n_chunks, every = windows[name]
        growth = 1.25 if n_chunks is None else 1.5
        found[name] = RefitClassifier(
            model, n_chunks, every=every, growth=growth, max_rows=keep_rows
        )
    return found
