"""Class weights multiply row weights: by label, by chunk, or by the rows so far."""

from collections import Counter

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.class_weight import compute_sample_weight

import driftlearn as dl
from driftlearn.base.class_weight import HEAVIEST_CLASS
from driftlearn.checks import CHECKS
from driftlearn.checks._suite import same, seeded
from driftlearn.io import dumps, loads
from tests.ensemble.boosting.boosted_cases import Nearest

LEARNERS = [
    learner
    for name in dl.__all__
    if name.endswith("Classifier")
    and "class_weight" in (learner := getattr(dl, name)()).get_params(deep=False)
]
PLAIN = [learner for learner in LEARNERS if not isinstance(learner, dl.AutoClassifier)]
# the first two ignore features; for the others a row counts as one whatever its weight
BLIND = {
    "MajorityClassifier", "NoChangeClassifier",
    "FLORA2Classifier", "FLORA3Classifier", "STAGGERClassifier", "WinnowClassifier",
}  # fmt: skip
RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 3))
Y = (X @ [2.0, 1.0, 0.0] + RNG.normal(size=240) > 2.5).astype(int)
Y[60] = Y[180] = 1
W = RNG.uniform(0.5, 2.0, size=240)
CALLS = [slice(0, 100), slice(100, 101), slice(101, 240)]
BY_NAME = {check.__name__: check for check in CHECKS}


def name_of(learner):
    return type(learner).__name__


def so_far(labels):
    """Return the balanced weight of each row given the rows before it, row by row."""
    seen, weights = Counter(), []
    for n, label in enumerate(labels, start=1):
        seen[label] += 1
        weights.append(min(n / (len(seen) * seen[label]), HEAVIEST_CLASS))
    return np.array(weights)


def learned(learner, weights, **options):
    """Return a learner trained on all rows, call by call, or at once if it has no partial_fit."""
    model = seeded(learner).set_params(**options)
    if not hasattr(model, "partial_fit"):
        return model.fit(X, Y, sample_weight=weights)
    for rows in CALLS:
        model.partial_fit(X[rows], Y[rows], sample_weight=weights[rows])
    return model


def test_all_learners_that_use_features_have_class_weight():
    names = {name for name in dl.__all__ if name.endswith("Classifier")}
    assert {name_of(learner) for learner in LEARNERS} == names - BLIND


@pytest.mark.parametrize("learner", PLAIN, ids=name_of)
def test_by_label(learner):
    """Classes that are not named have weight 1."""
    weighed = learned(learner, W, class_weight={1: 3, 7: 9})
    same(weighed, learned(learner, np.where(Y == 1, W * 3.0, W)), X, "weights by class, and by row")


@pytest.mark.parametrize("learner", PLAIN, ids=name_of)
def test_balanced(learner):
    """Row by row the counts so far are used, otherwise scikit-learn's rule per chunk."""
    if learner._by_row:
        weights = so_far(Y)
    elif hasattr(learner, "partial_fit"):
        weights = np.concatenate([compute_sample_weight("balanced", Y[rows]) for rows in CALLS])
    else:
        weights = compute_sample_weight("balanced", Y)
    same(learned(learner, W, class_weight="balanced"), learned(learner, W * weights), X, "balanced")


@pytest.mark.parametrize("learner", LEARNERS, ids=name_of)
def test_calls_do_not_matter(learner):
    balanced = clone(learner).set_params(class_weight="balanced")
    for name in ("calls_do_not_matter", "slicing_does_not_matter", "same_state_same_bytes"):
        if name == "calls_do_not_matter" and not learner._by_row:
            continue
        if name == "slicing_does_not_matter" and not hasattr(learner, "chunk_size"):
            continue
        if hasattr(learner, "partial_fit"):
            BY_NAME[name](balanced)


def test_auto_classifier():
    """Candidates are trained with these weights, and their scores count them."""
    candidates = {"bayes": dl.GaussianNBClassifier(), "last label": dl.NoChangeClassifier()}
    model = dl.AutoClassifier(
        candidates, combine="vote", eval_interval=240, window=240, class_weight="balanced"
    )
    weights = so_far(Y)
    bayes = dl.GaussianNBClassifier()
    right = bayes.test_then_train(X, Y, sample_weight=weights).filled(-1) == Y
    model.partial_fit(X, Y)
    same(model.candidates_["bayes"], bayes, X, "a player, and the learner alone")
    share = (weights * right)[1:].sum() / weights[1:].sum()
    assert model.members_["accuracy"][0] == pytest.approx(share, abs=1e-12)


