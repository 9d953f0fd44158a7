"""Backtests: several models, each of which predicts files before it learns them."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from driftlearn.cli import main
from driftlearn.ops.checkpoint import backtest as of
from driftlearn.ops.checkpoint.learn_run import LearnRun
from tests.ops.checkpoint.test_file_chunks import days
from tests.ops.checkpoint.test_learn_run import keep

BAYES = "sklearn.naive_bayes:GaussianNB"
GIVEN = {"target": "label", "learner": "naive-bayes"}


@pytest.fixture
def folder(tmp_path):
    days(tmp_path / "days", 12)
    return tmp_path


def test_scores_are_those_of_learn(folder):
    found = of.backtest([str(folder / "days")], GIVEN, against=BAYES, folder=folder / "b")
    known = keep(folder / "m", sorted(map(str, (folder / "days").iterdir())), GIVEN)
    sums = known.files.totals
    assert found["files"] == 11 and found["rows"] == int(sums[0])
    assert found["models"]["naive-bayes"]["accuracy"] == sums[1] / sums[0]
    assert found["models"][of.FREQUENCIES]["log loss"] == pytest.approx(sums[5] / sums[0])
    assert found["models"][of.FREQUENCIES]["auc"] == 0.5
    assert [*found["models"]] == [
        "naive-bayes", "GaussianNB, weekly", "GaussianNB, once", of.FREQUENCIES,
    ]  # fmt: skip
    total = sum(each["rows"] * each["naive-bayes"]["accuracy"] for each in found["by file"])
    assert total == pytest.approx(sums[1])


def test_it_continues_after_an_interruption(folder, monkeypatch):
    learn, calls = LearnRun._learn, []

    def interrupted(self, parts):
        calls.append(self)
        if len(calls) == 20:
            raise KeyboardInterrupt
        return learn(self, parts)

    files = [str(folder / "days")]
    whole = of.backtest(files, GIVEN, against=BAYES, folder=folder / "whole")
    monkeypatch.setattr(LearnRun, "_learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        of.backtest(files, GIVEN, against=BAYES, folder=folder / "b")
    n = len(calls)
    again = of.backtest(files, GIVEN, against=BAYES, folder=folder / "b")
    assert len(calls) - n < 3 * 12
    assert {**again, "folder": ""} == {**whole, "folder": ""}


def test_labels_are_late(folder):
    files, how = [str(folder / "days")], {"against": BAYES}
    at_once = of.backtest(files, GIVEN, folder=folder / "a", **how)
    late = of.backtest(files, {**GIVEN, "delay": 4}, folder=folder / "b", **how)
    assert at_once["files"] == 11 and late["files"] == 3
    # 0, 1, 10, 11 and 2 are predicted before the labels of 0 are known; those of the last four
    # files are not known yet.
    assert [each["file"] for each in late["by file"]] == ["3.csv", "4.csv", "5.csv"]


def scores(accuracy, log_loss, n=30):
    """Return noisy scores of files with 100 rows each."""
    noise = np.random.default_rng(0).normal(0, 1, (2, n))
    found = np.zeros((n, 8))
    found[:, 0] = found[:, 6] = 100
    found[:, 1] = 100 * accuracy + noise[0]
    found[:, 4] = 100 * log_loss + noise[1]
    found[:, 7] = 80
    return found


@pytest.mark.parametrize(
    ("models", "text"),
    [
        ({"auto": (0.9, 0.3), "weekly": (0.8, 0.4), "once": (0.7, 0.5)}, "Use auto: no other"),
        ({"auto": (0.8, 0.4), "weekly": (0.9, 0.3), "once": (0.7, 0.5)}, "Use weekly: no other"),
        (
            {"auto": (0.8, 0.4), "weekly": (0.8, 0.4), "once": (0.7, 0.5)},
            "Use auto. The difference from weekly",
        ),
        ({"auto": (0.6, 0.6), "weekly": (0.5, 0.7), "once": (0.4, 0.8)}, "No model is signific"),
    ],
)
def test_recommendation(models, text):
    found = {name: scores(*each) for name, each in models.items()}
    found[of.FREQUENCIES] = scores(0.6, 0.6)
    assert of.recommendation(found).startswith(text)
    few = {name: each[:4] for name, each in found.items()}
    assert of.recommendation(few).startswith("At least 5 predicted files")


def test_command(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    words = ["backtest", "days", "--target", "label", "-l", "naive-bayes", "--against", BAYES]
    done = CliRunner().invoke(main, [*words, "--report", "b.html"])
    assert done.exit_code == 0, done.output
    assert "11 files (440 rows), each predicted before its labels were known:" in done.output
    assert "model 3 of 3: GaussianNB, once" in done.output
    assert "<h1>Backtest</h1>" in (folder / "b.html").read_text()
    again = json.loads(CliRunner().invoke(main, [*words, "--json", "-q"]).stdout)
    assert again["folder"].startswith(str(folder / "data"))
    assert f"\n{again['recommendation']}\n" in done.output


def test_the_folder_is_given(folder, monkeypatch):
    """The same command continues; a folder of a model is refused, and not changed."""
    monkeypatch.chdir(folder)
    words = ["backtest", "days", "--target", "label", "-l", "naive-bayes", "--against", BAYES, "-q"]
    first, again = (CliRunner().invoke(main, [*words, "--state", "b"]) for _ in range(2))
    assert first.exit_code == 0 and first.output == again.output
    other = CliRunner().invoke(main, [*words, "--state", "b", "-l", "majority"])
    assert other.exit_code == 2 and "--learner" in other.output
    keep(folder / "m", [str(folder / "days" / "0.csv")], GIVEN)
    before = sorted((folder / "m").iterdir())
    done = CliRunner().invoke(main, [*words, "--state", "m"])
    assert done.exit_code == 2 and "m contains a model" in " ".join(done.output.split())
    assert sorted((folder / "m").iterdir()) == before


@pytest.mark.parametrize("name", ["-", "redis://127.0.0.1:1/rows"])
def test_inputs_that_cannot_be_read_again_are_refused(name, folder):
    with pytest.raises(ValueError, match="A backtest requires files"):
        of.backtest([name], GIVEN, against=BAYES, folder=folder / "b")
    assert not (folder / "b").exists()


def test_unknown_learners_are_reported_before_any_is_trained(folder):
    with pytest.raises(ValueError, match="unknown learner 'bayesian'"):
        of.backtest([str(folder / "days")], GIVEN, against="bayesian", folder=folder / "b")
    assert not (folder / "b").exists()


def test_one_file_is_not_enough(folder):
    with pytest.raises(ValueError, match="the first file is used for training"):
        of.backtest([str(folder / "days" / "0.csv")], GIVEN, against=BAYES, folder=folder / "b")
