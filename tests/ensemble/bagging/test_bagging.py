"""Properties of the bagging variants and of OAUE."""

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier

from driftlearn import (
    AdaptiveRandomForestClassifier,
    ADWINBaggingClassifier,
    GaussianNBClassifier,
    LeveragingBaggingClassifier,
    OAUEClassifier,
    OnlineBaggingClassifier,
    OOBClassifier,
    StreamingRandomPatchesClassifier,
    UOBClassifier,
)
from driftlearn.ensemble.bagging._output_codes import OutputCodeModel
from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
from tests.ensemble.test_online_ensembles import flipped

BAYES = GaussianNBClassifier()


def learned(model):
    """Return the weight with which each member was trained on each class."""
    return np.array([m.get_state()["weight"] for m in model.estimators_]).mean(axis=0)


def rare(n=4_000, share=0.1, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=(n, 2)) + y[:, None], y


def shaken(n=2_400):
    """Return a stream whose labels swap every 150 rows, so that members are replaced often."""
    rng = np.random.default_rng(1)
    X = rng.random((n, 3))
    y = (X[:, 0] > 0.5) ^ (np.arange(n) // 150 % 2 == 1)
    return X, np.where(rng.random(n) < 0.1, 2, y.astype(int))


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize(
    ("kind", "params", "count"),
    [
        (ADWINBaggingClassifier, {"replace": "fired"}, "n_replaced_"),
        (ADWINBaggingClassifier, {"replace": "worst"}, "n_replaced_"),
        (LeveragingBaggingClassifier, {"codes": True}, "n_replaced_"),
        (AdaptiveRandomForestClassifier, {}, "n_drifts_"),
        (StreamingRandomPatchesClassifier, {"estimator": BAYES}, "n_drifts_"),
    ],
)
def test_replacements_depend_on_rows_only(kind, params, count, n_jobs):
    """Members replaced within a batch equal those replaced row by row."""
    X, y = shaken()
    models = [kind(**params, random_state=0, n_jobs=n) for n in (n_jobs, 1)]
    for model, size in zip(models, (600, 7)):
        for k in range(0, len(y), size):
            model.partial_fit(X[k : k + size], y[k : k + size], classes=[0, 1, 2])
    together, apart = models
    assert getattr(together, count) == getattr(apart, count) > 15
    for name in ("id", "created_at", "error", "classes", "size"):
        assert list(together.members_[name]) == list(apart.members_[name]), name
    assert len({*together.members_["id"]}) == 10
    born = np.array(together.members_["created_at"])
    assert (np.diff(born[np.argsort(together.members_["id"])]) >= 0).all()
    np.testing.assert_array_equal(together.predict_proba(X), apart.predict_proba(X))


@pytest.mark.parametrize(
    ("kind", "rate"), [(ADWINBaggingClassifier, 1), (AdaptiveRandomForestClassifier, 6)]
)
def test_a_member_that_cannot_be_made_leaves_all_at_the_same_row(kind, rate):
    """After a failure all members are trained on the same rows, with one thread and with three."""

    class Failing(kind):
        def _new_model(self, seed=None):
            if hasattr(self, "engine_"):
                raise MemoryError("no room for a model")
            return super()._new_model(seed)

    X, y = shaken()
    models = [Failing(BAYES, random_state=0, n_jobs=n) for n in (1, 3)]
    for model in models:
        with pytest.raises(RuntimeError, match="no room for a model"):
            model.partial_fit(X, y, classes=[0, 1, 2])
    one, three = models
    assert 0 < one.n_rows_ == three.n_rows_ < len(y)
    np.testing.assert_array_equal(one.predict_proba(X), three.predict_proba(X))
    drawn = np.array([m.weight_seen for m in one.estimators_]) - one.n_rows_ * rate
    assert np.abs(drawn).max() < 5 * np.sqrt(one.n_rows_ * rate)  # sums of Poisson draws


@pytest.mark.parametrize("theta", [0.9, 0.99])
def test_rates_follow_the_sizes_of_classes(theta):
    """Training weights follow the decayed class sizes, row by row."""
    X, y = rare()
    sizes, expected = np.zeros(2), {"over": np.zeros(2), "under": np.zeros(2)}
    seen = set()
    for code in y:
        sizes = theta * sizes + (1 - theta) * (np.arange(2) == code)
        seen.add(code)
        expected["over"][code] += sizes.max() / sizes[code]
        expected["under"][code] += sizes[list(seen)].min() / sizes[code]
    for kind, name in (OOBClassifier, "over"), (UOBClassifier, "under"):
        model = kind(BAYES, 20, theta=theta, random_state=0).partial_fit(X, y)
        np.testing.assert_allclose(model.class_sizes_, sizes, rtol=1e-12)
        np.testing.assert_allclose(learned(model), expected[name], rtol=0.05)
    assert expected["under"].sum() < len(y) < expected["over"].sum()


def test_resampling_finds_the_rare_class():
    X, y = rare(6_000, 0.03)
    recall = {}
    for kind in (OnlineBaggingClassifier, OOBClassifier, UOBClassifier):
        predicted = kind(BAYES, random_state=0).partial_fit(X[:5_000], y[:5_000]).predict(X[5_000:])
        recall[kind] = (predicted[y[5_000:] == 1] == 1).mean()
    assert recall[OOBClassifier] > recall[OnlineBaggingClassifier] + 0.2
    assert recall[UOBClassifier] > recall[OnlineBaggingClassifier] + 0.2


def test_equal_classes_are_bagged():
    """Without a persistently rare class, OOB is close to bagging."""
    X, y = rare(4_000, 0.5)
    total = learned(OOBClassifier(BAYES, theta=0.999, random_state=0).partial_fit(X, y)).sum()
    assert 4_000 < total < 4_600


@pytest.mark.parametrize(
    ("draws", "mean"), [("leveraging", 6.0), ("half", 0.5), ("wt", 2.0), ("subag", 1 - np.exp(-1))]
)
def test_how_often_rows_are_learned(draws, mean):
    X, y = rare(4_000, 0.5)
    model = LeveragingBaggingClassifier(BAYES, draws=draws, delta=1e-12, random_state=0)
    model.partial_fit(X, y)
    assert model.n_replaced_ == 0
    assert learned(model).sum() / len(y) == pytest.approx(mean, rel=0.02)


def test_me_learns_mistakes():
    """Members are trained on all misclassified rows and on as many others."""
    X, y = rare(6_000, 0.5)
    model = LeveragingBaggingClassifier(BAYES, draws="me", delta=1e-12, random_state=0)
    error = 1 - (model.test_then_train(X, y) == y).mean()
    assert learned(model).sum() / len(y) == pytest.approx(2 * error, rel=0.15)


@pytest.mark.parametrize("codes", [False, True])
def test_leveraging_bagging_replaces_after_a_flip(codes):
    make = LeveragingBaggingClassifier
    first, right = flipped(make(BAYES, codes=codes, replace="fired", random_state=0))
    assert 3_000 < first < 3_100 and right > 0.9
    first, _ = flipped(make(BAYES, codes=codes, random_state=0))
    assert 3_000 < first < 3_100


def classes_on_a_line(n=3_000, n_classes=6, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    return np.c_[3.0 * y + rng.normal(size=n), rng.normal(size=n)], y


@pytest.mark.parametrize("vote", ["soft", "majority"])
@pytest.mark.parametrize("base", [None, SGDClassifier(loss="log_loss")], ids=["tree", "external"])
def test_output_codes(base, vote):
    """Members split the classes in halves, each in its own way; together they separate them.

    With few members two classes may be on the same side everywhere; these get equal votes.
    """
    X, y = classes_on_a_line(3_000 if base is None else 600)
    n = 30 if base is None else 5
    model = LeveragingBaggingClassifier(base, n, codes=True, vote=vote, random_state=0)
    model.partial_fit(X, y)
    sides = np.array([np.asarray(member.side) for member in model.estimators_])
    assert (np.sort(sides, axis=1) == [1, 1, 1, 2, 2, 2]).all()
    assert len(np.unique(sides, axis=0)) > 3
    proba = model.predict_proba(X[:50])
    for a in range(6):
        for b in range(a):
            if (sides[:, a] == sides[:, b]).all():
                np.testing.assert_array_equal(proba[:, a], proba[:, b])
    if base is None:
        assert model.score(X, y) > 0.8


def test_output_codes_vote_for_groups_of_classes():
    X, y = classes_on_a_line(600)
    model = OutputCodeModel(NaiveBayesModel(2, 2), 3, 6, soft=True)
    out = np.ones((600, 6))
    model.scores_many(X, out)
    assert (out == 0).all() and model.predict_one(X, 0) == -1
    model.learn_many(X[:1], y[:1], np.zeros(1))
    assert model.weight_seen == 0 and not np.any(model.side)
    model.learn_many(X, y, np.full(600, 2.0))
    reference = model.copy()
    reference.learn_many(X, y, np.ones(600))
    assert (model.weight_seen, reference.weight_seen) == (1_200, 1_800)
    assert model.inner.weight_seen == 1_200
    model.scores_many(X, out)
    side = np.asarray(model.side)
    np.testing.assert_allclose(out[:, side == 1].mean(axis=1) + out[:, side == 2].mean(axis=1), 1)
    predicted = [model.predict_one(X, i) for i in range(600)]
    assert (side[predicted] == side[out.argmax(axis=1)]).all()
    assert set(predicted) == {np.flatnonzero(side == 1)[0], np.flatnonzero(side == 2)[0]}


def test_the_window_of_oaue():
    """Weights equal those from squared errors on the last rows, summed from scratch."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 2))
    y = np.where(np.arange(700) < 350, X[:, 0] > 0, X[:, 0] <= 0).astype(int)
    d, k = 50, 3
    model = OAUEClassifier(BAYES, k, window_size=d, weighting="nonlinear")
    errors, joined = {}, {}
    for i in range(700):
        row = slice(i, i + 1)
        if i:
            reported = model.members_
            for j, member in enumerate(model.committee_.models[:-1]):
                out = np.zeros((1, len(model.classes_)))
                member.scores_many(X[row], out)
                known = np.flatnonzero(model.classes_ == y[i])
                p = out[0, known[0]] if len(known) else 0.0
                errors.setdefault(reported["id"][j], []).append((1 - p) ** 2)
        model.partial_fit(X[row], y[row])
        reported = model.members_
        if i + 1 < d:
            assert len(reported) == 1 and reported["weight"][0] == 1.0
            continue
        if (i + 1) % d == 0:
            joined[reported["id"][-2]] = i + 1
            mean = {key: np.mean(e[-d:]) for key, e in errors.items()}
            gone = set(errors) - set(reported["id"])
            assert not gone or (gone == {max(mean, key=mean.get)} and len(errors) == k)
            errors = {key: e for key, e in errors.items() if key not in gone}
        share = np.bincount(y[i + 1 - d : i + 1]) / d
        guessing = (share * (1 - share) ** 2).sum()
        mse = [np.mean(errors[key][-d:]) if key in errors else 0.0 for key in reported["id"][:-1]]
        np.testing.assert_allclose(
            reported["weight"][:-1], 1 / (guessing + mse + np.float64(1e-10))
        )
        assert reported["weight"][-1] == 0.0 and np.isnan(reported["error"][-1])
    assert len(joined) == 700 // d and model.n_members_ == k + 1
    assert model.score(X[600:], y[600:]) > 0.9


def test_linear_weights_of_oaue():
    X, y = rare(400, 0.5)
    model = OAUEClassifier(BAYES, 3, window_size=40, weighting="linear").partial_fit(X, y)
    reported, share = model.members_, np.bincount(y[-40:]) / 40
    tested = ~np.isnan(reported["error"])
    expected = (share * (1 - share) ** 2).sum() - reported["error"][tested]
    np.testing.assert_allclose(reported["weight"][tested], np.maximum(expected, 1e-10))


def test_a_window_of_one_class_keeps_weights_finite():
    X, y = rare(120, 0.0)
    model = OAUEClassifier(window_size=10).partial_fit(X, y, classes=[0, 1])
    assert np.isfinite(model.members_["weight"]).all()
    np.testing.assert_array_equal(model.predict_proba(X), [[1.0, 0.0]] * 120)
