"""New, missing, recurring and rare classes in the learners of the family."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from driftlearn import (
    CARTClassifier,
    GaussianNBClassifier,
    LearnPPClassifier,
    LearnPPMTClassifier,
    LearnPPNCClassifier,
    LearnPPUDClassifier,
    LearnPPUDNCClassifier,
    SMOTEClassifier,
)
from driftlearn.base.chunk import Chunk
from driftlearn.ensemble.chunk.smote import oversampled
from tests.reference.bases import naive_bayes_base
from tests.reference.smote import SmoteReference, library_draw, smote, with_means

FAMILY = [
    LearnPPClassifier,
    LearnPPMTClassifier,
    LearnPPNCClassifier,
    LearnPPUDClassifier,
    LearnPPUDNCClassifier,
]
CONSULTING = [LearnPPMTClassifier, LearnPPNCClassifier, LearnPPUDNCClassifier]
CENTRES = 4 * np.array([[0, 0], [2, 0], [0, 2], [2, 2], [1, 4]])


def data(counts, seed=0):
    """Rows of separated clusters; ``counts[c]`` rows of class c."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(counts)), counts)
    return CENTRES[y] + rng.normal(size=(len(y), 2)), y


def recall(model, c, seed=99):
    counts = [0] * 5
    counts[c] = 100
    X, y = data(counts, seed)
    return float((model.predict(X) == y).mean())


@pytest.mark.parametrize("learner", CONSULTING)
def test_a_new_class_is_not_out_voted(learner):
    """Eight members cannot predict class 2, three can: they decide, unlike in plain voting."""
    base, how = GaussianNBClassifier(), {"random_state": 0}
    model = learner(base, 8, **how).partial_fit(*data([60, 60]))
    plain = LearnPPClassifier(base, 8, **how).partial_fit(*data([60, 60]))
    for other in (model, plain):
        other.set_params(n_per_chunk=3).partial_fit(*data([60, 60, 60], seed=1))
    assert recall(model, 2) > 0.9
    assert recall(plain, 2) < 0.1
    assert min(recall(model, c) for c in (0, 1)) > 0.8


@pytest.mark.parametrize("learner", CONSULTING)
def test_several_new_classes_at_once(learner):
    model = learner(GaussianNBClassifier(), random_state=0).partial_fit(*data([60, 60]))
    model.partial_fit(*data([60, 60, 60, 60, 60], seed=1))
    assert list(model.classes_) == [0, 1, 2, 3, 4]
    assert min(recall(model, c) for c in range(5)) > 0.8


@pytest.mark.parametrize("learner", FAMILY)
def test_disappearing_classes_are_retained(learner):
    """Members trained on a class keep voting for it; when it returns it is predicted at once."""
    model = learner(GaussianNBClassifier(), random_state=0).partial_fit(*data([60, 60, 60]))
    model.partial_fit(*data([60, 60, 0], seed=1))
    assert list(model.classes_) == [0, 1, 2]
    assert recall(model, 2) > 0.5, "one data set without the class must not erase it"
    model.partial_fit(*data([60, 60, 60], seed=2))
    assert recall(model, 2) > 0.9


@pytest.mark.parametrize("learner", FAMILY)
def test_a_data_set_of_one_class(learner):
    """First: the class is predicted. Later: it is learned, and the others are retained."""
    X, y = data([40])
    model = learner(random_state=0).partial_fit(X, y)
    assert (model.predict(X) == 0).all()
    model = learner(GaussianNBClassifier(), random_state=0).partial_fit(*data([60, 60]))
    X, y = data([0, 0, 40], seed=1)
    model.partial_fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    assert list(model.classes_) == [0, 1, 2]


@pytest.mark.parametrize("learner", FAMILY)
def test_a_class_seen_with_one_row(learner):
    """The row is in every sample, the class in every member's list; nothing fails."""
    X, y = data([60, 60, 1])
    model = learner(CARTClassifier(min_samples_split=2), random_state=0).partial_fit(X, y)
    assert list(model.classes_) == [0, 1, 2]
    assert all(2 in known for known in model.members_["classes"])
    model.partial_fit(*data([60, 60, 60], seed=1))
    assert recall(model, 2) > 0.8


@pytest.mark.parametrize("learner", FAMILY)
@pytest.mark.parametrize("base", [LogisticRegression(), LinearSVC()], ids=["logistic", "svm"])
def test_a_base_learner_that_refuses_one_class(learner, base):
    """scikit-learn's linear models reject a single class; a constant classifier replaces them."""
    model = learner(base, 2, random_state=0).partial_fit(*data([30])).partial_fit(*data([30, 30]))
    assert recall(model, 1) > 0.5


@pytest.mark.parametrize("learner", FAMILY)
def test_a_base_learner_without_sample_weight(learner):
    """Nearest neighbors take no weights: members are trained on weighted samples."""
    X, y = data([40, 40])
    w = np.where(y == 0, 1.0, 3.0)
    for resampling in (True, False):
        base = KNeighborsClassifier(3)
        model = learner(base, 3, resampling=resampling, random_state=0)
        assert model.partial_fit(X, y, sample_weight=w).score(X, y) > 0.9


