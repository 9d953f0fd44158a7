"""DYNSE: recurring concepts, windows, limits, nominal features."""

import numpy as np
import pytest

from driftlearn import DYNSEClassifier
from driftlearn.streams import Drifting, Sine

SELECTIONS = "knora-e", "knora-u", "ola", "lca"


def returning():
    """Return chunks of 250 rows: a concept, its opposite, the first one again."""
    concepts = Sine(function=1), Sine(function=2)
    stream = Drifting(concepts, order=(0, 1, 0), n_rows=6_000, random_state=0)
    return [(batch.X, batch.y) for batch in stream.chunks(250)]


@pytest.mark.parametrize("selection", SELECTIONS)
def test_recurring_concepts_are_predicted_by_old_members(selection):
    """After one chunk, members trained on the concept dominate, unlike a new model."""
    chunks = returning()
    model = DYNSEClassifier(selection=selection, n_window=1, n_neighbors=5, random_state=0)
    for X, y in chunks[:17]:
        model.partial_fit(X, y)
    X, y = chunks[17]
    fresh = DYNSEClassifier(random_state=0).partial_fit(*chunks[16])
    assert model.score(X, y) > fresh.score(X, y)


@pytest.mark.parametrize("prune", ["age", "accuracy"])
def test_limits_hold(prune):
    model = DYNSEClassifier(n_estimators=3, n_window=2, prune=prune, random_state=0)
    for number, (X, y) in enumerate(returning()[:12]):
        model.partial_fit(X, y)
        assert model.n_members_ == min(number + 1, 3)
        assert len(model.validation_X_) == 250 * min(number + 1, 2)
        assert (model.validation_X_[:250] == X[::-1]).all()
    born = model.members_["created_at"].tolist()
    assert born == [10, 11, 12] if prune == "age" else max(born) == 12


def test_the_least_accurate_on_the_window_goes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    y = X[:, 0] > 0
    model = DYNSEClassifier(n_estimators=2, n_window=1, prune="accuracy", random_state=0)
    for labels in (y, ~y, y):
        model.partial_fit(X, labels)
    assert model.members_["created_at"].tolist() == [1, 3]
    assert model.members_["error"].tolist() == [0.0, 0.0]


def test_a_class_that_comes_late_and_sorts_first():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    model = DYNSEClassifier(n_window=2, random_state=0)
    model.partial_fit(X, np.where(X[:, 0] > 0, "m", "z"))
    before = model.predict(X)
    model.partial_fit(X + 10, np.full(200, "a"))
    assert list(model.classes_) == ["a", "m", "z"]
    assert (model.predict(X) == before).all() and (model.predict(X + 10) == "a").all()


def test_names_of_categories():
    """Distances of categories do not depend on their codes."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(40), rng.integers(5, size=40)])
    y = (X[:, 1] % 2).astype(int)
    other = X.copy()
    other[:, 1] = np.array([70, 3, 0, 9, 21])[X[:, 1].astype(int)]
    plain, renamed = (DYNSEClassifier(nominal_features=[1], random_state=0) for _ in range(2))
    plain.partial_fit(X, y)
    renamed.partial_fit(other, y)
    assert (plain._near(X) == renamed._near(other)).all()
    assert not (DYNSEClassifier().partial_fit(X, y)._near(X) == plain._near(X)).all()


@pytest.mark.parametrize("nominal", [[2], [True]])
def test_names_must_be_columns(nominal):
    model = DYNSEClassifier(nominal_features=nominal)
    with pytest.raises(ValueError, match="must be column indices of X, which has 2 features"):
        model.partial_fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert not hasattr(model, "classes_")
