"""The log of members: bounded by the history, kept in files and interruptions."""

from itertools import islice

import numpy as np
import pytest

from driftlearn import (
    AutoClassifier,
    DWMClassifier,
    GaussianNBClassifier,
    LearnPPNSEClassifier,
    NoChangeClassifier,
    SEAClassifier,
)
from driftlearn import io as persist
from driftlearn.ensemble import History
from driftlearn.ensemble.history import MemberInfo, WeightHistory
from driftlearn.evaluate import Evaluation, Result, prequential
from driftlearn.evaluate._members import MemberLog
from driftlearn.streams import SEA
from driftlearn.utils.table import Table


def stream(**options):
    return SEA(n_rows=3000, random_state=0, **options)


@pytest.mark.parametrize("learner", [SEAClassifier(n_estimators=3), DWMClassifier()])
def test_current_and_dropped_members_are_logged(learner):
    result = prequential({"it": learner}, stream(), chunk_size=200, keep_learners=True)
    history, members = result.histories["it"], result.fitted["it"].members_
    notes = history.notes
    assert len(history.ids) > len(members) == len(result.fitted["it"].estimators_)
    for row in members:
        k = int(np.searchsorted(history.ids, row["id"]))
        np.testing.assert_equal(notes.errors[k], row["error"])
        assert notes.classes(k) == row["classes"]
    dead = ~np.isin(history.ids, members["id"])
    assert np.isfinite(notes.errors[dead]).any() and notes.names == []
    assert all(notes.classes(k) for k in np.flatnonzero(dead))


def test_candidates_have_names_and_errors():
    candidates = {"bayes": GaussianNBClassifier(), "last": NoChangeClassifier()}
    auto = AutoClassifier(candidates, combine="vote", random_state=0)
    result = prequential({"auto": auto}, stream(), chunk_size=500, keep_learners=True)
    notes, members = result.histories["auto"].notes, result.fitted["auto"].members_
    assert notes.names == ["bayes", "last"] == members["name"].tolist()
    np.testing.assert_array_equal(notes.errors, 1 - members["accuracy"])
    assert notes.class_sets == [[]]


class Crowd:
    """Has new members at every step."""

    def __init__(self):
        self.history_, self.step = History(limit=16), 0

    def learn(self, members=None):
        self.step += 1
        ids = np.arange(100 * self.step, 100 * self.step + 100)
        self.history_.record(self.step, ids, np.ones(100))
        classes = [[self.step, label] for label in range(100)]
        self.members_ = Table({"id": ids, "error": ids / 1e6, "classes": classes})
        return self


def test_members_dropped_from_the_history_are_dropped():
    lookout, crowd = MemberLog(), Crowd()
    for _ in range(300):
        lookout.update(crowd.learn())
        assert len(lookout.seen) <= 2 * 100 * 17 and len(lookout._sets) == len(lookout.seen)
    ids = crowd.history_.sparse().ids
    notes = lookout.notes(ids)
    np.testing.assert_array_equal(notes.errors, ids / 1e6)
    assert [notes.classes(k) for k in range(3)] == [[ids[0] // 100, label] for label in range(3)]


def test_the_log_is_updated_at_new_steps_only():
    lookout, crowd = MemberLog(), Crowd().learn()
    lookout.update(crowd)
    crowd.members_ = None  # must not be read
    lookout.update(crowd)
    assert len(lookout.seen) == 100


def test_resumed_runs_have_the_same_log():
    def start():
        learner = {"it": SEAClassifier(n_estimators=3, random_state=0)}
        return Evaluation.start("prequential", learner, stream(), chunk_size=200)

    whole = start()
    whole = whole.finish().histories["it"].notes
    first = start()
    list(islice(first.steps(), 9))
    state = {name: each.state() for name, each in first.run.member_logs.items()}
    again = persist.loads(persist.dumps(state))
    first.run.member_logs = {name: MemberLog.of(each) for name, each in again.items()}
    found = first.finish().histories["it"].notes
    assert (
        found.class_sets == whole.class_sets
        and found.class_set.tolist() == whole.class_set.tolist()
    )
    np.testing.assert_array_equal(found.errors, whole.errors)


@pytest.mark.parametrize("labels", [("no", "yes"), (0, 1), (1.0, 2.0)])
def test_notes_survive_both_kinds_of_files(tmp_path, labels):
    result = prequential({"it": LearnPPNSEClassifier()}, stream(labels=labels), chunk_size=500)
    result.save(tmp_path / "r.json")
    history = result.histories["it"]
    for found in (
        Result.load(tmp_path / "r.json").histories["it"],
        persist.loads(persist.dumps(history)),
    ):
        assert found.notes.class_sets == history.notes.class_sets == [list(labels)]
        np.testing.assert_array_equal(found.notes.errors, history.notes.errors)
        np.testing.assert_array_equal(found.notes.class_set, history.notes.class_set)


def test_a_history_from_before_there_were_notes_has_none():
    history = WeightHistory.of([1], [[1]], [[1.0]])
    del history.__dict__["notes"]
    assert persist.loads(persist.dumps(history)).notes is None


@pytest.mark.parametrize(
    "errors, knows, names, message",
    [
        ([0.1], [0], [], "must have one entry per member"),
        ([0.1, 0.2], [0, 1], [], "must contain only numbers below 1"),
        ([0.1, 0.2], [0, 0], ["a"], "'names' must have one name per member, or be empty"),
    ],
)
def test_notes_that_fit_no_members_are_refused(errors, knows, names, message):
    notes = MemberInfo(np.array(errors), np.array(knows), [[0, 1]], names)
    history = WeightHistory.of([1], [[1, 2]], [[1.0, 2.0]])
    object.__setattr__(history, "notes", notes)
    with pytest.raises(persist.CorruptFile, match=message):
        persist.loads(persist.dumps(history))
