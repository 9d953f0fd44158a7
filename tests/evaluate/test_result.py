import json

import numpy as np
import pytest

from driftlearn.evaluate import Result, WeightHistory, holdout, prequential, repeat
from driftlearn.evaluate._repeat import RepeatedResult
from tests.evaluate.fakes import Ensemble, Proba, Recorder, Rows


@pytest.fixture(scope="module")
def result():
    learners = {
        "good": Ensemble(skill=0.95),
        "bad": Ensemble(skill=0.6, size=3),
        "wrong": Recorder(wrong=True),
    }
    return prequential(learners, Rows(400, drifts=[200]), chunk_size=20)


def make_stream(seed):
    return Rows(100 + seed % 2, drifts=[50])


@pytest.fixture(scope="module")
def repeated():
    learners = {"a": Ensemble(skill=0.8), "b": Recorder()}
    return repeat(prequential, learners, make_stream, seeds=[2, 4, 6], chunk_size=10)


def test_summary_agrees_with_the_chunks(result):
    scores = result.scores("good")
    row = result.summary("good", window=60)
    assert row["accuracy"] == pytest.approx(np.nanmean(scores))
    assert row["std"] == pytest.approx(np.nanstd(scores, ddof=1))
    assert row["recovery"] == pytest.approx(scores[10:13].mean())
    assert row["members"] == 5 and result.summary("bad")["members"] == 3
    total = result.confusion("good")
    assert total.sum() == 380
    assert row["balanced_accuracy"] == pytest.approx(np.mean(np.diag(total) / total.sum(axis=1)))
    assert row["seconds"] == pytest.approx(
        result.scores("good", "fit_seconds").sum() + result.scores("good", "predict_seconds").sum()
    )
    assert row["rows/s"] == pytest.approx(400 / result.scores("good", "fit_seconds").sum())
    assert row["MB"] == result.memory["good"] / 1e6


def test_table_marks_the_best_and_omits_empty_columns(result):
    table = result.table()
    assert table["learner"].tolist() == ["good", "bad", "wrong"]
    assert "log_loss" not in table.columns
    assert table.marked["accuracy"] == {0} and table.marked["kappa"] == {0}
    assert "members" not in table.marked
    assert "prequential on rows, 20 chunks" in repr(result)


def test_a_lone_learner_is_not_marked_as_best():
    assert prequential(Recorder(), Rows(30)).table().marked == {}


class Unsure(Proba):
    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)

    @property
    def classes_(self):
        return np.array([0, 1])


def test_the_least_log_loss_is_best():
    learners = {"sure": Proba(), "unsure": Unsure(), "none": Recorder()}
    table = prequential(learners, Rows(30)).table()
    assert table.marked["log_loss"] == {1}
    assert table["log_loss"][1] == pytest.approx(np.log(2))


def test_scores_by_name(result):
    assert result.scores("good", "rows_per_second").shape == (20,)
    assert result.scores("wrong").tolist()[1:] == [0.0] * 19
    assert result.recalls("wrong").shape == (20, 2)
    with pytest.raises(ValueError, match=r"accuracy.*'speed'"):
        result.scores("good", "speed")
    with pytest.raises(KeyError, match="good"):
        result.scores("ugly")


def test_long_format(result):
    frame = result.to_frame()
    assert len(frame) == 60
    good = frame[frame["learner"] == "good"]
    np.testing.assert_array_equal(good["accuracy"], result.scores("good"))
    np.testing.assert_array_equal(good["recall_1"], result.recalls("good")[:, 1])
    assert good["start"].tolist() == list(range(0, 400, 20))
    assert good["tested"].tolist() == [0] + [20] * 19


def test_learners_are_returned_on_request(result):
    assert result.fitted is None
    assert set(result.histories) == {"good", "bad"}
    history = result.histories["bad"]
    steps, ids, weights = history.steps, history.ids, history.weights
    assert weights.shape == (len(ids), len(steps)) == (20, 20)
    assert np.isnan(weights[0, 5]) and weights[0, 0] == 1 + np.sin(2)


def same(a, b):
    assert type(a) is type(b)
    if isinstance(a, WeightHistory):
        a, b = vars(a), vars(b)
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            same(a[key], b[key])
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    elif isinstance(a, tuple):
        for x, y in zip(a, b):
            same(x, y)
    else:
        assert a == b


@pytest.mark.parametrize("classes", [(0, 1), ("cat", "dog"), (-1.5, 2.0)])
def test_json_round_trip(tmp_path, classes):
    stream = Rows(60, drifts=[30], classes=classes)
    before = prequential({"e": Ensemble()}, stream, keep_learners=True)
    before.save(tmp_path / "r.json")
    after = Result.load(tmp_path / "r.json")
    for name in before.__dataclass_fields__:
        if name != "fitted":
            same(getattr(before, name), getattr(after, name))
    assert after.fitted is None
    assert repr(after) == repr(before)
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]


