"""The committee of online models: verbs, columns, things."""

import numpy as np
import pytest

from driftlearn.engines.engine import restore
from driftlearn.engines.naive_bayes import NaiveBayesModel
from driftlearn.engines.online_committee import OnlineCommittee

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
    assert committee["born"].tolist() == [1, 1, 10]
    assert committee["weight"].tolist() == [1, 1, 0.5]
    assert committee["age"].tolist() == [3, 3, 0]


def test_columns_are_read_and_written():
    committee = committee_of(3)
    committee["weight"] *= [1, 2, 4]
    committee["error"] = 0.25
    assert committee["weight"].tolist() == [1, 2, 4]
    assert committee["error"].tolist() == [0.25] * 3
    with pytest.raises(ValueError):
        committee["nothing"]


def test_things_that_came_late():
    """A thing that only later members have is None for the others."""
    committee = committee_of(1)
    committee.add(NaiveBayesModel(1, 2), note="a")
    committee.add(NaiveBayesModel(1, 2))
    assert committee["note"] == [None, "a", None]
    committee.drop(0)
    assert committee["note"] == ["a", None]


def test_teaching_and_asking():
    """All members at once, or one: the same; weight 0 passes a member over."""
    together, alone = committee_of(2), committee_of(2)
    for i, y in enumerate([0, 1, 0, 1]):
        together.teach(X, i, y, np.array([1.0, 0.0]))
        alone.teach_one(0, X, i, y, 1.0)
    assert together.ask(X, 3).tolist() == [1, -1]
    assert [alone.ask_one(j, X, 3) for j in range(2)] == [1, -1]
    assert together.describe()["classes"].tolist() == [[1, 1], [0, 0]]
    np.testing.assert_array_equal(together.scores(X), alone.scores(X))
    np.testing.assert_array_equal(together.scores(X), [[1, 0], [0, 1], [1, 0], [0, 1]])
    blended = together.blend(X, together["weight"])
    np.testing.assert_allclose(blended.sum(axis=1), 1.0)


def test_winner_is_among_the_classes_that_have_come():
    committee = committee_of(1)
    assert committee.winner() == -1
    committee.meet(1)
    assert committee.winner() == 1


def test_state_is_a_copy():
    committee = committee_of(2)
    state = committee.get_state()
    committee["weight"] = 7.0
    committee.drop(0)
    other = restore(OnlineCommittee, state)
    assert len(other) == 2 and other["weight"].tolist() == [1, 1]
    other.add(NaiveBayesModel(1, 2))
    assert len(state["models"]) == 2
