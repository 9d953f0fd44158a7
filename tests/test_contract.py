"""Every public learner passes scikit-learn's checks and those of driftlearn."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    check_param_validation,
    parametrize_with_checks,
)

import driftlearn
from driftlearn.checks import parametrize

LEARNERS = [
    getattr(driftlearn, name)() for name in driftlearn.__all__ if name.endswith("Classifier")
]
STREAMERS = [learner for learner in LEARNERS if hasattr(learner, "partial_fit")]

ROWS = "check_sample_weight_equivalence_on_dense_data"
ROW_LIMITS = (
    "min_samples_split counts rows, not weights: a row of weight two and the row twice are "
    "different to a limit on rows"
)
ROW_ORDER = "one pass over the rows: a row of weight two and the row twice, elsewhere, differ"
DRAWS = "members are trained on draws by the weights: equal in distribution, not in every draw"
POISSON = "every row is drawn a Poisson number of times: equal in distribution, not in every draw"
ONE_ROW = "a row of any weight is one row, as in the paper"
CANDIDATES = "its candidates learn row by row, and some draw"
CLASSES = "check_class_weight_classifiers"
OWN_LEAVES = (
    "a leaf, or a box, whose rows are of one class names it, however light they are; trees of "
    "scikit-learn pass because they are asked for heavier leaves first"
)
BOOSTED = "boosting goes on until light rows are right, too"
# Checks that learners cannot pass, with reasons, by class. A learner inherits those of its base
# classes and may replace a reason; None means that it passes the check.
EXPECTED_SKLEARN = {
    "ChunkClassifier": {ROWS: ROW_LIMITS, CLASSES: OWN_LEAVES},
    "AUE2Classifier": {ROWS: ROW_ORDER},
    "LearnPPFamily": {ROWS: DRAWS, CLASSES: None},
    "LearnPPUDClassifier": {CLASSES: OWN_LEAVES},
    "SMOTEClassifier": {ROWS: DRAWS},
    "OnlineClassifier": {ROWS: ROW_ORDER},
    "FLBClassifier": {ROWS: None},
    "WinnowClassifier": {ROWS: None},
    "FLORA2Classifier": {ROWS: ONE_ROW},
    "STAGGERClassifier": {ROWS: ONE_ROW},
    "EngineClassifier": {CLASSES: OWN_LEAVES},
    "ACEClassifier": {ROWS: None, CLASSES: None},
    "OnlineBaggingClassifier": {ROWS: POISSON},
    "DDDClassifier": {ROWS: POISSON},
    "BoostChainFamily": {ROWS: POISSON, CLASSES: BOOSTED},
    "BoostedClassifier": {CLASSES: None},
    "WindowedAdaBoostClassifier": {CLASSES: BOOSTED},
    "BoostingClassifier": {ROWS: ROW_LIMITS, CLASSES: BOOSTED},
    "CARTClassifier": {ROWS: ROW_LIMITS, CLASSES: OWN_LEAVES},
    "HoeffdingLearner": {ROWS: ROW_ORDER, CLASSES: OWN_LEAVES},
    "FuzzyARTMAPClassifier": {ROWS: DRAWS, CLASSES: OWN_LEAVES},
    "LogisticClassifier": {ROWS: ROW_ORDER},
    "NoChangeClassifier": {ROWS: ROW_ORDER},
    "AutoClassifier": {ROWS: CANDIDATES},
    "OnlineStackingClassifier": {ROWS: CANDIDATES},
}
LEARNING = ("learns", "recovers_from_a_flip", "string_labels")
VALUES = "features are nominal: on numbers that never come again there is nothing to learn"
BLIND = "a baseline that never looks at the features"
STORED = {"bounded_memory": "the predictions of 56 chunks are stored; the check has 60 chunks"}
EXPECTED_OWN = {
    "BlindClassifier": dict.fromkeys((*LEARNING, "class_arrives_late"), BLIND),
    "STAGGERClassifier": dict.fromkeys(LEARNING, VALUES),
    "FLORA2Classifier": {
        **dict.fromkeys(LEARNING, VALUES),
        "no_class_is_impossible": "a class has a description that matches the row, or no vote",
    },
    "LearnPPFamily": {"bounded_memory": "the family keeps every member, by design"},
    "SMOTEClassifier": {
        "earlier_training_is_retained": "it has no memory: four rows leave a model of four rows",
    },
    "AutoClassifier": STORED
    | {"flush_trains_on_buffered_rows": "tables and chunks have different default candidates"},
    "OnlineStackingClassifier": STORED,
    "TIXClassifier": {
        "earlier_training_is_retained": "only the newest model predicts, so a chunk of four rows "
        "leaves a model of four rows",
    },
}


def reasons(estimator, by_class):
    """Return the checks that a learner cannot pass, with reasons."""
    found = {}
    for kind in reversed(type(estimator).__mro__):
        found |= by_class.get(kind.__name__, {})
    return {check: reason for check, reason in found.items() if reason}


@parametrize_with_checks(LEARNERS, expected_failed_checks=lambda e: reasons(e, EXPECTED_SKLEARN))
def test_scikit_learn(estimator, check):
    check(estimator)


@parametrize(STREAMERS, {type(e).__name__: reasons(e, EXPECTED_OWN) for e in STREAMERS})
def test_stream(estimator, check):
    check(estimator)


def test_reasons_are_of_classes_that_exist():
    kinds = {kind.__name__ for estimator in LEARNERS for kind in type(estimator).__mro__}
    assert {*EXPECTED_SKLEARN, *EXPECTED_OWN} <= kinds


@pytest.mark.parametrize("estimator", LEARNERS, ids=lambda e: type(e).__name__)
def test_parameters_are_validated(estimator):
    check_param_validation(type(estimator).__name__, estimator)
    check_dataframe_column_names_consistency(type(estimator).__name__, estimator)


@pytest.mark.parametrize("estimator", STREAMERS, ids=lambda e: type(e).__name__)
def test_changed_column_names(estimator):
    """A frame with other names, or another order, is rejected and does not change the model."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    y = (X["a"] > 0).map({True: "yes", False: "no"})
    model = clone(estimator).partial_fit(X, y)
    before = model.predict_proba(X)
    for other in (X[["b", "a"]], X.rename(columns={"a": "c"})):
        with pytest.raises(ValueError, match="feature names"):
            model.partial_fit(other, y)
    np.testing.assert_array_equal(before, model.predict_proba(X))


@pytest.mark.parametrize("estimator", STREAMERS, ids=lambda e: type(e).__name__)
def test_polars(estimator):
    """polars frames and series are accepted."""
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    X = pl.DataFrame(rng.normal(size=(600, 2)), schema=["a", "b"])
    y = pl.Series(np.where(X["a"] > 0, "yes", "no"))
    model = clone(estimator).partial_fit(X, y)
    assert list(model.feature_names_in_) == ["a", "b"]
    assert list(model.classes_) == ["no", "yes"]
    assert get_tags(model).classifier_tags.poor_score or model.score(X, y) > 0.8
