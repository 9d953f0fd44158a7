"""The committee of online models: methods, columns, objects."""

import numpy as np
import pytest

from driftlearn.base._engine import restore
from driftlearn.ensemble._online_committee import OnlineCommittee
from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel

X = np.array([[0.0], [1.0], [0.2], [0.9]])


def committee_of(n, **row):
    committee = OnlineCommittee(1, 2, ("weight", "error", "age"))
    for _ in range(n):
        committee.add(NaiveBayesModel(1, 2), **row)
    return committee


def test_numbers_start_where_they_should():
    committee = committee_of(2, age=3.0)
    committee.n_rows = 9
    committee.add(NaiveBayesModel(1, 2), weight=0.5)
    assert committee["id"].tolist() == [1, 2, 3]
    assert committee["created_at"].tolist() == [1, 1, 10]
    assert committee["weight"].tolist() == [1, 1, 0.5]
    assert committee["age"].tolist() == [3, 3, 0]


def test_columns_are_read_and_written():
    committee = committee_of(3)
    committee["weight"] *= [1, 2, 4]
    committee["error"] = 0.25
    assert committee["weight"].tolist() == [1, 2, 4]
    assert committee["error"].tolist() == [0.25] * 3
    with pytest.raises(KeyError, match=r"no column 'nothing'.* weight, error, age"):
        committee["nothing"]


def test_objects_of_later_members():
    """Objects that only later members have are None for the others."""
    committee = committee_of(1)
    committee.add(NaiveBayesModel(1, 2), note="a")
    committee.add(NaiveBayesModel(1, 2))
    assert committee["note"] == [None, "a", None]
    committee.drop(0)
    assert committee["note"] == ["a", None]


def test_update_and_predict():
    """All members at once equal one at a time; weight 0 skips a member."""
    together, alone = committee_of(2), committee_of(2)
    for i, y in enumerate([0, 1, 0, 1]):
        together.update(X, i, y, np.array([1.0, 0.0]))
        alone.update_one(0, X, i, y, 1.0)
    assert together.predict(X, 3).tolist() == [1, -1]
    assert [alone.predict_one(j, X, 3) for j in range(2)] == [1, -1]
    assert together.describe()["classes"].tolist() == [[1, 1], [0, 0]]
    np.testing.assert_array_equal(together.scores(X), alone.scores(X))
    np.testing.assert_array_equal(together.scores(X), [[1, 0], [0, 1], [1, 0], [0, 1]])
    blended = together.blend(X, together["weight"])
    np.testing.assert_allclose(blended.sum(axis=1), 1.0)


def test_best_class_is_among_the_seen_classes():
    committee = committee_of(1)
    assert committee.best_class() == -1
    committee.observe_class(1)
    assert committee.best_class() == 1


def test_state_is_a_copy():
    committee = committee_of(2)
    state = committee.get_state()
    committee["weight"] = 7.0
    committee.drop(0)
    other = restore(OnlineCommittee, state)
    assert len(other) == 2 and other["weight"].tolist() == [1, 1]
    other.add(NaiveBayesModel(1, 2))
    assert len(state["models"]) == 2


WRONG = {
    "a member that is not there": (IndexError, lambda c: c.predict_one(2, X, 0)),
    "a member from the end": (IndexError, lambda c: c.update_one(-1, X, 0, 0, 1.0)),
    "a row that is not there": (IndexError, lambda c: c.predict(X, 4)),
    "a row from the end": (IndexError, lambda c: c.update(X, -1, 0, np.ones(2))),
    "no rows": (IndexError, lambda c: c.predict(np.zeros((0, 1)), 0)),
    "rows of another width": (ValueError, lambda c: c.predict(np.zeros((2, 3)), 0)),
    "rows that are no rows": (ValueError, lambda c: c.predict(None, 0)),
    "a class that is not there": (ValueError, lambda c: c.update(X, 0, 2, np.ones(2))),
    "a negative class": (ValueError, lambda c: c.update_one(0, X, 0, -1, 1.0)),
    "a class to meet": (ValueError, lambda c: c.observe_class(2)),
    "too many weights": (ValueError, lambda c: c.update(X, 0, 0, np.ones(3))),
    "weights that are none": (ValueError, lambda c: c.update(X, 0, 0, None)),
    "a weight without end": (ValueError, lambda c: c.update(X, 0, 0, [1.0, np.inf])),
    "too few weights": (ValueError, lambda c: c.tally(X, np.ones(1))),
    "votes on other rows": (ValueError, lambda c: c.scores(np.zeros((3, 2)))),
    "a number as a member": (TypeError, lambda c: c.add(3)),
    "nobody as a member": (TypeError, lambda c: c.replace(0, None)),
    "a model of other classes": (ValueError, lambda c: c.add(NaiveBayesModel(1, 5))),
    "a text as a number": (ValueError, lambda c: c.add(NaiveBayesModel(1, 2), weight="a")),
    "nobody to dismiss": (IndexError, lambda c: c.drop(2)),
    "a column of letters": (ValueError, lambda c: OnlineCommittee(1, 2, "weight")),
    "a column twice": (ValueError, lambda c: OnlineCommittee(1, 2, ("id",))),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_named_and_change_nothing(case):
    problem, call = WRONG[case]
    committee = committee_of(2)
    with pytest.raises(problem):
        call(committee)
    assert len(committee) == 2 and committee.n_admitted == 2
    assert committee.predict(X, 0).tolist() == [-1, -1]


def test_rows_and_weights_of_any_make():
    """Lists, integers and slices are accepted, compiled or not."""
    committee = committee_of(2)
    committee.update(np.asfortranarray(np.hstack([X, X]))[:, :1], 0, 0, [1, 0])
    committee.update(X.astype(np.float32), 1, 1, np.array([2, 1]))
    committee.update_one(0, X, 0, 0, 0.0)
    assert committee.describe()["classes"].tolist() == [[1, 1], [0, 1]]
