"""Numbers, window and models of a boosted committee always match."""

import pickle

import numpy as np
import pytest

from driftlearn.ensemble._row_window import RowWindow
from driftlearn.ensemble.boosting._boosted_committee import BoostedCommittee
from driftlearn.ensemble.boosting._boosted_engine import go_back, snapshot
from driftlearn.ensemble.boosting._fixed_models import FixedStumps
from driftlearn.ensemble.boosting.iboost import IBoostClassifier
from driftlearn.ensemble.boosting.windowed_adaboost import boost
from tests.ensemble.boosting.boosted_cases import bands, same


def made(n=60, n_classes=3):
    """Return the committee of a learner in mid-stream, and the rows."""
    X, y, _ = bands(0, n, n_classes)
    model = IBoostClassifier(n_estimators=20, window_size=30).partial_fit(X, y)
    return model.committee_, X


def test_boost_replaces_the_members():
    committee, _ = made()
    before = committee.n_admitted
    boost(committee, 12)
    table = committee.describe()
    assert 1 < len(committee) <= 12
    assert table["id"].tolist() == list(range(before + 1, committee.n_admitted + 1))
    assert (table["created_at"] == 61).all() and (table["weight"] > 0).all()
    predicted = committee.models.codes(committee.window.rows())
    assert predicted.T.tolist() == committee.window.get_state()["codes"].tolist()
    wrong = predicted != committee.window.labels()
    assert table["error"] == pytest.approx(wrong.mean(axis=1))
    assert (table["classes"].sum(axis=0) > 0).sum() == committee.window.n_present


def test_scores_by_what_is_on_file():
    committee, X = made()
    predicted = committee.predict_subset(list(range(len(committee))), X)
    assert predicted.dtype == np.int8
    where = np.arange(len(committee))
    np.testing.assert_array_equal(committee.count(predicted, where), committee.scores(X))
    alpha = committee.describe()["weight"]
    votes = np.array([[alpha[predicted[:, i] == c].sum() for c in range(3)] for i in range(len(X))])
    assert committee.scores(X) == pytest.approx(votes)


def test_a_class_without_rows_gets_no_vote():
    committee, X = made(n_classes=2)
    committee.widen(np.array([0, 2]), 3)
    assert (committee.scores(X)[:, 1] == -np.inf).all()
    assert committee.describe()["classes"].shape == (len(committee), 3)
    same(committee, pickle.loads(pickle.dumps(committee)))


def test_without_rows_the_members_stay():
    committee, X = made()
    votes = committee.scores(X)
    committee.release_rows()
    assert committee.window.n == 0 and committee.window.n_members == len(committee) > 0
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(committee)).scores(X), votes)


def test_back_to_a_snapshot():
    X, y, _ = bands(0, 200)
    model = IBoostClassifier(n_estimators=9, window_size="adwin").partial_fit(X[:90], y[:90])
    before, saved = pickle.loads(pickle.dumps(model.engine_)), snapshot(model.engine_)
    model.partial_fit(X[90:], 1 - y[90:])
    assert model.engine_.committee.n_rows == 200
    go_back(saved)
    same(model.engine_, before)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", np.zeros(1)),
        ("id", np.zeros(99, dtype=np.int64)),
        ("member_classes", np.zeros((0, 3), dtype=np.uint8)),
        ("known", np.array([0, 3], dtype=np.intp)),
        ("window", RowWindow(2, 3, 5)),
        ("models", FixedStumps()),
    ],
)
def test_parts_that_do_not_fit(name, value):
    committee, _ = made()
    state = {**committee.get_state(), name: value}
    with pytest.raises(ValueError, match="are inconsistent"):
        BoostedCommittee(RowWindow(2, 3, 5), FixedStumps()).set_state(state)


def test_stumps_of_features_and_classes_that_are_not_there():
    for name, value in (("feature", 2), ("left", 3)):
        committee, _ = made()
        stumps = committee.models.get_state()
        stumps[name][0] = value
        state = committee.get_state()
        state["models"].set_state(stumps)
        with pytest.raises(ValueError, match="are inconsistent"):
            committee.set_state(state)
