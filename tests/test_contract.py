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

ROW_LIMITS = (
    "min_samples_split counts rows, not weights: a row of weight two and the row twice are "
    "different to a limit on rows"
)
EXPECTED_SKLEARN = {
    name: {"check_sample_weight_equivalence_on_dense_data": ROW_LIMITS}
    for name in (
        "CARTClassifier",
        "BoostingClassifier",
        "LearnPPNSEClassifier",
        "SEAClassifier",
        "AWEClassifier",
        "DICClassifier",
        "DTELClassifier",
        "DYNSEClassifier",
        "RefitClassifier",
        "TIXClassifier",
    )
}
ROW_ORDER = "one pass over the rows: a row of weight two and the row twice, elsewhere, differ"
EXPECTED_SKLEARN |= {
    name: {"check_sample_weight_equivalence_on_dense_data": ROW_ORDER}
    for name in (
        "HoeffdingTreeClassifier",
        "HoeffdingAdaptiveTreeClassifier",
        "LogisticClassifier",
        "AUE2Classifier",
        "OAUEClassifier",
        "OCBClassifier",
        "WeightedMajorityClassifier",
        "RCDClassifier",
        "DWMClassifier",
        "NoChangeClassifier",
    )
}
LEARNPP = tuple(f"LearnPP{kind}Classifier" for kind in ("", "MT", "NC", "UD", "UDNC"))
DRAWS = "members are trained on draws by the weights: equal in distribution, not in every draw"
EXPECTED_SKLEARN |= {
    name: {"check_sample_weight_equivalence_on_dense_data": DRAWS}
    for name in (*LEARNPP, "SMOTEClassifier", "FuzzyARTMAPClassifier")
}
IN_ORDER = "rows are learned one by one in their order, and the window counts rows, not weights"
EXPECTED_SKLEARN |= {
    name: {"check_sample_weight_equivalence_on_dense_data": IN_ORDER}
    for name in ("IBoostClassifier", "WindowedAdaBoostClassifier")
}
NOMINAL = ("FLORA2Classifier", "FLORA3Classifier", "STAGGERClassifier")
ONE_ROW = "a row of any weight is one row, as in the paper"
EXPECTED_SKLEARN |= {
    name: {"check_sample_weight_equivalence_on_dense_data": ONE_ROW} for name in NOMINAL
}
POISSON = "every row is drawn a Poisson number of times: equal in distribution, not in every draw"
EXPECTED_SKLEARN |= {
    name: {"check_sample_weight_equivalence_on_dense_data": POISSON}
    for name in (
        "OnlineBoostClassifier",
        "NSOnlineBoostClassifier",
        "FLCClassifier",
        "ADWINBaggingClassifier",
        "LeveragingBaggingClassifier",
        "OOBClassifier",
        "OnlineBaggingClassifier",
        "UOBClassifier",
        "AdaptiveRandomForestClassifier",
        "StreamingRandomPatchesClassifier",
        "DDDClassifier",
    )
}
CANDIDATES = "its candidates learn row by row, and some draw"
EXPECTED_SKLEARN |= {
    name: {"check_sample_weight_equivalence_on_dense_data": CANDIDATES}
    for name in ("AutoClassifier", "OnlineStackingClassifier")
}
VALUES = "features are nominal: on numbers that never come again there is nothing to learn"
OWN_LEAVES = (
    "a leaf, or a box, whose rows are of one class names it, however light they are; trees of "
    "scikit-learn pass because they are asked for heavier leaves first"
)
BOOSTED = "boosting goes on until light rows are right, too"
for names, reason in (
    (
        (
            *("AUE2", "AWE", "AdaptiveRandomForest", "CART", "DIC", "DTEL", "FuzzyARTMAP"),
            *("HoeffdingAdaptiveTree", "HoeffdingTree", "LearnPPNSE", "LearnPPUD", "LearnPPUDNC"),
            *("LeveragingBagging", "OAUE", "OOB", "OnlineBagging", "Refit", "SEA", "SMOTE"),
            *("StreamingRandomPatches", "TIX", "UOB", "ADWINBagging", "DWM", "DYNSE", "DDD", "RCD"),
        ),
        OWN_LEAVES,
    ),
    (("Boosting", "FLC", "NSOnlineBoost", "OnlineBoost", "WindowedAdaBoost"), BOOSTED),
):
    for name in names:
        reasons = EXPECTED_SKLEARN.setdefault(f"{name}Classifier", {})
        reasons["check_class_weight_classifiers"] = reason
BLIND = "a baseline that never looks at the features"
EXPECTED_OWN = {
    **{
        name: dict.fromkeys(
            ("learns", "class_arrives_late", "recovers_from_a_flip", "string_labels"), BLIND
        )
        for name in ("MajorityClassifier", "NoChangeClassifier")
    },
    **{
        name: dict.fromkeys(("learns", "recovers_from_a_flip", "string_labels"), VALUES)
        for name in NOMINAL[2:]
    },
    **{
        name: {
            **dict.fromkeys(("learns", "recovers_from_a_flip", "string_labels"), VALUES),
            "no_class_is_impossible": "a class has a description that matches the row, or no vote",
        }
        for name in NOMINAL[:2]
    },
    **{name: {"bounded_memory": "the family keeps every member, by design"} for name in LEARNPP},
    "SMOTEClassifier": {
        "earlier_training_is_retained": "it has no memory: four rows leave a model of four rows",
    },
    **{
        name: {"bounded_memory": "the predictions of 56 chunks are stored; the check has 60 chunks"}
        for name in ("AutoClassifier", "OnlineStackingClassifier")
    },
    "TIXClassifier": {
        "earlier_training_is_retained": "only the newest model predicts, so a chunk of four rows "
        "leaves a model of four rows",
    },
}


def expected(estimator):
    return EXPECTED_SKLEARN.get(type(estimator).__name__, {})


@parametrize_with_checks(LEARNERS, expected_failed_checks=expected)
def test_scikit_learn(estimator, check):
    check(estimator)


@parametrize(STREAMERS, expected_failures=EXPECTED_OWN)
def test_stream(estimator, check):
    check(estimator)


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
