import io
import pickle
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from driftlearn.evaluate import (
    Evaluation,
    Learn,
    Predict,
    Progress,
    Round,
    Run,
    _row_progress,
    delayed,
    delayed_rounds,
    holdout,
    nbytes,
    prequential,
    prequential_rounds,
    repeat,
)
from driftlearn.streams import SEA
from tests.evaluate.fakes import Ensemble, Proba, Recorder, Rows


def log_of(result, name="Recorder"):
    return result.fitted[name].log_


def span(start, stop):
    return list(range(start, stop))


def assert_no_row_is_learnt_before_it_is_predicted(log):
    learnt = set()
    for verb, rows in log:
        if verb == "predict":
            assert not learnt & set(rows)
        else:
            learnt |= set(rows)


def test_prequential_tests_then_trains():
    result = prequential(Recorder(), Rows(30), chunk_size=10, keep_learners=True)
    assert log_of(result) == [
        ("fit", span(0, 10)),
        ("predict", span(10, 20)),
        ("fit", span(10, 20)),
        ("predict", span(20, 30)),
        ("fit", span(20, 30)),
    ]
    np.testing.assert_array_equal(result.scores("Recorder"), [np.nan, 1.0, 1.0])


def test_last_chunk_may_be_short():
    result = prequential(Recorder(), Rows(25), chunk_size=10)
    assert result.records()["tested"].tolist() == [0, 10, 5]
    assert result.rows("Recorder").tolist() == [10, 20, 25]


def test_several_learners_in_one_pass():
    stream = Rows(40)
    result = prequential([Recorder(), Recorder(), Ensemble()], stream, keep_learners=True)
    assert stream.passes == 1
    assert result.names == ["Recorder", "Recorder-2", "Ensemble"]
    assert log_of(result) == log_of(result, "Recorder-2")


def test_learners_are_cloned():
    learner = Recorder()
    prequential({"r": learner}, Rows(20))
    assert not hasattr(learner, "log_")


def test_any_iterable_of_pairs_is_a_stream():
    batches = [(batch.X, batch.y) for batch in Rows(30).chunks()]
    for stream in (batches, iter(batches), (batch for batch in Rows(30).chunks())):
        result = prequential(Recorder(), stream, keep_learners=True)
        assert [verb for verb, _ in log_of(result)] == ["fit", *["predict", "fit"] * 2]
    with pytest.raises(ValueError, match="cannot be set if the stream is an iterable"):
        prequential(Recorder(), batches, chunk_size=5)
    with pytest.raises(ValueError, match="batch 0"):
        prequential(Recorder(), [np.zeros((3, 2))])
    with pytest.raises(ValueError, match="no rows"):
        prequential(Recorder(), [])


def test_learners_that_cannot_predict_yet_are_not_tested():
    learners = {"slow": Recorder(ready_after=25), "quick": Recorder()}
    result = prequential(learners, Rows(50), chunk_size=10)
    assert np.isnan(result.scores("slow")).tolist() == [True, True, True, False, False]
    assert np.isnan(result.scores("quick")).tolist() == [True, False, False, False, False]
    assert result.table()["accuracy"].tolist() == [1.0, 1.0]


class Vandal(BaseEstimator):
    def partial_fit(self, X, y):
        X[:], y[:] = -1, 7
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def test_learners_that_modify_their_input_do_not_affect_others():
    result = prequential({"v": Vandal(), "r": Recorder()}, Rows(30), keep_learners=True)
    assert log_of(result, "r")[0] == ("fit", span(0, 10))
    assert result.classes.tolist() == [0, 1]


def test_scikit_learn_learners_get_the_classes_once():
    result = prequential(GaussianNB(), Rows(40), keep_learners=True)
    assert result.fitted["GaussianNB"].classes_.tolist() == [0, 1]
    batches = [(batch.X, batch.y) for batch in Rows(30).chunks()]
    assert prequential(GaussianNB(), batches, classes=[0, 1]).scores("GaussianNB")[-1] > 0.5
    with pytest.raises(RuntimeError, match="Pass classes="):
        prequential(GaussianNB(), batches)


