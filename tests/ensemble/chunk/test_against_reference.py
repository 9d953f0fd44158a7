"""Every chunk learner against its reference implementation, for every value of every option.

The reference has its own base learner too, so that nothing is shared but the specification.
"""

import itertools

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from driftlearn import (
    AUE2Classifier,
    AWEClassifier,
    CARTClassifier,
    DICClassifier,
    DTELClassifier,
    GaussianNBClassifier,
    HoeffdingTreeClassifier,
    LearnPPNSEClassifier,
    SEAClassifier,
    TIXClassifier,
)
from tests.chunk_streams import chunks
from tests.reference.aue2 import AUE2Reference
from tests.reference.awe import AWEReference
from tests.reference.bases import cart_base, hoeffding_base, naive_bayes_base
from tests.reference.dic import DICReference
from tests.reference.dtel import DTELReference
from tests.reference.nse import NSEReference
from tests.reference.sea import SEAReference
from tests.reference.tix import TIXReference

RULES = {"min_samples_split": 6, "min_samples_leaf": 1, "max_depth": None}
CART = CARTClassifier(**RULES)
TRAIN, TRANSFER = cart_base(**RULES)


def agree(product, reference, weighted=False, n_chunks=9):
    """Predictions, scores, weights and births agree after every chunk."""
    probe = np.random.default_rng(5).uniform(size=(60, 3)).round(3)
    for X, y, w in chunks(n_chunks, weighted=weighted):
        product.partial_fit(X, y, sample_weight=w)
        reference.partial_fit(X, y, w)
        np.testing.assert_array_equal(product.classes_, reference.classes)
        np.testing.assert_array_equal(product.predict(probe), reference.predict(probe))
        scores = reference.scores(probe)
        expected = scores / scores.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(product.predict_proba(probe), expected, rtol=1e-9, atol=1e-12)
        table = product.members_
        if len(table):
            np.testing.assert_array_equal(table["created_at"], reference.births)
            weights = table["worth"] if "worth" in table.columns else table["weight"]
            np.testing.assert_allclose(weights, reference.weights, rtol=1e-9, atol=1e-12)


def options(**choices):
    """Return every combination of options as keyword dicts with readable ids."""
    chosen = [dict(zip(choices, values)) for values in itertools.product(*choices.values())]
    return [pytest.param(c, id="-".join(f"{k}={v}" for k, v in c.items())) for c in chosen]


WEIGHTED = pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
TWO_PRUNED = [{}, {"prune": "age", "n_estimators": 3}, {"prune": "error", "n_estimators": 3}]


@WEIGHTED
@pytest.mark.parametrize("prune", TWO_PRUNED, ids=["all", "age", "error"])
@pytest.mark.parametrize("use_distribution", ["error_only", "resample", "sample_weight"])
@pytest.mark.parametrize("weighting", ["sliding", "age", "uniform", "last"])
def test_nse(weighting, use_distribution, prune, weighted):
    # labels vote: a tie of probabilities is decided by the last bit
    how = {"weighting": weighting, "use_distribution": use_distribution, "vote": "hard", **prune}
    product = LearnPPNSEClassifier(CART, random_state=3, **how)
    agree(product, NSEReference(TRAIN, random_state=3, **how), weighted)


@pytest.mark.parametrize("how", options(slope=[0.2, 3.0], crossing=[0, 4], error_floor=[0.01, 0.4]))
@pytest.mark.parametrize("weighting", ["sliding", "age"])
def test_nse_numbers(weighting, how):
    product = LearnPPNSEClassifier(CART, weighting=weighting, **how)
    agree(product, NSEReference(TRAIN, weighting=weighting, **how))


def test_nse_drops_only_negligible_errors():
    """A steep sigmoid stores few errors; its weights equal those of the full record."""
    how = {"slope": 20.0, "crossing": 2}
    product = LearnPPNSEClassifier(CART, **how)
    agree(product, NSEReference(TRAIN, **how), n_chunks=14)
    assert product.committee_["beta"].shape[1] < 14