def test_rejected_rows_are_not_counted():
    model = dl.FLBClassifier(Nearest(X[75, 0]), block_size=10, class_weight="balanced")
    model.partial_fit(X[:50], Y[:50])
    with pytest.raises(RuntimeError, match="row 29"):  # which completes the block
        model.partial_fit(X[50:90], Y[50:90])
    assert model.class_counts_.tolist() == np.bincount(Y[:79]).tolist()


def test_a_class_in_between_and_the_heaviest():
    y = np.array([5] * 300 + [3])
    model = dl.GaussianNBClassifier(class_weight="balanced").partial_fit(np.zeros((301, 1)), y)
    assert model.class_counts_.tolist() == [1, 300]
    assert so_far(y.tolist())[-1] == HEAVIEST_CLASS
    assert model.predict_proba([[0.0]])[0, 0] == pytest.approx(100 / 400)


def test_transfer():
    """A transferred tree weights the new rows, too."""
    tree = dl.CARTClassifier(class_weight="balanced").fit(X[:100], Y[:100])
    plain = dl.CARTClassifier().fit(
        X[:100], Y[:100], sample_weight=compute_sample_weight("balanced", Y[:100])
    )
    later = X[100:], Y[100:]
    same(
        tree.transfer(*later),
        plain.transfer(*later, sample_weight=compute_sample_weight("balanced", Y[100:])),
        X,
        "a balanced tree",
    )


@pytest.mark.parametrize("class_weight", [{"a": 2.0, "b": 3}, {0: 2.5, 1: 1e-3}, "balanced"])
def test_files(class_weight):
    labels = Y if class_weight == "balanced" or 0 in class_weight else np.array(["a", "b"])[Y]
    for model in (dl.AWEClassifier(), dl.OAUEClassifier(), dl.HoeffdingTreeClassifier()):
        model.set_params(class_weight=class_weight).partial_fit(X, labels)
        loaded = loads(dumps(model))
        assert loaded.class_weight == class_weight
        again = model.partial_fit(X, labels)
        same(again, loaded.partial_fit(X, labels), X, "a loaded model")


@pytest.mark.parametrize(
    "class_weight, problem",
    [
        ({"0": 2.0}, "has the key '0', but the labels are numbers"),
        ({0: 0}, r"class_weight\[0\] must be a number between 1e-100 and 1e\+100. Got 0 instead"),
        ({0: "much"}, "Got 'much'"),
        ({0: np.nan}, "Got nan"),
        ("balance", "class_weight"),
        ([1, 2], "class_weight"),
    ],
)
@pytest.mark.parametrize("kind", [dl.AWEClassifier, dl.OAUEClassifier, dl.CARTClassifier])
def test_refused(kind, class_weight, problem):
    model = kind(class_weight=class_weight)
    with pytest.raises(ValueError, match=problem):
        model.fit(X, Y)
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("base", [dl.StumpClassifier, dl.GaussianNBClassifier, dl.CARTClassifier])
@pytest.mark.parametrize("kind", [dl.FLBClassifier, dl.IBoostClassifier])
def test_members_of_online_ensembles_have_no_class_weight(kind, base):
    with pytest.raises(ValueError, match="set it on the ensemble"):
        kind(base(class_weight="balanced")).fit(X, Y)


def test_members_of_chunk_ensembles_may_have_class_weight():
    """The weights balance the members' training rows, and the ensemble evaluates on rows."""
    tree = dl.CARTClassifier(min_samples_leaf=5, class_weight="balanced")
    inside = learned(dl.AWEClassifier(tree), W)
    outside = learned(dl.AWEClassifier(), W, class_weight="balanced")
    np.testing.assert_array_equal(inside.estimators_[0].value_, outside.estimators_[0].value_)
    with pytest.raises(ValueError, match="the labels are numbers"):
        dl.AWEClassifier(dl.CARTClassifier(class_weight={"1": 2})).fit(X, Y)


@pytest.mark.parametrize(
    "weights, problem",
    [
        ({None: 2.0}, "has the key None"),
        ({(0, 1): 2.0}, r"has the key \(0, 1\)"),
        ({0: 10**400}, "must be a number between"),
        ({0: np.nan}, "must be a number between"),
    ],
    ids=["None", "tuple", "long", "nan"],
)
def test_invalid_labels_and_weights(weights, problem):
    for learner in (dl.DWMClassifier(), dl.SEAClassifier()):
        with pytest.raises(ValueError, match=problem):
            learner.set_params(class_weight=weights).fit(X, Y)