def test_classes_may_appear_late():
    def batch(labels):
        return np.column_stack([np.arange(4), labels]).astype(float), np.array(labels)

    stream = [batch([0, 0, 0, 0]), batch([0, 0, 0, 0]), batch([0, 5, 5, 2])]
    result = prequential(Proba(), stream)
    assert result.classes.tolist() == [0, 2, 5]
    assert result.confusion("Proba").tolist() == [[5, 0, 0], [0, 1, 0], [0, 0, 2]]
    backwards = prequential(Recorder(), [stream[0], batch([5, 5, 5, 5]), stream[2]])
    assert backwards.data["Recorder"]["confusion"][1].tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 4]]
    recalls = result.recalls("Proba")
    assert np.isnan(recalls[1]).tolist() == [False, True, True]
    assert recalls[2].tolist() == [1, 1, 1]
    lost = -np.log(np.finfo(float).eps)
    np.testing.assert_allclose(result.scores("Proba", "log_loss"), [np.nan, 0, lost * 3 / 4])
    assert result.summary("Proba")["log_loss"] == pytest.approx(lost * 3 / 8)


def test_log_loss_can_be_left_out():
    assert np.isnan(
        prequential(Proba(), Rows(30), log_loss=False).scores("Proba", "log_loss")
    ).all()


class Failing(Recorder):
    def predict(self, X):
        if X[0, 0] >= 20:
            raise ZeroDivisionError("too far")
        return super().predict(X)


def test_an_error_names_learner_and_chunk():
    with pytest.raises(RuntimeError, match=r"'bad' failed in chunk 2 \(rows 20 to 29\).*too far"):
        prequential({"fine": Recorder(), "bad": Failing()}, Rows(40))


@pytest.mark.parametrize("learners", [{}, [], "dtel", {"x": 3}, {"x": Recorder}])
def test_what_is_no_learner_is_refused(learners):
    with pytest.raises((TypeError, ValueError), match="learner"):
        prequential(learners, Rows(20))


def test_sinks_get_every_step_as_it_comes():
    seen, rows = [], []
    stream = Rows(30)
    sinks = [lambda step: seen.append((step.chunk, step.learner)), lambda s: rows.append(s.stop)]
    prequential({"a": Recorder(), "b": Recorder()}, stream, on_step=sinks)
    assert seen == [(0, "a"), (0, "b"), (1, "a"), (1, "b"), (2, "a"), (2, "b")]
    assert rows == [10, 10, 20, 20, 30, 30]

    class Enough(Exception):
        pass

    def stop(step):
        if step.chunk == 1:
            raise Enough

    with pytest.raises(Enough):
        prequential(Recorder(), stream, on_step=stop)


def test_progress_writes_lines_where_there_is_no_terminal(capsys):
    prequential({"r": Recorder()}, Rows(30), progress=True)
    assert "30 rows (100%)" in (text := capsys.readouterr().err)
    assert "r 1.0000" in text
    prequential({"r": Recorder()}, Rows(30))
    assert capsys.readouterr().err == ""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_draws_a_bar_on_a_terminal():
    file = Terminal()
    with Progress(30, file) as show:
        prequential({"r": Recorder()}, Rows(30), on_step=show)
    assert "30 rows" in file.getvalue() and "r 1.0000" in file.getvalue()


class Cell:
    """Display handle as returned by IPython."""

    def __init__(self):
        self.shown = []

    def display(self, picture, display_id):
        assert display_id is True
        self.update(picture)
        return self

    def update(self, picture):
        self.shown.append(picture)


def in_notebook(monkeypatch, shell):
    cell = Cell()
    display = SimpleNamespace(display=cell.display, HTML=lambda text: text)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    fake = SimpleNamespace(get_ipython=lambda: shell, display=display)
    monkeypatch.setitem(sys.modules, "IPython", fake)
    return cell.shown