@pytest.mark.parametrize("max_retries", [0, 4])
def test_nse_retrains_members_worse_than_chance(max_retries):
    """With random labels, samples are often worse than chance: attempts and seeds agree."""
    rng = np.random.default_rng(0)
    how = {"use_distribution": "resample", "max_retries": max_retries, "random_state": 1}
    stump = CARTClassifier(max_depth=1, min_samples_split=2)
    train, _ = cart_base(min_samples_split=2, min_samples_leaf=1, max_depth=1)
    product, reference = LearnPPNSEClassifier(stump, **how), NSEReference(train, **how)
    for _ in range(8):
        X, y = rng.uniform(size=(30, 2)), rng.integers(4, size=30)
        product.partial_fit(X, y)
        reference.partial_fit(X, y)
        np.testing.assert_allclose(product.members_["weight"], reference.weights)
    assert product.n_weak_ == reference.n_weak > 0


@WEIGHTED
@pytest.mark.parametrize("n_estimators", [3, None])
@pytest.mark.parametrize(
    "how", options(quality=["street", "accuracy"], delay=[True, False], vote=["hard", "soft"])
)
def test_sea_original(how, n_estimators, weighted):
    product = SEAClassifier.as_published(CART, n_estimators, **how)
    agree(product, SEAReference(TRAIN, n_estimators, **how), weighted)


@WEIGHTED
@pytest.mark.parametrize("n_estimators", [3, None])
@pytest.mark.parametrize("vote", ["hard", "soft"])
def test_sea_dtel(n_estimators, vote, weighted):
    product = SEAClassifier.as_published(CART, n_estimators, variant="dtel", vote=vote)
    agree(product, SEAReference(TRAIN, n_estimators, variant="dtel", vote=vote), weighted)


@WEIGHTED
@pytest.mark.parametrize("how", options(n_estimators=[2, 15], n_stored=[4, None], n_folds=[2, 10]))
def test_awe(how, weighted):
    agree(AWEClassifier(CART, **how), AWEReference(TRAIN, **how), weighted)


@WEIGHTED
@pytest.mark.parametrize("n_stored", [1, 3])
def test_awe_full_store_and_a_chunk_of_one_class(n_stored, weighted):
    """If no member can beat guessing, the newest is added and predicts alone."""
    product, reference = (
        AWEClassifier(CART, n_stored=n_stored),
        AWEReference(TRAIN, n_stored=n_stored),
    )
    rng = np.random.default_rng(0)
    for t in range(n_stored + 3):
        X = rng.uniform(size=(40, 3))
        y = np.where(X[:, 0] > 0.5, "b", "a") if t <= n_stored else np.full(40, "b")
        w = rng.uniform(0.1, 3.0, size=40) if weighted else np.ones(40)
        product.partial_fit(X, y, sample_weight=w)
        reference.partial_fit(X, y, w)
        np.testing.assert_array_equal(product.predict(X), reference.predict(X))
        np.testing.assert_array_equal(product.members_["created_at"], reference.births)
    assert product.score(X, y) == 1
    assert product.members_["created_at"][-1] == t + 1


@WEIGHTED
@pytest.mark.parametrize("n_estimators", [3, None])
def test_aue2(n_estimators, weighted):
    train, update = naive_bayes_base()
    product = AUE2Classifier.as_published(GaussianNBClassifier(), n_estimators)
    agree(product, AUE2Reference(train, update, n_estimators), weighted)


@WEIGHTED
@pytest.mark.parametrize("leaf_prediction", ["nba", "nb", "majority"])
@pytest.mark.parametrize("n_estimators", [3, None])
def test_aue2_over_hoeffding_trees(n_estimators, leaf_prediction, weighted):
    """The members split, learn the late class, and the lightest one is dropped."""
    rules = {"grace_period": 20, "delta": 0.2, "leaf_prediction": leaf_prediction}
    product = AUE2Classifier.as_published(HoeffdingTreeClassifier(**rules), n_estimators)
    reference = AUE2Reference(*hoeffding_base(**rules), n_estimators)
    agree(product, reference, weighted)
    assert max(product.members_["size"]) >= 3
    assert n_estimators is None or min(reference.births) > 1


