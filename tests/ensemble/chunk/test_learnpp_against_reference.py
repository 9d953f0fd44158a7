"""The Learn++ family against its reference implementations, for every value of every option."""

import numpy as np
import pytest

from driftlearn import (
    CARTClassifier,
    GaussianNBClassifier,
    LearnPPClassifier,
    LearnPPMTClassifier,
    LearnPPNCClassifier,
    LearnPPUDClassifier,
    LearnPPUDNCClassifier,
)
from tests.chunk_streams import chunks
from tests.reference.bases import cart_base, naive_bayes_base
from tests.reference.learnpp import (
    LearnPPMTReference,
    LearnPPNCReference,
    LearnPPReference,
    LearnPPUDNCReference,
    LearnPPUDReference,
)

RULES = {"min_samples_split": 6, "min_samples_leaf": 1, "max_depth": 2}
TRAIN, _ = cart_base(**RULES)
FAMILY = {
    "learn++": (LearnPPClassifier, LearnPPReference),
    "mt": (LearnPPMTClassifier, LearnPPMTReference),
    "nc": (LearnPPNCClassifier, LearnPPNCReference),
    "ud": (LearnPPUDClassifier, LearnPPUDReference),
    "udnc": (LearnPPUDNCClassifier, LearnPPUDNCReference),
}
BASES = {
    "cart": (CARTClassifier(**RULES), TRAIN),
    "naive bayes": (GaussianNBClassifier(), naive_bayes_base()[0]),
}
EVERY = pytest.mark.parametrize("kind", FAMILY)
PROBE = np.random.default_rng(5).uniform(size=(40, 3)).round(3)


def compare(kind, weighted=False, validation=False, stream=None, base="cart", **how):
    product_class, reference_class = FAMILY[kind]
    how = {"n_per_chunk": 3, "random_state": 3, **how}
    product = product_class(BASES[base][0], **how)
    reference = reference_class(BASES[base][1], **how)
    stream = chunks(8, weighted=weighted) if stream is None else stream
    for t, (X, y, w) in enumerate(stream):
        held = next(chunks(1, rows=25, seed=100 + t))[:2]
        extra = {"validation": held} if validation else {}
        product.partial_fit(X, y, sample_weight=w, **extra)
        reference.partial_fit(X, y, w, **extra)
        np.testing.assert_array_equal(product.classes_, reference.classes)
        assert len(product.members_) == len(reference.members)
        np.testing.assert_array_equal(product.predict(PROBE), reference.predict(PROBE))
        scores = reference.scores(PROBE)
        expected = scores / scores.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(product.predict_proba(PROBE), expected, rtol=1e-9, atol=1e-12)
        assert product.n_weak_ == reference.n_weak
    return product, reference


@EVERY
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("resampling", [True, False], ids=["drawn", "weights"])
@pytest.mark.parametrize("composite", ["sub", "all"])
@pytest.mark.parametrize("initial", ["evaluate", "uniform"])
def test_loop(kind, weighted, resampling, composite, initial):
    base = "cart" if resampling else "naive bayes"  # a split depends on the last bit of a weight
    how = {"resampling": resampling, "composite": composite, "initial": initial}
    compare(kind, weighted, base=base, **how)


@EVERY
@pytest.mark.parametrize(
    "how",
    [
        {"sample_size": 15},
        {"sample_size": 0.5},
        {"sample_size": 0.7, "replacement": False},
        {"error_floor": 1e-10},
        {"error_floor": 0.2},
        {"early_stop": True},
        {"n_per_chunk": 1},
    ],
    ids=str,
)
def test_numbers(kind, how):
    compare(kind, **how)


@EVERY
def test_validation_chooses_the_size(kind):
    product, _ = compare(kind, validation=True, n_per_chunk=4)
    assert len(product.members_) < 8 * 4