def test_progress_changes_in_its_place_in_a_notebook(monkeypatch, capsys):
    monkeypatch.setattr(_row_progress, "REDRAW_SECONDS", 0.0)
    shown = in_notebook(monkeypatch, SimpleNamespace(kernel=None))
    prequential({"<r>": Recorder()}, Rows(3000), 5, progress=True)
    assert capsys.readouterr().err == "" and len(shown) > 100
    assert 'max="3000" value="0"' in shown[0] and "<table" not in shown[0]
    last = shown[-1]
    assert 'value="3000"' in last and "&lt;r&gt;" in last and "<svg" in last and "<r>" not in last
    assert "(100%)" in last and len(last) < 5000


def test_progress_in_ipython_on_a_terminal_is_as_on_any(monkeypatch, capsys):
    shown = in_notebook(monkeypatch, SimpleNamespace())
    prequential({"r": Recorder()}, Rows(30), progress=True)
    assert shown == [] and "30 rows (100%)" in capsys.readouterr().err


def test_a_chunk_counts_as_done_when_all_learners_are_through_it():
    run = Run({"a": Ensemble(), "b": Ensemble()}, np.array([0, 1]))
    steps = run.steps(prequential_rounds(Rows(100), 10))
    assert next(steps).learner == "a"
    assert run.position == 1 and [s.learner for s in run.records] == ["a", "b"]


def test_a_resumed_run_equals_one_that_was_never_stopped():
    def fresh():
        return Run({"a": Ensemble(skill=0.7)}, np.array([0, 1]))

    whole = fresh()
    list(whole.steps(delayed_rounds(Rows(100), 10, delay=13)))
    first = fresh()
    rounds = list(delayed_rounds(Rows(100), 10, delay=13))
    list(first.steps(rounds[:6]))
    second = pickle.loads(pickle.dumps(first))
    list(second.steps(delayed_rounds(Rows(100), 10, delay=13)))
    assert [s.confusion.tolist() for s in second.records] == [
        s.confusion.tolist() for s in whole.records
    ]
    assert second.position == 10


def test_holdout_trains_then_tests_on_other_rows_of_the_concept():
    stream = Rows(40, drifts=[20])
    result = holdout(Recorder(), stream, chunk_size=10, test_size=4, keep_learners=True)
    assert log_of(result)[:4] == [
        ("fit", span(0, 10)),
        ("predict", [-1, -2, -3, -4]),
        ("fit", span(10, 20)),
        ("predict", [-1, -2, -3, -4]),
    ]
    assert [(row, n) for row, n, _ in stream.tests] == [(9, 4), (19, 4), (29, 4), (39, 4)]
    seeds = [seed for _, _, seed in stream.tests]
    assert len(set(seeds)) == 4
    assert not np.isnan(result.scores("Recorder")).any()


def test_holdout_draws_the_same_tests_for_the_same_seed_only():
    first, again, other = Rows(40), Rows(40), Rows(40)
    holdout(Recorder(), first)
    holdout(Recorder(), again)
    holdout(Recorder(), other, random_state=1)
    assert first.tests == again.tests != other.tests
    assert [n for _, n, _ in first.tests] == [10] * 4


def test_each_repetition_has_its_own_test_rows():
    """The seed of the tests is that of the stream, unless one is given."""
    streams = {}

    def make(seed):
        streams[seed] = Rows(40)
        streams[seed].random_state = seed
        return streams[seed]

    repeat(holdout, {"a": Recorder()}, make, seeds=range(3))
    drawn = [[seed for _, _, seed in streams[k].tests] for k in range(3)]
    assert len({seed for seeds in drawn for seed in seeds}) == 12
    repeat(holdout, {"a": Recorder()}, make, seeds=range(3), random_state=5)
    assert streams[0].tests == streams[1].tests == streams[2].tests


def test_holdout_every_so_many_rows_on_a_test_set_fixed_for_the_concept():
    stream = Rows(45, drifts=[20])
    result = holdout(
        Recorder(), stream, chunk_size=5, test_size=3, every=10, fixed=True, keep_learners=True
    )
    assert [(row, n) for row, n, _ in stream.tests] == [(9, 3), (29, 3)]
    verbs = [verb for verb, _ in log_of(result)]
    assert verbs == ["fit", "fit", "predict"] * 4 + ["fit", "predict"]
    assert result.data["Recorder"]["start"].tolist() == [0, 10, 20, 30, 40]
    assert result.rows("Recorder").tolist() == [10, 20, 30, 40, 45]


