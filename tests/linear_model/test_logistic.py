import numpy as np
import pytest
from sklearn.datasets import load_iris

from driftlearn import (
    DWMClassifier,
    IBoostClassifier,
    LogisticClassifier,
    NSOnlineBoostClassifier,
    OnlineBaggingClassifier,
    SEAClassifier,
)
from driftlearn.linear_model._logistic_model import LogisticModel
from driftlearn.streams import Hyperplane, LabelNoise


def right(learner, X, y):
    return float((learner.test_then_train(X, y) == y).mean())


def test_slicing_does_not_matter():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    X[::7, 1] = np.nan
    whole = LogisticClassifier().fit(X, names)
    sliced = LogisticClassifier()
    for i in range(len(y)):
        sliced.partial_fit(X[i : i + 1], names[i : i + 1])
    assert np.array_equal(whole.predict_proba(X), sliced.predict_proba(X))


def test_units_do_not_matter():
    """Scaling by powers of two changes no bit; any other scaling changes no label."""
    X, y = Hyperplane(n_rows=1_000, random_state=0).take(1_000)
    plain = LogisticClassifier().test_then_train(X, y)
    assert np.array_equal(LogisticClassifier().test_then_train(X * 2.0**40, y), plain)
    assert np.array_equal(LogisticClassifier().test_then_train(X / 37 + 5, y), plain)


@pytest.mark.parametrize(
    ("stream", "low", "high"),
    [
        (Hyperplane(n_rows=6_000, random_state=5), 0.003, 0.1),
        (LabelNoise(Hyperplane(n_rows=6_000, random_state=5), 0.1, random_state=5), 0.3, 0.003),
    ],
    ids=["quick", "noisy"],
)
def test_several_rates_are_about_as_good_as_the_better_one(stream, low, high):
    X, y = stream.take(6_000)
    worse, better = (right(LogisticClassifier((rate,)), X, y) for rate in (low, high))
    assert worse < better - 0.01
    assert right(LogisticClassifier(), X, y) > better - 0.005


@pytest.mark.parametrize("ensemble", [OnlineBaggingClassifier, DWMClassifier, SEAClassifier])
def test_ensembles_take_it(ensemble):
    X, y = Hyperplane(n_rows=1_500, random_state=0).take(1_500)
    model = ensemble(LogisticClassifier(), random_state=0)
    for part in np.split(np.arange(1_500), 5):
        model.partial_fit(X[part], y[part])
    assert model.score(X[-300:], y[-300:]) > 0.9


@pytest.mark.parametrize("ensemble", [NSOnlineBoostClassifier, IBoostClassifier])
def test_boosted_members_are_compiled_models(ensemble):
    X, y = Hyperplane(n_rows=300, random_state=0).take(300)
    model = ensemble(LogisticClassifier((0.3,)), n_estimators=3, random_state=0).partial_fit(X, y)
    found = model.committee_.models
    found = found if isinstance(found, list) else found.models
    assert len(found) == 3 and all(type(each) is LogisticModel for each in found)


@pytest.mark.parametrize("make", [LogisticClassifier, lambda rates: DWMClassifier(
    LogisticClassifier(rates)
)], ids=["alone", "in an ensemble"])  # fmt: skip
@pytest.mark.parametrize("rates", [(), (0.1, -1), [0.0], ["fast"], [[0.1]]])
def test_rates_must_be_rates(make, rates):
    with pytest.raises(ValueError, match=r"'rates' parameter .* one or more numbers in the range"):
        make(rates).fit([[0.0], [1.0]], [0, 1])
