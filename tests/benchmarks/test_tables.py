"""The benchmark of tables at a small scale: scores, late labels, resumption, the page."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

pd = pytest.importorskip("pandas")
FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def toy(n_tables=24, n_rows=12, n_classes=2):
    """Return tables with numbers, words and gaps whose label can be learned."""
    from tables_sets import TableSet

    rng, tables = np.random.default_rng(0), []
    for _ in range(n_tables):
        y = rng.integers(0, n_classes, n_rows)
        number = np.where(rng.random(n_rows) < 0.2, np.nan, y + rng.normal(size=n_rows))
        word = [None if rng.random() < 0.1 else "abcd"[k] for k in y]
        frame = pd.DataFrame({"number": number, "word": pd.Series(word, dtype=object)})
        tables.append((frame, y))
    return TableSet(tables, ["word"], list(range(n_classes)))


@pytest.fixture
def command(monkeypatch, tmp_path):
    """Return a function that runs the command on two toy sets, in its own folder."""
    import tables
    import tables_sets

    def absent():
        raise tables_sets.MissingData("no such file")

    parts = {"choosing": {"small": toy, "many classes": lambda: toy(n_classes=3), "away": absent}}
    monkeypatch.setattr(tables, "PARTS", {**parts, "final": {}})

    def run(*words):
        work = "--work", str(tmp_path)
        monkeypatch.setattr(sys, "argv", ["tables.py", *words, *work])
        monkeypatch.setattr(sys, "path", [*sys.path])
        tables.main()

    return run


def predictions(n=400, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    logits = rng.normal(size=(n, n_classes)) + 0.7 * np.eye(n_classes)[y]
    odds = np.exp(logits)
    return y, odds / odds.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_scores_are_those_of_scikit_learn(n_classes):
    from tables_scores import scores

    y, probas = predictions(n_classes=n_classes)
    found, predicted = scores(y, probas), probas.argmax(axis=1)
    if n_classes == 2:
        expected = metrics.roc_auc_score(y, probas[:, 1])
    else:
        expected = metrics.roc_auc_score(y, probas, multi_class="ovr", average="macro")
    assert found["auc"] == pytest.approx(expected)
    assert found["log_loss"] == pytest.approx(metrics.log_loss(y, probas))
    assert found["accuracy"] == metrics.accuracy_score(y, predicted)
    balanced = metrics.balanced_accuracy_score(y, predicted)
    assert found["balanced_accuracy"] == pytest.approx(balanced)
    recalls = metrics.recall_score(y, predicted, average=None)
    assert found["g_mean"] == pytest.approx(np.exp(np.log(recalls).mean()))


def test_log_loss_is_clipped_and_calibration_is_counted():
    from tables_scores import calibration_error, log_losses, scores

    y, sure = np.array([0, 1, 1, 1]), np.array([[1.0, 0.0]] * 4)
    np.testing.assert_allclose(log_losses(y, sure), [1e-6, *[-np.log(1e-6)] * 3], rtol=1e-4)
    assert calibration_error(y, sure) == 0.75
    assert calibration_error(y, np.tile([0.25, 0.75], (4, 1))) == 0
    assert scores(np.zeros(4, int), sure)["accuracy"] == 1  # a single class has no AUC


@pytest.mark.parametrize("n_classes", [2, 3])
def test_intervals_contain_the_difference_and_follow_it(n_classes):
    from tables_scores import bootstrap

    y, probas = predictions(3_000, n_classes)
    sizes = np.full(100, 30)
    noise = np.random.default_rng(1).dirichlet(np.ones(n_classes), len(y))
    found = bootstrap(y, probas, 0.5 * probas + 0.5 * noise, sizes, n_draws=200)
    value, low, high = found["log_loss"]
    assert low < value < high < 0
    value, low, high = found["auc"]
    assert 0 < low < value < high
    for gap in bootstrap(y, probas, probas, sizes, n_draws=20).values():
        assert gap == (0, 0, 0)


def test_the_auc_of_a_draw_is_that_of_its_rows():
    from tables_scores import drawn_aucs, draws

    y, probas = predictions(300)
    sizes = np.full(30, 10)
    times = draws(30, 5, seed=3)
    assert (times.sum(axis=1) >= 30).all() and times.max() > 1
    for row, found in zip(times, drawn_aucs(y, probas, sizes, times)):
        rows = np.concatenate([np.tile(np.arange(k * 10, k * 10 + 10), int(n))
                               for k, n in enumerate(row)])  # fmt: skip
        assert found == pytest.approx(metrics.roc_auc_score(y[rows], probas[rows, 1]), abs=0.005)


class Recorder:
    """A learner that records what it was trained on before each prediction."""

    def __init__(self):
        self.known, self.at_predictions = [], []

    def learn(self, frame, y):
        self.known.append((frame, y))

    def predict_proba(self, frame):
        self.at_predictions.append((frame, list(self.known)))
        return np.full((len(frame), 2), 0.5)


@pytest.mark.parametrize("delay", [0, 1, 5])
def test_labels_are_never_known_too_early(delay):
    from tables_worker import predict_then_learn

    made, learner = toy(), Recorder()
    probas, _ = predict_then_learn(learner, made.tables, delay)
    assert len(probas) == sum(len(y) for _, y in made.tables)
    for t, (frame, known) in enumerate(learner.at_predictions):
        assert frame is made.tables[t][0]
        expected = made.tables[: max(0, t - delay)]
        assert len(known) == len(expected)
        assert all(one[1] is other[1] for one, other in zip(known, expected))


@pytest.mark.parametrize("delay", [0, 5])
def test_predictions_do_not_depend_on_later_tables(delay):
    from tables_learners import Calibrated, Retrained, hist_gradient_boosting
    from tables_worker import predict_then_learn, setting_of

    def probas_of(made):
        setting = setting_of(made, delay)
        learner = Calibrated(Retrained(hist_gradient_boosting, setting, every=1))
        return predict_then_learn(learner, made.tables, delay)[0].reshape(len(made.tables), -1)

    made, last = toy(), 15
    changed = [(frame, y if t < last else 1 - y) for t, (frame, y) in enumerate(made.tables)]
    one, other = probas_of(made), probas_of(made._replace(tables=changed))
    first_known = last + delay + 1
    np.testing.assert_array_equal(one[:first_known], other[:first_known])
    assert (one[first_known:] != other[first_known:]).any()


def test_windows_and_schedules(monkeypatch):
    import tables_learners
    from tables_worker import setting_of

    class Model:
        def fit(self, X, y):
            fitted.append(len(y) // 12)
            assert not np.isnan(X).all(axis=0).any()
            return self

    for options, expected in {
        (("window", 10),): [7, 10, 10],
        (("window", None),): [7, 14, 21],
        (("window", None), ("stop", 14)): [7, 14],
        (("window", 3), ("every", 1)): [3] * 18,
    }.items():
        made, fitted = toy(), []
        learner = tables_learners.Retrained(lambda _: Model(), setting_of(made, 0), **dict(options))
        for frame, y in made.tables:
            learner.learn(frame.assign(number=np.nan), y)
        assert fitted == expected


def test_words_are_known_once_they_were_trained_on():
    from tables_learners import Codes, Setting

    codes = Codes(Setting(["word"], ["number"], 2, 0))
    frame = pd.DataFrame({"word": ["b", None, "a", "b"], "number": [1, 2, 3, 4]})
    codes.learn(frame)
    found = codes.matrix(pd.concat([frame, frame.assign(word="new")]))
    np.testing.assert_array_equal(found[:4], [[1, 0], [2, np.nan], [3, 1], [4, 0]])
    assert np.isnan(found[4:, 1]).all()


def test_calibration_corrects_overconfidence():
    from tables_learners import Calibrated
    from tables_scores import log_losses

    class Overconfident:
        def learn(self, frame, y):
            pass

        def predict_proba(self, frame):
            p = np.where(frame.hint == 1, 0.99, 0.01)
            return np.column_stack([1 - p, p])

    rng, learner, gains = np.random.default_rng(0), Calibrated(Overconfident()), []
    for _ in range(40):
        y = rng.integers(0, 2, 40)
        frame = pd.DataFrame({"hint": np.where(rng.random(40) < 0.3, 1 - y, y)})
        plain = Overconfident().predict_proba(frame)
        gains.append((log_losses(y, plain) - log_losses(y, learner.predict_proba(frame))).mean())
        learner.learn(frame, y)
    np.testing.assert_allclose(gains[:10], 0, atol=1e-12)
    assert min(gains[15:]) > 0.2


def test_recipes_cut_by_time_and_keep_gaps():
    from tables_sets import by_rows, cut, frequent, of_days, with_time

    times = pd.Series(["2020-01-02 05:00", "2020-01-01 23:00", "2020-01-02 04:00"])
    frame = pd.DataFrame({"word": ["a", np.nan, "b"], "number": [1, 2, np.nan]})
    frame = with_time(frame, times, "hour", "weekday")
    made = cut(frame, frame["hour"] > 4, of_days(frame), ["number", "hour"], ["word"], least=1)
    assert [len(y) for _, y in made.tables] == [1, 2]
    first, y = made.tables[1]
    assert first["hour"].tolist() == [4, 5] and y.tolist() == [0, 1]
    assert np.isnan(first["number"][0]) and made.tables[0][0]["word"][0] is None
    assert [len(y) for _, y in by_rows(first, [0, 1], 1, ["word"]).tables] == []  # under five rows
    assert frequent(pd.Series([*"aabbc"]), 2).tolist() == ["a", "a", "b", "b", "other"]


def test_sets_to_choose_by_are_not_final():
    from tables_learners import LEARNERS
    from tables_sets import CHOOSING, FINAL

    assert len(CHOOSING) >= 12 and len(FINAL) >= 15 and not {*CHOOSING} & {*FINAL}
    assert len({recipe.__doc__ for recipe in (CHOOSING | FINAL).values()}) == 31
    assert {entry.group for entry in LEARNERS.values()} == {"ours", "archive", "rival", "baseline"}


def test_resumes(command, tmp_path, capsys):
    chosen = ["--learner", "class frequencies, 28 tables", "--learner", "SEA, boosted trees"]
    requested = ["run", *chosen, "--delay", "1"]
    command(*requested, "--set", "small")
    assert "[2/2] small, delay 1, SEA" in capsys.readouterr().out
    command(*requested)
    shown = capsys.readouterr().out
    assert "away is left out: no such file" in shown and "[2/2] many classes" in shown
    assert "small, delay" not in shown
    path = tmp_path / "results.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:-1], lines[-1][:40]]))  # killed while it was written
    with path.open("a") as file:
        file.write("\n")
    command(*requested)
    assert "[1/1] many classes, delay 1, SEA" in capsys.readouterr().out
    command(*requested)
    assert "delay" not in capsys.readouterr().out
    for line in map(json.loads, [*lines[:-1], path.read_text().splitlines()[-1]]):
        found = line["scores"]
        assert line["tables"] == 24 and line["seconds"] >= 0 and line["memory"] >= 0
        if line["learner"].startswith("SEA"):
            assert found["auc"] > 0.8 and found["log_loss"] < np.log(line["classes"])
        else:
            assert 0.3 < found["auc"] < 0.7
    command("sets")
    assert "many classes" in capsys.readouterr().out


def test_failures_are_results(command, capsys, monkeypatch):
    import tables

    monkeypatch.setattr(tables, "version_of", lambda name: "any")
    requested = [
        "run",
        "--set",
        "small",
        "--learner",
        "class frequencies, 28 tables",
        "--delay",
        "0",
    ]
    command(*requested, "--minutes", "0.0001")
    assert "not done after" in capsys.readouterr().out
    command(*requested)
    assert "small" not in capsys.readouterr().out
    command(*requested, "--again")
    assert "log loss 0." in capsys.readouterr().out
    with pytest.raises(SystemExit, match="'tiny' is not a set of the benchmark"):
        command("run", "--set", "tiny")


def results(folder, quality):
    """Write probabilities; yield a line of results for each learner, set and delay."""
    from tables_scores import scored, scores

    for delay in (0, 5):
        for k, name in enumerate(("east", "west")):
            y, good = predictions(2_000, seed=k)
            sizes = np.full(100, 20)
            noise = np.random.default_rng(9).dirichlet(np.ones(2), len(y))
            for learner, share in quality.items():
                probas = share * good + (1 - share) * noise
                path = folder / f"{len([*folder.iterdir()])}.npz"
                np.savez(path, y=y, sizes=sizes, probas=probas)
                yield {
                    "set": name, "data": "d", "learner": learner, "delay": delay, "version": "v 1",
                    "part": "choosing", "tables": 100, "rows": len(y), "classes": 2,
                    "scores": scores(*scored(y, probas, sizes)[:2]), "seconds": 2.0,
                    "memory": 10.0, "probabilities": path,
                }  # fmt: skip


@pytest.mark.parametrize("ours_is_better", [True, False])
def test_the_page_states_which_learner_is_better(tmp_path, ours_is_better):
    pytest.importorskip("matplotlib")
    from tables_learners import AUTO, STRONG, WEEKLY
    from tables_page import write_page

    quality = {WEEKLY: 0.6, STRONG: 0.7, "SEA, boosted trees": 0.3}
    folder = tmp_path / "probabilities"
    folder.mkdir()
    lines = [*results(folder, {AUTO: 0.9 if ours_is_better else 0.4, **quality})]
    lines.append({**lines[0], "learner": "DTEL, CART", "problem": "ValueError: too_few rows"})
    del lines[-1]["scores"]
    write_page(tmp_path / "tables.rst", lines)
    summary = (tmp_path / "tables.rst").read_text(encoding="utf-8")
    text = (tmp_path / "tables-details.rst").read_text(encoding="utf-8")
    if ours_is_better:
        claim = f"**Holds:** {AUTO} has a lower log loss than {STRONG} on 2 of 2 sets."
    else:
        claim = f"**Does not hold:** {AUTO} has a lower log loss than {STRONG} on 0 of 2 sets; "
        claim += "worse on 2 (east, west)."
    assert summary.count(claim) == 1 and text.count(claim) == 2  # with either delay
    assert text.count("SEA, boosted trees has a lower log loss than LightGBM, weekly on 0 of") == 1
    assert "east, delay 0, DTEL, CART: ValueError: too\\_few rows" in text
    assert (tmp_path / "tables.png").stat().st_size > 5_000
    assert "west (choosing, 100 tables, 2,000 rows), delay 5" in (
        tmp_path / "tables.txt"
    ).read_text(encoding="utf-8")


def test_the_page_is_valid(tmp_path):
    pytest.importorskip("matplotlib")
    core = pytest.importorskip("docutils.core")
    from tables_learners import LEARNERS
    from tables_page import write_page

    folder = tmp_path / "probabilities"
    folder.mkdir()
    lines = [*results(folder, {name: 0.4 + 0.02 * k for k, name in enumerate(LEARNERS)})]
    write_page(tmp_path / "tables.rst", lines)
    text = (tmp_path / "tables-details.rst").read_text(encoding="utf-8")
    options = {"report_level": 2, "halt_level": 2, "syntax_highlight": "none"}
    plain = text.replace("Summary: :doc:`tables`.", "")  # a role of Sphinx
    core.publish_doctree(
        plain, source_path=str(tmp_path / "tables.rst"), settings_overrides=options
    )
    for title in ("Accuracy at each budget", "Ensembles that keep models, not rows"):
        assert title in text