def test_holdout_every_is_the_chunk_size_too():
    result = holdout(Recorder(), Rows(40), every=20, keep_learners=True)
    assert log_of(result)[0] == ("fit", span(0, 20))
    assert result.settings["chunk_size"] == 20


class Ramp(Rows):
    def concept_at(self, row):
        return min(row, 15)


def test_fixed_test_sets_follow_a_concept_that_moves():
    stream = Ramp(40)
    holdout(Recorder(), stream, chunk_size=5, fixed=True, test_size=3)
    assert [row for row, _, _ in stream.tests] == [4, 9, 14, 19]


def test_holdout_needs_a_stream_with_tests():
    with pytest.raises(ValueError, match="test_set"):
        holdout(Recorder(), [(np.zeros((2, 2)), np.zeros(2))])


def test_delay_zero_is_prequential():
    kwargs = {"chunk_size": 10, "keep_learners": True}
    now = prequential(Recorder(), Rows(45), **kwargs)
    late = delayed(Recorder(), Rows(45), 0, **kwargs)
    assert log_of(late) == log_of(now)


def test_labels_are_learnt_when_they_arrive():
    result = delayed(Recorder(), Rows(50), delay=15, chunk_size=10, keep_learners=True)
    assert log_of(result) == [
        ("fit", span(0, 5)),
        ("predict", span(20, 30)),
        ("fit", span(5, 15)),
        ("predict", span(30, 40)),
        ("fit", span(15, 25)),
        ("predict", span(40, 50)),
        ("fit", span(25, 35)),
    ]
    assert np.isnan(result.scores("Recorder")).tolist() == [True, True, False, False, False]


def test_delay_may_differ_from_row_to_row():
    delay = {0: 25, 1: 0, 2: 12, 3: 11, 4: np.inf}
    result = delayed(
        Recorder(), Rows(30), lambda row: delay.get(row, 100), chunk_size=10, keep_learners=True
    )
    assert [rows for verb, rows in log_of(result) if verb == "fit"] == [[1], [2, 3], [0]]


@given(st.lists(st.integers(0, 25), min_size=40, max_size=40), st.integers(1, 12))
def test_a_label_is_never_used_before_it_arrives(delays, chunk_size):
    rounds = delayed_rounds(Rows(40), chunk_size, delays.__getitem__)
    learnt = []
    for round_ in rounds:
        for X, y in (act for act in round_.actions if isinstance(act, Learn)):
            rows = X[:, 0].astype(int)
            assert all(row + delays[row] < round_.stop for row in rows)
            np.testing.assert_array_equal(y, Rows().label(rows))
            learnt += rows.tolist()
    due = [row for row in range(40) if row + delays[row] < 40]
    assert sorted(learnt) == due


def test_delays_are_checked():
    with pytest.raises(ValueError, match=r"Got -1 for row 0"):
        delayed(Recorder(), Rows(20), -1)


def test_no_row_leaks():
    for result in (
        prequential(Recorder(), Rows(60), chunk_size=7, keep_learners=True),
        delayed(Recorder(), Rows(60), 9, chunk_size=7, keep_learners=True),
    ):
        assert_no_row_is_learnt_before_it_is_predicted(log_of(result))


def test_rounds_train_before_and_after_the_test():
    run = Run({"r": Recorder()}, np.array([0, 1]))
    a, b, c = Rows(30).chunks(10)
    acts = [Learn(a.X, a.y), Predict(b.X, b.y), *[Learn(c.X, c.y)] * 2]
    rounds = [Round(0, 20, acts)]
    (step,) = run.steps(rounds)
    assert [verb for verb, _ in run.learners["r"].log_] == ["fit", "predict", "fit", "fit"]
    assert step.trained == 30 and step.accuracy == 1.0


