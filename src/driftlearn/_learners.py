"""Registry of learners: the only place where a public classifier is entered.

Package exports, ``driftlearn list``, the short names of the command line, the type stubs, the
documentation pages and the test suite are derived from `LEARNERS`. This module imports nothing of
driftlearn, so that ``import driftlearn`` stays fast.
"""

from __future__ import annotations

from typing import NamedTuple


class Learner(NamedTuple):
    """Entry of a learner."""

    #: Module below ``driftlearn``.
    module: str
    #: Name of the class.
    name: str
    #: What it does, in a line.
    summary: str
    #: When to use it, in a few words.
    use: str


def _entry(module: str, name: str, summary: str, use: str) -> Learner:
    return Learner(module, f"{name}Classifier", summary, use)


# fmt: off
# ruff: noqa: E501
LEARNERS = {
    "auto": _entry("model_selection.auto_classifier", "Auto", "online model selection: candidates weighted by recent accuracy", "when you do not know which learner fits"),
    "learn++": _entry("ensemble.chunk.learnpp", "LearnPP", "boosting within each chunk; all members are kept", "chunks without drift"),
    "learn++.mt": _entry("ensemble.chunk.learnpp_mt", "LearnPPMT", "down-weights members for classes they were not trained on", "new classes, no drift"),
    "learn++.nc": _entry("ensemble.chunk.learnpp_nc", "LearnPPNC", "members consult each other about new classes, then vote", "new classes, no drift"),
    "learn++.ud": _entry("ensemble.chunk.learnpp_ud", "LearnPPUD", "weights members per class by the rows of it they were trained on", "chunks with unequal class shares"),
    "learn++.udnc": _entry("ensemble.chunk.learnpp_udnc", "LearnPPUDNC", "Learn++.UD and Learn++.NC combined", "new classes that are also rare"),
    "learn++.nse": _entry("ensemble.chunk.learnpp_nse", "LearnPPNSE", "a member per chunk, weighted by its recent errors", "chunks, recurring concepts"),
    "dtel": _entry("ensemble.chunk.dtel", "DTEL", "keeps the most diverse trees and adapts them to each chunk", "chunks, any kind of drift"),
    "sea": _entry("ensemble.chunk.sea", "SEA", "unweighted votes; a better candidate replaces the worst member", "chunks, little memory"),
    "awe": _entry("ensemble.chunk.awe", "AWE", "members weighted by their gain over random guessing on the newest chunk", "chunks with a rare class"),
    "aue2": _entry("ensemble.chunk.aue2", "AUE2", "incremental members, all updated with every chunk", "chunks, gradual drift"),
    "tix": _entry("ensemble.chunk.tix", "TIX", "predictions of old models are used as additional features", "chunks, old models as features"),
    "dic": _entry("ensemble.chunk.dic", "DIC", "members weighted by their accuracy in the neighborhood of a row", "chunks, members good in different regions"),
    "dynse": _entry("ensemble.chunk.dynse", "DYNSE", "members selected by their accuracy on the nearest rows of a window", "chunks, recurring concepts, regional members"),
    "iboost": _entry("ensemble.boosting.iboost", "IBoost", "boosting on a sliding window, updated row by row", "boosting over a window of rows"),
    "adaboost": _entry("ensemble.boosting.windowed_adaboost", "WindowedAdaBoost", "AdaBoost retrained on the latest rows", "short streams without time limits"),
    "onlineboost": _entry("ensemble.boosting.online_boost", "OnlineBoost", "a chain of members, each weighted by the errors of those before", "rows, drift, labels in runs"),
    "nsonlineboost": _entry("ensemble.boosting.nsonline_boost", "NSOnlineBoost", "OnlineBoost that replaces members which increase the error", "rows, boosting under drift"),
    "flc": _entry("ensemble.boosting.flc", "FLC", "OnlineBoost that perturbs member weights when errors rise", "rows, drift"),
    "flb": _entry("ensemble.boosting.flb", "FLB", "fast and light boosting: one member per block of rows", "blocks of rows, abrupt drift"),
    "online-bagging": _entry("ensemble.bagging.online_bagging", "OnlineBagging", "members trained with Poisson-distributed row weights", "rows without drift"),
    "adwin-bagging": _entry("ensemble.bagging.adwin_bagging", "ADWINBagging", "online bagging; ADWIN decides which member is replaced", "rows, abrupt drift, less time than leveraging bagging"),
    "leveraging-bagging": _entry("ensemble.bagging.leveraging_bagging", "LeveragingBagging", "Poisson(6) resampling, random output codes, ADWIN", "rows, drift"),
    "oob": _entry("ensemble.bagging.oversampling_bagging", "OOB", "online bagging that oversamples rare classes", "rows, a class is rare at times or always"),
    "uob": _entry("ensemble.bagging.oversampling_bagging", "UOB", "online bagging that undersamples frequent classes", "rows, a rare class, little time"),
    "oaue": _entry("ensemble.weighted.oaue", "OAUE", "members weighted at every row by their latest errors", "rows, drift of any speed, deterministic"),
    "arf": _entry("forest.adaptive_random_forest", "AdaptiveRandomForest", "bagged Hoeffding trees with random features and background trees", "rows, drift"),
    "srp": _entry("forest.streaming_random_patches", "StreamingRandomPatches", "members on random feature subsets, with background members", "rows, drift, many features"),
    "ddd": _entry("ensemble.bagging.ddd", "DDD", "bagging of low and high diversity, before and after a drift", "rows, uncertain drift alarms"),
    "ace": _entry("ensemble.weighted.ace", "ACE", "an online model, and batch models for recurring concepts", "rows, recurring concepts"),
    "ocb": _entry("ensemble.boosting.ocb", "OCB", "online boosting by coordinate descent on member weights", "rows, boosting without drift"),
    "dwm": _entry("ensemble.weighted.dwm", "DWM", "experts lose weight on errors; ensemble errors add an expert", "rows, base learners of any kind"),
    "winnow": _entry("linear_model.winnow", "Winnow", "multiplicative weight updates on errors", "many binary features, few relevant"),
    "weighted-majority": _entry("ensemble.weighted.weighted_majority", "WeightedMajority", "a fixed pool of experts; an error lowers an expert's weight", "a pool of your own models"),
    "flora2": _entry("rules.flora", "FLORA2", "conjunctions over a window of adaptive size; nominal features", "nominal features, readable rules"),
    "flora3": _entry("rules.flora", "FLORA3", "FLORA2 that stores and reuses stable descriptions", "nominal features, readable rules, recurring concepts"),
    "stagger": _entry("rules.stagger", "STAGGER", "boolean descriptions weighted by their odds; nominal features", "nominal features, readable rules, noise"),
    "rcd": _entry("ensemble.weighted.rcd", "RCD", "a model per concept, selected by a two-sample test", "rows, recurring concepts with changed features"),
    "artmap": _entry("neural_network.fuzzy_artmap", "FuzzyARTMAP", "hyperboxes that grow around the rows of a class", "base learner that accepts new classes"),
    "hoeffding": _entry("tree.hoeffding_tree", "HoeffdingTree", "incremental decision tree (VFDT)", "rows, little time"),
    "hat": _entry("tree.hoeffding_adaptive_tree", "HoeffdingAdaptiveTree", "Hoeffding tree that replaces subtrees whose error rises", "rows, drift, a single tree"),
    "cart": _entry("tree.cart", "CART", "classification tree", "base learner of chunk ensembles"),
    "stump": _entry("tree.stump", "Stump", "decision stump: one split on one feature", "base learner of boosting"),
    "boosting": _entry("ensemble.boosting.adaboost", "Boosting", "AdaBoost.M1, AdaBoost.M2 or arc-x4 on one chunk", "base learner of chunk ensembles"),
    "naive-bayes": _entry("naive_bayes.gaussian_nb", "GaussianNB", "incremental Gaussian naive Bayes", "rows, little time"),
    "logistic": _entry("linear_model.logistic", "Logistic", "online logistic regression with several learning rates", "rows, linear concepts"),
    "mlp": _entry("neural_network.mlp_goal", "MLPGoal", "multilayer perceptron trained to an error goal", "base learner of the Learn++ papers"),
    "smote": _entry("ensemble.chunk.smote", "SMOTE", "one model per chunk, trained on data oversampled with SMOTE", "chunks with rare classes"),
    "no-change": _entry("dummy.no_change", "NoChange", "baseline: predicts the last label", "baseline"),
    "majority": _entry("dummy.majority", "Majority", "baseline: predicts the most frequent label", "baseline"),
    "refit": _entry("dummy.refit", "Refit", "baseline: any classifier, refitted on the last chunks", "baseline"),
}
# fmt: on


def exports(package: str) -> dict[str, str]:
    """Return the learners of a package: module below ``driftlearn`` by class name."""
    inside = package.removeprefix("driftlearn").lstrip(".")
    return {
        learner.name: learner.module
        for learner in LEARNERS.values()
        if f"{learner.module}.".startswith(f"{inside}." if inside else "")
    }
