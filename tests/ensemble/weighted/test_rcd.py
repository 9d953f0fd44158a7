"""RCD: recurring concepts, invalid parameters, invalid states."""

import numpy as np
import pytest

from driftlearn import GaussianNBClassifier, RCDClassifier
from driftlearn.io.schema import InvalidStateError, check
from driftlearn.streams import Drifting, Sine


def returning(n_rows=8_000):
    concepts = Sine(function=1), Sine(function=2)
    stream = Drifting(concepts, order=(0, 1, 0, 1), n_rows=n_rows, random_state=0)
    return stream.take(n_rows)


def watched(model, X, y):
    """Train row by row; return the rows of drifts and recurrences, and the current model's id."""
    drifts, returns, present = [], [], []
    for i in range(len(y)):
        before = (model.n_drifts_, model.n_returns_) if i else (0, 0)
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        drifts += [i] * (model.n_drifts_ - before[0])
        returns += [i] * (model.n_returns_ - before[1])
        present.append(int(model.members_["id"][model.members_["weight"].argmax()]))
    return drifts, returns, np.array(present)


def test_stored_models_return_with_their_concept():
    X, y = returning()
    model = RCDClassifier(GaussianNBClassifier(), min_rows=15, random_state=0)
    drifts, returns, present = watched(model, X, y)
    assert returns and set(returns) <= {*drifts, *range(499, 8_000, 500)}
    first = returns[0]
    assert present[first] in present[: first - 1] and present[first] != present[first - 1]
    assert model.n_members_ <= model.n_drifts_ + 1
    assert model.members_["weight"].sum() == 1.0
    predicted = model.predict_proba(X[:50])
    alone = model.estimators_[int(model.members_["weight"].argmax())]
    expected = np.zeros((50, 2))
    alone.scores_many(X[:50], expected)
    np.testing.assert_allclose(predicted, expected)


def test_number_of_models_is_limited():
    X, y = returning()
    model = RCDClassifier(n_estimators=2, alpha=0.9, random_state=0)
    for start in range(0, 8_000, 500):
        model.partial_fit(X[start : start + 500], y[start : start + 500])
        assert model.n_members_ == len(model.engine_.buffers) <= 2
    assert model.n_drifts_ > 2 and model.members_["created_at"].min() > 1


@pytest.mark.parametrize("compare", ["labelled", "rows"])
def test_what_is_compared(compare):
    """Rows with swapped labels are another concept only if labels are compared."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] > 0).astype(int)
    model = RCDClassifier(compare=compare, random_state=0).partial_fit(X[:200], y[:200])
    sample = X[200:], 1 - y[200:]
    window = model.engine_.buffers[0]
    kept = np.array(window.rows()), np.array(window.labels())
    assert model.engine_._match(kept, (X[200:], y[200:]), rng)
    assert model.engine_._match(kept, sample, rng) == (compare == "rows")


def test_too_few_permutations_are_refused():
    model = RCDClassifier(alpha=0.05, n_permutations=18)
    with pytest.raises(ValueError, match="n_permutations=18 is too small for alpha="):
        model.partial_fit(np.zeros((2, 1)), [0, 1])
    assert not hasattr(model, "classes_")
    RCDClassifier(alpha=0.05, n_permutations=19).partial_fit(np.zeros((2, 1)), [0, 1])


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda state: state["buffers"].pop(), r"buffers.*length"),
        (lambda state: state.update(current=9), "current model of RCD does not exist"),
        (lambda state: state.update(background=None, rows=state["buffers"][0]), "stored together"),
        (
            lambda state: state.update(seen_classes=state["seen_classes"][:1]),
            r"seen_classes.*length",
        ),
    ],
)
def test_invalid_states_are_rejected(spoil, problem):
    X, y = returning(2_000)
    engine = RCDClassifier(random_state=0).partial_fit(X, y).engine_
    state = engine.get_state()
    check(type(engine), state)
    spoil(state)
    with pytest.raises(InvalidStateError, match=problem):
        check(type(engine), state)