@EVERY
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("validation_share", [0.01, 0.25, 0.9])
def test_a_share_chooses_the_size(kind, validation_share, weighted):
    """A share of less than one row of each class sets no row apart: all members are kept."""
    how = {"n_per_chunk": 4, "validation_share": validation_share}
    product, reference = compare(kind, weighted, **how)
    np.testing.assert_array_equal(
        product.counts_.sum(axis=1), [sum(n.values()) for n in reference.N.values()]
    )
    assert (len(product.members_) < 8 * 4) == (validation_share > 0.01)


@EVERY
def test_a_validation_set_goes_before_the_share(kind):
    product, _ = compare(kind, validation=True, n_per_chunk=4, validation_share=0.5)
    assert product.counts_.sum() == 8 * 40


@pytest.mark.parametrize("composite", ["sub", "all"])
@pytest.mark.parametrize("validation", [False, True], ids=["all", "chosen"])
def test_both_published_votes(composite, validation):
    compare("learn++", vote="hypothesis", composite=composite, validation=validation)


@pytest.mark.parametrize("transfer", ["power", None])
def test_transfer_function(transfer):
    compare("udnc", transfer=transfer)


def rare(weighted):
    """Return clusters with a rare class, a class with one row, and repeated rows."""
    rng = np.random.default_rng(8)
    for counts in ([20, 15, 7, 1], [20, 6, 0, 3], [4, 18, 8, 2], [1, 4, 15, 0]):
        y = np.repeat(np.arange(4), counts)
        X = rng.normal(size=(len(y), 3)) + y[:, None] / 2
        X[1] = X[0]
        w = rng.integers(1, 5, size=len(y)) / 2.0 if weighted else np.ones(len(y))
        yield X, np.array(["c", "a", "b", "d"])[y], w


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("replacement", [True, False], ids=["again", "once"])
@pytest.mark.parametrize("base", BASES)
def test_oversampling(base, replacement, weighted):
    """Equal draws give equal synthetic rows, members and distributions."""
    how = {"oversample": "smote", "replacement": replacement, "sample_size": 0.8}
    compare("udnc", stream=rare(weighted), base=base, **how)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_oversampling_of_weighted_rows(weighted):
    """All rows count, also equal ones; a synthetic row has the mean weight of its class."""
    how = {"oversample": "smote", "resampling": False}
    compare("udnc", stream=rare(weighted), base="naive bayes", **how)


@EVERY
@pytest.mark.parametrize("on_weak", ["clip", "drop"])
@pytest.mark.parametrize("max_retries", [0, 3])
def test_weak_members(kind, on_weak, max_retries):
    """Random labels: many members are worse than chance, as in the reference."""
    product_class, reference_class = FAMILY[kind]
    how = {"n_per_chunk": 4, "random_state": 1, "on_weak": on_weak, "max_retries": max_retries}
    product = product_class(CARTClassifier(**RULES), **how)
    reference = reference_class(TRAIN, **how)
    rng = np.random.default_rng(0)
    for _ in range(4):
        X, y = rng.uniform(size=(30, 3)), rng.integers(5, size=30)
        product.partial_fit(X, y)
        reference.partial_fit(X, y)
        np.testing.assert_array_equal(product.predict(PROBE), reference.predict(PROBE))
    assert product.n_weak_ == reference.n_weak > 0
    assert len(product.members_) == len(reference.members)


@EVERY
def test_weak_members_can_be_an_error(kind):
    """In this case the model is unchanged."""
    rng = np.random.default_rng(0)
    product_class, _ = FAMILY[kind]
    base = CARTClassifier(max_depth=1)
    model = product_class(base, on_weak="raise", max_retries=1, random_state=0)
    model.partial_fit(
        rng.normal(size=(50, 3)) + np.repeat([[0], [9]], 25, axis=0), [0] * 25 + [1] * 25
    )
    before = model.predict_proba(PROBE)
    with pytest.raises(ValueError, match="no member for data set 2"):
        model.partial_fit(rng.uniform(size=(60, 3)), rng.integers(6, size=60))
    np.testing.assert_array_equal(before, model.predict_proba(PROBE))
    assert list(model.classes_) == [0, 1]