def test_aue2_default_base_learner():
    agree(AUE2Classifier.as_published(), AUE2Reference(*hoeffding_base()))


@WEIGHTED
@pytest.mark.parametrize("how", options(n_estimators=[3, None], recursive=[False, True]))
def test_tix(how, weighted):
    product, reference = TIXClassifier(CART, **how), TIXReference(TRAIN, **how)
    probe = np.random.default_rng(5).uniform(size=(60, 3)).round(3)
    for X, y, w in chunks(weighted=weighted):
        product.partial_fit(X, y, sample_weight=w)
        reference.partial_fit(X, y, w)
        np.testing.assert_array_equal(product.predict(probe), reference.predict(probe))
        np.testing.assert_allclose(product.predict_proba(probe), reference.scores(probe))
    assert 0 < reference.d < 0.99


@WEIGHTED
@pytest.mark.parametrize("selection", ["ds", "dv", "dvs"])
@pytest.mark.parametrize("drop", ["interval", "count"])
@pytest.mark.parametrize("nominal", [None, [2]], ids=["numeric", "nominal"])
def test_dic(selection, drop, nominal, weighted):
    mask = None if nominal is None else np.isin(np.arange(3), nominal)
    base = clone(CART).set_params(nominal_features=[])  # nominal in distances only
    product = DICClassifier(
        base, n_estimators=4, selection=selection, drop=drop, nominal_features=nominal
    )
    reference = DICReference(
        TRAIN, n_estimators=4, selection=selection, rule=drop, categorical=mask
    )
    agree(product, reference, weighted)


@pytest.mark.parametrize("how", options(n_neighbors=[1, 100], n_folds=[2, 5]))
def test_dic_numbers(how):
    agree(DICClassifier(CART, **how), DICReference(TRAIN, **how))


@WEIGHTED
@pytest.mark.parametrize("how", options(n_estimators=[3, None], vote=["hard", "soft"]))
def test_dtel(how, weighted):
    product = DTELClassifier(CART, **how)
    reference = DTELReference(TRAIN, TRANSFER, **how)
    agree(product, reference, weighted)
    np.testing.assert_array_equal(product.archive_["created_at"], reference.archive_births)


class External:
    """A scikit-learn classifier in the form that reference implementations expect."""

    def __init__(self, model):
        self.model = model
        self.predict = model.predict

    def proba(self, X, classes):
        table = np.zeros((len(X), len(classes)))
        table[:, np.searchsorted(classes, self.model.classes_)] = self.model.predict_proba(X)
        return table


class Constant:
    def __init__(self, label):
        self.label = label
        self.classes_ = np.array([label])

    def predict(self, X):
        return np.full(len(X), self.label)

    def predict_proba(self, X):
        return np.ones((len(X), 1))


def external_base(make):
    def train(X, y, w, seed):
        if len(set(y.tolist())) == 1:
            return External(Constant(y[0]))
        return External(make().fit(X, y, sample_weight=w))

    return train


@pytest.mark.parametrize("make", [GaussianNB, LogisticRegression])
def test_an_external_base_learner(make):
    """Any scikit-learn classifier: string labels, single classes, weights."""
    for product, reference in [
        (LearnPPNSEClassifier(make(), use_distribution="sample_weight"),
         NSEReference(external_base(make), use_distribution="sample_weight")),
        (SEAClassifier.as_published(make(), 3), SEAReference(external_base(make), 3)),
        (AWEClassifier(make(), 3), AWEReference(external_base(make), 3)),
        (DICClassifier(make(), 3), DICReference(external_base(make), 3)),
        (TIXClassifier(make(), 3), TIXReference(external_base(make), 3)),
    ]:  # fmt: skip
        probe = np.random.default_rng(5).uniform(size=(60, 3)).round(3)
        for X, y, w in chunks(weighted=True):
            product.partial_fit(X, y, sample_weight=w)
            reference.partial_fit(X, y, w)
            np.testing.assert_array_equal(product.predict(probe), reference.predict(probe))
