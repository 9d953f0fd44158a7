"""Row by row: one call for many rows gives the records of single calls; folds."""

from itertools import chain

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from driftlearn import ADWINBaggingClassifier, GaussianNBClassifier, IBoostClassifier, SEAClassifier
from driftlearn.evaluate import (
    Evaluation,
    Learn,
    Predict,
    Round,
    cross_validation,
    delayed,
    prequential,
)
from driftlearn.evaluate._rounds import _chunk_by_chunk, delayed_rounds, fold_rounds, grouped
from driftlearn.streams import SEA
from tests.evaluate.fakes import Recorder, Rows

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # naive Bayes of a single row

LEARNERS = {
    "bayes": GaussianNBClassifier(),
    "bagging": ADWINBaggingClassifier(n_estimators=2, random_state=0),
    "boost": IBoostClassifier(n_estimators=3, random_state=0),
    "chunks": SEAClassifier(chunk_size=30, random_state=0),
    "other": GaussianNB(),
}


class Late(Rows):
    """Return ten classes, eight of which appear one by one."""

    def __init__(self, n_rows=150):
        super().__init__(n_rows, classes=tuple(range(10)))

    def label(self, rows):
        rows = np.asarray(rows)
        return rows * 7 % np.clip(rows // 10, 2, 10)


@pytest.mark.parametrize("log_loss", [True, False])
@pytest.mark.parametrize("stream", [SEA(n_rows=230, random_state=0), Late()], ids=["sea", "late"])
def test_one_call_gives_the_records_of_a_call_a_row(stream, log_loss):
    fast = prequential(LEARNERS, stream, chunk_size=1, every=100, log_loss=log_loss)
    slow = Evaluation.start(
        "prequential", LEARNERS, stream, chunk_size=1, every=100, log_loss=log_loss
    )
    for _ in slow.run.steps(grouped(_chunk_by_chunk(stream, 1), 100)):
        pass
    slow = slow.result()
    for name in LEARNERS:
        for key in ("start", "stop", "trained", "confusion", "members", "log_loss"):
            assert np.array_equal(fast.data[name][key], slow.data[name][key], equal_nan=True), key
    assert fast.confusion("bayes").sum() == stream.n_rows - 1
    assert (
        fast.data["bayes"]["predict_seconds"].sum() == 0 < fast.data["other"]["predict_seconds"][0]
    )


def test_it_can_be_stopped_and_taken_up():
    stream = SEA(n_rows=300, random_state=0)
    whole = Evaluation.start("prequential", LEARNERS, stream, chunk_size=1, every=50)
    half = Evaluation.start("prequential", LEARNERS, stream, chunk_size=1, every=50)
    steps = half.steps()
    for _ in range(2 * len(LEARNERS)):
        next(steps)
    assert half.run.position == 2
    again = half.finish()
    for name, data in whole.finish().data.items():
        assert np.array_equal(data["confusion"], again.data[name]["confusion"])


def test_late_labels_are_grouped_by_every():
    stream = SEA(n_rows=200, random_state=0)
    one = delayed(clone(LEARNERS["bayes"]), stream, delay=13, chunk_size=1)
    many = delayed(clone(LEARNERS["bayes"]), stream, delay=13, chunk_size=1, every=50)
    name = one.names[0]
    assert many.data[name]["stop"].tolist() == [50, 100, 150, 200]
    assert np.array_equal(one.confusion(name), many.confusion(name))
    assert many.data[name]["trained"].sum() == 200 - 13


def used(rounds):
    """Return the tested rows and the training rows, in order."""
    tested, learned = [], []
    for round_ in rounds:
        assert isinstance(round_, Round)
        for act in round_.actions:
            (tested if isinstance(act, Predict) else learned).extend(act.X[:, 0].astype(int))
    return tested, learned


@pytest.mark.parametrize("delay", [0, 7])
@pytest.mark.parametrize("chunk_size, every", [(1, 10), (1, None), (10, None), (5, 20)])
def test_every_row_tests_one_fold_and_trains_the_others(chunk_size, every, delay):
    folds = [
        used(fold_rounds(Rows(120), fold, 4, "cross", chunk_size, delay, every))
        for fold in range(4)
    ]
    assert sorted(chain(*(learned for _, learned in folds))) == sorted([*range(120 - delay)] * 3)
    tested = sorted(chain(*(tested for tested, _ in folds)))
    assert len(set(tested)) == len(tested) and set(range(40, 120)) <= set(tested)
    for tested, learned in folds:
        assert not set(tested) & set(learned)
    other = used(fold_rounds(Rows(120), 0, 4, "cross", 1, delay, 7))
    assert set(folds[0][1]) == set(other[1])


def test_split_and_bootstrap():
    split = [used(fold_rounds(Rows(300), fold, 3, "split", 10)) for fold in range(3)]
    assert sorted(chain(*(learned for _, learned in split))) == [*range(300)]
    for tested, learned in split:
        assert not set(tested) & set(learned) and len(tested) > len(learned)
    tested, learned = used(fold_rounds(Rows(2_000), 1, 3, "bootstrap", 10))
    assert not set(tested) & set(learned)
    assert 0.33 < len(tested) / 2_000 < 0.41 and 1_900 < len(learned) < 2_100
    assert learned == sorted(learned)


def test_folds_row_by_row_use_single_calls_if_needed():
    stream = Rows(60)
    result = cross_validation(
        {"rows": Recorder(), "bayes": GaussianNBClassifier()}, stream, 1, every=20, n_folds=2
    )
    assert result.scores("rows").shape == (2, 3) and len(result.seeds) == 2
    assert result.settings["scheme"] == "cross" and result.settings["n_folds"] == 2
    total = sum(one.data["bayes"]["trained"].sum() for one in result.results)
    assert total == 60
    tests = sum(one.confusion("bayes").sum() for one in result.results)
    assert 55 <= tests <= 60


def test_joined_rows_are_those_of_single_rounds():
    """One call gives a fold the same rows as row-by-row calls."""
    joined = used(fold_rounds(Rows(90), 1, 3, "cross", 1, 4, 30))
    single = used(fold_rounds(Rows(90), 1, 3, "cross", 1, 4))
    assert joined == single


@pytest.mark.parametrize(
    "how, problem",
    [
        ({"n_folds": 1}, "n_folds must be an int in the range \\[2, inf\\). Got 1"),
        ({"n_folds": 2.5}, "n_folds must be an int"),
        ({"scheme": "leave"}, "scheme must be one of 'cross', 'split', 'bootstrap'. Got 'leave'"),
    ],
)
def test_bad_folds_are_refused(how, problem):
    with pytest.raises(ValueError, match=problem):
        cross_validation(GaussianNBClassifier(), Rows(40), **how)


def test_an_iterator_is_refused():
    with pytest.raises(ValueError, match="read once per fold"):
        cross_validation(GaussianNBClassifier(), iter([([[0.0]], [1])]))


def test_delayed_rounds_are_as_they_were():
    acts = [act for round_ in delayed_rounds(Rows(30), 10, 3) for act in round_.actions]
    assert [type(act) for act in acts] == [Learn, Predict, Learn, Predict, Learn]