def test_what_is_saved_is_strict_json_with_what_made_it(tmp_path, result):
    result.save(tmp_path / "r.json")

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    content = json.loads((tmp_path / "r.json").read_text(), parse_constant=refuse)
    assert content["stream"] == "rows" and content["drifts"] == [200] and content["seed"] == 3
    assert content["settings"]["protocol"] == "prequential"
    assert content["settings"]["chunk_size"] == 20
    assert content["params"]["bad"] == {
        "class": "Ensemble",
        "skill": 0.6,
        "size": 3,
        "random_state": 0,
    }
    assert set(content["versions"]) >= {"driftlearn", "python", "numpy", "scipy", "scikit-learn"}


def test_other_files_are_refused(tmp_path):
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(ValueError, match=r"x\.json must be a driftlearn\.result"):
        Result.load(tmp_path / "x.json")


def test_repeat_gives_every_learner_its_seed(repeated):
    assert [result.params["a"]["random_state"] for result in repeated.results] == [2, 4, 6]
    assert [result.seed for result in repeated.results] == [2, 4, 6]
    alone = prequential({"a": Ensemble(0.8, random_state=4)}, make_stream(4), chunk_size=10)
    np.testing.assert_array_equal(repeated.scores("a")[1], alone.scores("a"))


def test_repeat_sums_up_over_seeds(repeated):
    scores = repeated.scores("a")
    assert scores.shape == (3, 10)
    row = repeated.summary("a")
    runs = np.nanmean(scores, axis=1)
    assert row["accuracy"] == pytest.approx(runs.mean())
    assert row["std"] == pytest.approx(runs.std(ddof=1))
    assert row["chunk_std"] == pytest.approx(np.nanstd(scores, axis=1, ddof=1).mean())
    assert row["recovery"] == pytest.approx(repeated.recovery("a").mean())
    assert list(row)[:3] == ["accuracy", "std", "chunk_std"]
    assert repeated.confusion("a").sum() == 3 * 90
    assert "3 seeds" in repr(repeated)


def test_repeat_in_processes_gives_the_same(repeated):
    learners = {"a": Ensemble(skill=0.8), "b": Recorder()}
    again = repeat(prequential, learners, make_stream, seeds=[2, 4], n_jobs=2, chunk_size=10)
    np.testing.assert_array_equal(again.scores("a"), repeated.scores("a")[:2])


def test_repeat_with_runs_of_different_lengths():
    result = repeat(holdout, {"r": Recorder()}, make_stream, seeds=[0, 1], chunk_size=10)
    assert result.scores("r").shape == (2, 11)
    assert np.isnan(result.scores("r")[0, 10]) and result.scores("r")[1, 10] == 1
    assert result.rows("r")[-1] == 101
    assert result.recalls("r").shape == (2, 11, 2)


def test_repeated_results_in_long_format_and_as_json(repeated, tmp_path):
    records = repeated.records()
    assert len(records) == 60 and sorted(set(records["seed"].tolist())) == [2, 4, 6]
    assert len(repeated.to_frame()) == 60
    repeated.save(tmp_path / "r.json")
    again = RepeatedResult.load(tmp_path / "r.json")
    assert repr(again) == repr(repeated) and again.seeds == [2, 4, 6]
    with pytest.raises(ValueError, match=r"must be a driftlearn\.result"):
        Result.load(tmp_path / "r.json")


def test_repeat_needs_a_seed():
    with pytest.raises(ValueError, match="'seeds' is empty"):
        repeat(prequential, Recorder(), make_stream, seeds=[])


def test_results_of_one_learner_each_are_joined():
    parts = {
        name: prequential({"x": Ensemble(skill=skill)}, Rows(60), chunk_size=10)
        for name, skill in (("good", 0.9), ("bad", 0.3))
    }
    both = prequential({"good": Ensemble(skill=0.9), "bad": Ensemble(skill=0.3)}, Rows(60), 10)
    joined = Result.joined(parts)
    assert joined.names == both.names
    for name in both.names:
        np.testing.assert_array_equal(joined.scores(name), both.scores(name))
        assert joined.params[name] == both.params[name]
        assert joined.memory[name] == parts[name].memory["x"]
        np.testing.assert_array_equal(joined.histories[name].weights, both.histories[name].weights)


def test_joined_results_share_their_classes_and_nothing_else_may_differ():
    few = prequential({"x": Ensemble()}, Rows(30, classes=(0, 1)), chunk_size=10)
    many = prequential({"x": Ensemble()}, Rows(30, classes=(0, 1, 2)), chunk_size=10)
    joined = Result.joined({"few": few, "many": many})
    assert joined.classes.tolist() == [0, 1, 2]
    assert joined.confusion("few").sum() == few.confusion("x").sum()
    assert joined.confusion("few")[2].sum() == 0
    other = prequential({"x": Ensemble()}, Rows(30), chunk_size=5)
    with pytest.raises(ValueError, match="same stream, seed and settings"):
        Result.joined({"few": few, "other": other})
    with pytest.raises(ValueError, match="'parts' is empty"):
        Result.joined({})