@pytest.mark.parametrize("learner", FAMILY)
def test_a_validation_set_with_unknown_classes(learner):
    """An unknown label counts as a misclassified row and is not an error."""
    X, y = data([40, 40])
    held, labels = data([10, 10, 10], seed=5)
    model = learner(GaussianNBClassifier(), 4, random_state=0)
    model.partial_fit(X, y, validation=(held, labels))
    assert list(model.classes_) == [0, 1]
    assert 1 <= len(model.members_) <= 4
    with pytest.raises(ValueError, match=r"validation set has 1 features, but \w+ is expecting 2"):
        model.partial_fit(X, y, validation=(held[:, :1], labels))
    with pytest.raises(ValueError, match="validation set has 30 rows and 3 labels"):
        model.partial_fit(X, y, validation=(held, labels[:3]))
    assert not hasattr(model, "_validation")


def test_a_held_out_share_chooses_the_size():
    X, y = data([60, 60, 60])
    model = LearnPPClassifier(GaussianNBClassifier(), 6, validation_share=0.3, random_state=0)
    assert len(model.partial_fit(X, y).members_) < 6
    assert model.counts_.sum() == len(y) - 3 * int(0.3 * 60)


@pytest.mark.parametrize("learner", FAMILY)
def test_ties_between_sizes(learner):
    """The sizes equal those of ensembles with this maximum."""
    X, y = data([40, 40, 40])
    held, labels = data([20, 20, 20], seed=5)
    sizes = range(1, 9)
    scores = [
        learner(GaussianNBClassifier(), n, random_state=0).partial_fit(X, y).score(held, labels)
        for n in sizes
    ]
    best = [n for n, score in zip(sizes, scores) if score == max(scores)]
    assert len(best) > 1
    for ties, expected in (("first", best[0]), ("last", best[-1])):
        model = learner(GaussianNBClassifier(), 8, ties=ties, random_state=0)
        assert len(model.partial_fit(X, y, validation=(held, labels)).members_) == expected
    with pytest.raises(ValueError, match=r"'ties' parameter .* must be a str among"):
        learner(ties="middle").partial_fit(X, y)


def as_chunk(counts, seed=0):
    X, y = data(counts, seed)
    return Chunk(X, y, np.ones(len(y)), np.arange(len(counts)))


@pytest.mark.parametrize("n_neighbors", [1, 5])
@pytest.mark.parametrize("rare", [1, 2, 3, 20, 29, 30])
def test_oversampling(rare, n_neighbors):
    """A class below half of the largest is oversampled; the reference draws the same rows."""
    X, y = data([60, 30, rare, 5])
    w = np.random.default_rng(1).uniform(0.5, 2.0, size=len(y))
    rng, reference_rng = np.random.default_rng(0), np.random.default_rng(0)
    filled = oversampled(Chunk(X, y, w, np.arange(4)), rng, n_neighbors)
    rows, labels = smote(X, y, reference_rng, n_neighbors, library_draw)
    np.testing.assert_array_equal(filled.X, rows)
    np.testing.assert_array_equal(filled.y, labels)
    np.testing.assert_array_equal(filled.w, with_means(y, w, labels))
    assert np.bincount(filled.y).tolist() == [60, 30, 60 if rare < 30 else 30, 60]
    assert rng.random() == reference_rng.random()


@pytest.mark.parametrize("n_neighbors", [2, 5])
def test_smote_against_its_reference(n_neighbors):
    model = SMOTEClassifier(GaussianNBClassifier(), n_neighbors=n_neighbors, random_state=3)
    reference = SmoteReference(naive_bayes_base()[0], n_neighbors, library_draw, random_state=3)
    probe = np.random.default_rng(5).uniform(-2, 18, size=(200, 2))
    for seed, counts in enumerate([[40, 30, 6], [40, 1, 7, 3], [0, 5, 20]]):
        X, y = data(counts, seed)
        w = np.random.default_rng(seed).uniform(0.5, 2.0, size=len(y))
        model.partial_fit(X, y, sample_weight=w)
        reference.partial_fit(X, y, w)
        np.testing.assert_array_equal(model.predict(probe), reference.predict(probe))


def test_smote_has_no_memory():
    model = SMOTEClassifier(GaussianNBClassifier(), random_state=0)
    model.partial_fit(*data([60, 60, 3])).partial_fit(*data([60, 0, 3], seed=1))
    assert recall(model, 2) > 0.9
    assert recall(model, 1) == 0
    assert len(model.members_) == 1


def test_udnc_with_smote_helps_a_rare_class():
    """At 1:60 the recall of the rare class is not lower with synthetic rows."""
    found = {}
    for oversample in (None, "smote"):
        model = LearnPPUDNCClassifier(GaussianNBClassifier(), oversample=oversample, random_state=0)
        for seed in range(3):
            model.partial_fit(*data([120, 120, 2], seed))
        found[oversample] = recall(model, 2)
        assert model.counts_[:, 2].tolist() == [2, 2, 2], "synthetic rows are not counted"
    assert found["smote"] >= found[None]
