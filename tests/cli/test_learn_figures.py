"""Metrics printed by ``driftlearn learn`` equal those of the output of ``driftlearn predict``."""

import csv
import io
import json
import random
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.metrics import log_loss, roc_auc_score

from driftlearn.cli import main
from driftlearn.ops.checkpoint import SavedModel

DAYS, ROWS = 34, 60


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)


def run(*words):
    done = CliRunner().invoke(main, [*words])
    assert done.exit_code == 0, done.output
    return done


def write_days(folder, useless=False, seed=0):
    """Write a file a day, with a new word every fifth day, a drift on day 17, and day effects."""
    rng, words, labels = random.Random(seed), ["red", "blue", "green"], []
    folder.mkdir()
    for day in range(DAYS):
        words += [f"new{day}"] * (day % 5 == 4)
        level, sign = rng.gauss(0, 0.7), 1 if day < 17 else -1
        lines = []
        for _ in range(ROWS):
            x, word = rng.gauss(0, 1), rng.choice(words)
            score = level + sign * x + (word == "red") + rng.gauss(0, 0.5)
            label = "late" if (rng.random() < 0.1 if useless else score > 0.8) else "in time"
            lines.append(f"{x:.4f},{word},{label}")
        (folder / f"{day:02}.csv").write_text("\n".join(["x,word,label", *lines]) + "\n")
        labels.append(np.array([line.rpartition(",")[2] for line in lines]))
    return labels


@pytest.mark.parametrize("delay", [0, 3])
def test_printed_figures_are_those_of_predict(tmp_path, delay):
    """Each day is predicted by one command and learned by the next, over more than 30 days."""
    labels = write_days(tmp_path / "days")
    learner = "auto:budget=1" if delay == 0 else "naive-bayes"
    words = ("--target", "label", "--learner", learner, "--delay", str(delay))
    scores, printed = [], []
    for day, y in enumerate(labels):
        file = f"days/{day:02}.csv"
        if day > delay:
            out = run("predict", file, "--state", "m", "--out", "-", "--no-votes", "-q").stdout
            rows = [*csv.DictReader(io.StringIO(out))]
            p = np.array([float(row["p_late"]) for row in rows])
            reported = np.array([row["predicted"] for row in rows])
            area = roc_auc_score(y == "late", p) if len({*y}) > 1 else None
            loss = log_loss(y == "late", np.column_stack([1 - p, p]), labels=[False, True])
            scores.append({"accuracy": (reported == y).mean(), "auc": area, "log loss": loss})
        found = json.loads(run("learn", file, *words, "--state", "m", "--json", "-q").stdout)
        if found["file"] is not None:
            printed.append(found["file"])
    scored = range(delay + 1, DAYS - delay)
    assert [each["name"] for each in printed] == [f"{day:02}.csv" for day in scored]
    for score, each in zip(scores, printed):
        assert each["model"] == pytest.approx(score)
    n = len(printed)
    life = found["all files"]
    assert life["files"] == n and life["rows"] == n * ROWS
    for name in ("accuracy", "log loss"):
        mean = np.mean([each[name] for each in scores[:n]])
        assert life["model"][name] == pytest.approx(mean)
    history = json.loads(run("learn", "days", *words, "--state", "h", "--json", "-q").stdout)
    assert history["all files"] == life and history["file"] == printed[-1]


def test_what_is_printed(tmp_path):
    write_days(tmp_path / "days")
    words = ("learn", "days", "--target", "label", "--state", "m", "--learner", "naive-bayes")
    lines = run(*words).stdout.splitlines()
    assert lines[0] == "33.csv, predicted before it was learned (60 rows):"
    assert lines[1].split() == ["accuracy", "AUC", "log", "loss"]
    assert [line.split("  ")[0] for line in lines[2:5]] == [
        "naive-bayes",
        "majority",
        "last 28 files",
    ]
    assert lines[5] == "all 33 files (1,980 rows):" and lines[10].startswith("m: 2,040 new rows")
    assert len(lines) == 11
    found = json.loads(run(*words, "--json").stdout)
    shown = [f"{found['file']['model'][name]:.4f}" for name in ("accuracy", "auc", "log loss")]
    assert lines[2].split()[1:] == shown
    (tmp_path / "days" / "34.csv").write_text("x,word,label\n" + "0.5,red,late\n" * 9)
    assert run(*words).stdout.splitlines()[2].split()[2] == "n/a"


def test_quiet_prints_nothing_but_warnings(tmp_path):
    write_days(tmp_path / "days")
    write_days(tmp_path / "noise", useless=True)
    words = ("learn", "--target", "label", "-q")
    assert run(*words, "days", "--state", "m", "--learner", "naive-bayes").output == ""
    done = run(*words, "noise", "--state", "n", "--weekly", "sklearn.tree:DecisionTreeClassifier")
    assert done.stdout == "" and "better than the majority class in only" in done.stderr
    found = json.loads(run("learn", "noise", "--state", "n", "-q", "--json").stdout)
    assert [f"warning: {text}" for text in found["warnings"]] == [done.stderr.strip()]


def test_weekly_retraining(tmp_path):
    write_days(tmp_path / "days")
    words = ("learn", "days", "--target", "label", "--state", "w")
    done = run(*words, "--weekly", "sklearn.naive_bayes:GaussianNB")
    assert "weekly GaussianNB" in done.stdout.splitlines()[2]
    assert run(*words, "--weekly", "sklearn.naive_bayes:GaussianNB").exit_code == 0
    model = SavedModel.open("w").learner
    assert model.n_chunks == 56 and model.every == 7 and model.fitted_step_ == 29
    done = CliRunner().invoke(main, [*words, "--weekly", "x", "--learner", "auto"])
    assert done.exit_code == 2 and "cannot be combined" in done.output


def test_lightgbm_is_named_to_be_loaded(tmp_path):
    pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    write_days(tmp_path / "days")
    words = ("learn", "days/00.csv", "days/01.csv", "--target", "label", "--state", "w")
    done = run(*words, "--weekly", "lightgbm:n_estimators=5,n_jobs=1")
    assert "weekly lightgbm" in done.stdout and "[LightGBM]" not in done.output
    assert run(*words[:-2], "--state", "w", "--allow", "lightgbm").exit_code == 0
    done = CliRunner().invoke(main, [*words])
    assert done.exit_code == 2 and "--allow lightgbm" in done.output
    predict = ("predict", "days/02.csv", "--state", "w", "--out", "p.csv")
    assert CliRunner().invoke(main, [*predict]).exit_code == 2
    assert "60 rows" in run(*predict, "--allow", "lightgbm").output


def test_lightgbm_that_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    write_days(tmp_path / "days")
    words = ("learn", "days", "--target", "label", "--state", "w", "--weekly", "lightgbm")
    done = CliRunner().invoke(main, [*words])
    assert done.exit_code == 2 and "pip install lightgbm" in done.output
