"""DTEL's other diversity measures and fewer transfers: experiments and claims."""

import numpy as np
import pytest

from driftlearn.bench.papers.s1.tables import DIVERSITY, FEWER, OTHERS, TABLE_III
from tests.bench.papers.made import met, outcome, result

STREAMS = tuple(DIVERSITY.streams)


def made(seconds=None, **levels):
    """Return an outcome in which learners have accuracy 0.9, or the accuracy given for one."""
    courses = {name: np.full(60, levels.get(name.replace(" ", "_"), 0.9))
               for name in DIVERSITY.learners}  # fmt: skip
    stops = np.arange(1, 61) * 200
    return outcome(DIVERSITY, {s: result(courses, stops, seconds=seconds) for s in STREAMS})


def test_the_measures_and_bounds():
    measures = [learner.diversity for learner in OTHERS.values()]
    assert measures == ["disagreement", "double_fault", "entropy"]
    assert [learner.n_transfers for learner in FEWER.values()] == [10, 5]
    plain = DIVERSITY.learners["DTEL"]
    assert (plain.diversity, plain.n_transfers, plain.n_estimators) == ("q", None, 25)
    shared = {cell.key for cell in TABLE_III.cells([0])}
    assert sum(cell.key not in shared for cell in DIVERSITY.cells([0])) == 5 * 5


@pytest.mark.parametrize(("number", "name"), list(enumerate(OTHERS)))
def test_q_is_compared_with_each_measure(number, name):
    name = name.replace(" ", "_")
    assert met(DIVERSITY.claims[number].check(made(**{name: 0.905})))
    assert not met(DIVERSITY.claims[number].check(made(**{name: 0.92})))


@pytest.mark.parametrize(("number", "name"), list(enumerate(FEWER, start=3)))
def test_fewer_transfers_are_compared_with_all(number, name):
    assert met(DIVERSITY.claims[number].check(made(**{name.replace(" ", "_"): 0.895})))
    assert not met(DIVERSITY.claims[number].check(made(**{name.replace(" ", "_"): 0.88})))
    time = DIVERSITY.claims[number + 2]
    assert time.text == f"{name} faster than DTEL"
    assert met(time.check(made({"DTEL": 3.0, name: 1.0})))
    assert not met(time.check(made({"DTEL": 3.0, name: 4.0})))