def test_memory_is_measured_on_request_and_at_the_end():
    result = prequential({"e": Ensemble()}, Rows(50), chunk_size=10, memory_every=2)
    assert np.isnan(result.scores("e", "nbytes")).tolist() == [False, True, False, True, False]
    assert result.memory["e"] == result.scores("e", "nbytes")[-1]
    assert np.isnan(prequential(Recorder(), Rows(20)).scores("Recorder", "nbytes")).all()


def test_nbytes_counts_arrays_once_and_compiled_trees():
    data = np.zeros(100_000)
    assert nbytes([data, data]) - nbytes([data]) < 100
    assert nbytes(data[:50_000]) > 400_000
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 3)), rng.integers(0, 2, 2000)
    small = nbytes(DecisionTreeClassifier(max_depth=2).fit(X, y))
    large = nbytes(DecisionTreeClassifier().fit(X, y))
    assert large > 10 * small
    assert abs(large / len(pickle.dumps(DecisionTreeClassifier().fit(X, y))) - 1) < 0.5


def test_small_chunks_are_recorded_together():
    single = prequential({"r": Ensemble(skill=0.7)}, Rows(95), chunk_size=10)
    grouped = prequential({"r": Ensemble(skill=0.7)}, Rows(95), chunk_size=10, every=30)
    assert grouped.rows("r").tolist() == [30, 60, 90, 95]
    np.testing.assert_array_equal(grouped.confusion("r"), single.confusion("r"))
    tested = grouped.data["r"]["confusion"].sum((1, 2))
    assert tested.tolist() == [20, 30, 30, 5]
    assert_no_row_is_learnt_before_it_is_predicted(
        log_of(prequential(Recorder(), Rows(95), chunk_size=10, every=30, keep_learners=True))
    )


def test_log_loss_of_a_round_is_the_mean_over_its_rows():
    single = prequential({"p": Proba()}, Rows(95), chunk_size=10).summary("p")
    grouped = prequential({"p": Proba()}, Rows(95), chunk_size=10, every=40).summary("p")
    assert grouped["log_loss"] == pytest.approx(single["log_loss"])


def test_a_fixed_test_set_is_watched():
    class Watched(Ensemble):
        def watch(self, X):
            self.asked_ = [*getattr(self, "asked_", []), len(X)]
            return type("Watch", (), {"predict": lambda _: self.predict(X)})()

    kwargs = {"chunk_size": 10, "test_size": 7, "keep_learners": True}
    fixed = holdout({"w": Watched()}, Rows(100, drifts=[50]), fixed=True, **kwargs)
    assert fixed.fitted["w"].asked_ == [7, 7]
    fresh = holdout({"w": Watched()}, Rows(100, drifts=[50]), fixed=False, **kwargs)
    assert not hasattr(fresh.fitted["w"], "asked_")
    np.testing.assert_array_equal(fixed.scores("w"), fresh.scores("w"))


def test_an_evaluation_can_be_stopped_and_taken_up():
    def fresh():
        return Evaluation.start("holdout", {"a": Ensemble(skill=0.7)}, Rows(200), every=20)

    whole = fresh().finish()
    first = fresh()
    for step in first.steps():
        if step.chunk == 3:
            break
    second = fresh()
    second.run = pickle.loads(pickle.dumps(first.run))
    np.testing.assert_array_equal(second.finish().scores("a"), whole.scores("a"))


def test_an_unknown_protocol_is_named():
    with pytest.raises(ValueError, match=r"protocol must be one of .*prequential.*Got 'sideways'"):
        Evaluation.start("sideways", Ensemble(), Rows(10))


@pytest.mark.parametrize(
    ("protocol", "options", "message"),
    [
        (prequential, {"chunk_size": 500}, "all 300 rows are one chunk, .* a smaller chunk_size"),
        (
            delayed,
            {"chunk_size": 100, "delay": 300},
            "no learner had been trained .* smaller delay",
        ),
    ],
)
def test_missing_tests_are_reported(protocol, options, message):
    with pytest.warns(UserWarning, match=f"no row was tested: {message}"):
        result = protocol(GaussianNB(), SEA(n_rows=300, random_state=0), **options)
    assert np.isnan(result.summary(result.names[0])["accuracy"])
