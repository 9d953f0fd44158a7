"""The Learn++ family against its twins, for every value of every option."""

import numpy as np
import pytest
from chunk_streams import chunks
from twins.bases import cart_base, naive_bayes_base
from twins.learnpp import (
    LearnPPMTTwin,
    LearnPPNCTwin,
    LearnPPTwin,
    LearnPPUDNCTwin,
    LearnPPUDTwin,
)

from driftlearn import (
    CARTClassifier,
    GaussianNBClassifier,
    LearnPPClassifier,
    LearnPPMTClassifier,
    LearnPPNCClassifier,
    LearnPPUDClassifier,
    LearnPPUDNCClassifier,
)

RULES = {"min_samples_split": 6, "min_samples_leaf": 1, "max_depth": 2}
TRAIN, _ = cart_base(**RULES)
FAMILY = {
    "learn++": (LearnPPClassifier, LearnPPTwin),
    "mt": (LearnPPMTClassifier, LearnPPMTTwin),
    "nc": (LearnPPNCClassifier, LearnPPNCTwin),
    "ud": (LearnPPUDClassifier, LearnPPUDTwin),
    "udnc": (LearnPPUDNCClassifier, LearnPPUDNCTwin),
}
BASES = {
    "cart": (CARTClassifier(**RULES), TRAIN),
    "naive bayes": (GaussianNBClassifier(), naive_bayes_base()[0]),
}
EVERY = pytest.mark.parametrize("kind", FAMILY)
PROBE = np.random.default_rng(5).uniform(size=(40, 3)).round(3)


def compare(kind, weighted=False, validation=False, n_chunks=8, base="cart", **how):
    product_class, twin_class = FAMILY[kind]
    how = {"n_per_chunk": 3, "random_state": 3, **how}
    product = product_class(BASES[base][0], **how)
    twin = twin_class(BASES[base][1], **how)
    held = [next(chunks(1, rows=25, seed=100 + t)) for t in range(n_chunks)]
    for t, (X, y, w) in enumerate(chunks(n_chunks, weighted=weighted)):
        extra = {"validation": held[t][:2]} if validation else {}
        product.partial_fit(X, y, sample_weight=w, **extra)
        twin.partial_fit(X, y, w, **extra)
        np.testing.assert_array_equal(product.classes_, twin.classes)
        assert len(product.members_) == len(twin.members)
        np.testing.assert_array_equal(product.predict(PROBE), twin.predict(PROBE))
        scores = twin.scores(PROBE)
        expected = scores / scores.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(product.predict_proba(PROBE), expected, rtol=1e-9, atol=1e-12)
        assert product.n_weak_ == twin.n_weak
    return product, twin


@EVERY
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("resampling", [True, False], ids=["drawn", "weights"])
@pytest.mark.parametrize("composite", ["sub", "all"])
@pytest.mark.parametrize("initial", ["evaluate", "uniform"])
def test_loop(kind, weighted, resampling, composite, initial):
    base = "cart" if resampling else "naive bayes"  # a split hangs on the last bit of a weight
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


@pytest.mark.parametrize("composite", ["sub", "all"])
@pytest.mark.parametrize("validation", [False, True], ids=["all", "chosen"])
def test_both_published_votes(composite, validation):
    compare("learn++", vote="hypothesis", composite=composite, validation=validation)


@pytest.mark.parametrize("transfer", ["power", None])
def test_transfer_function(transfer):
    compare("udnc", transfer=transfer)


@EVERY
@pytest.mark.parametrize("on_weak", ["clip", "drop"])
@pytest.mark.parametrize("max_retries", [0, 3])
def test_weak_members(kind, on_weak, max_retries):
    """Labels at random: many members are worse than chance, and product and twin agree on them."""
    product_class, twin_class = FAMILY[kind]
    how = {"n_per_chunk": 4, "random_state": 1, "on_weak": on_weak, "max_retries": max_retries}
    product = product_class(CARTClassifier(**RULES), **how)
    twin = twin_class(TRAIN, **how)
    rng = np.random.default_rng(0)
    for _ in range(4):
        X, y = rng.uniform(size=(30, 3)), rng.integers(5, size=30)
        product.partial_fit(X, y)
        twin.partial_fit(X, y)
        np.testing.assert_array_equal(product.predict(PROBE), twin.predict(PROBE))
    assert product.n_weak_ == twin.n_weak > 0
    assert len(product.members_) == len(twin.members)


@EVERY
def test_weak_members_can_be_an_error(kind):
    """... and then the model stays as it was."""
    rng = np.random.default_rng(0)
    product_class, _ = FAMILY[kind]
    base = CARTClassifier(max_depth=1)
    model = product_class(base, on_weak="raise", max_retries=1, random_state=0)
    model.partial_fit(
        rng.normal(size=(50, 3)) + np.repeat([[0], [9]], 25, axis=0), [0] * 25 + [1] * 25
    )
    before = model.predict_proba(PROBE)
    with pytest.raises(ValueError, match="no member of data set 2"):
        model.partial_fit(rng.uniform(size=(60, 3)), rng.integers(6, size=60))
    np.testing.assert_array_equal(before, model.predict_proba(PROBE))
    assert list(model.classes_) == [0, 1]
