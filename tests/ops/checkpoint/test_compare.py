"""Two models on the same new files, each predicted before it is learned."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from driftlearn.cli import main
from driftlearn.ops.checkpoint.compare import compare
from driftlearn.ops.checkpoint.paired_scores import compare_scores, interval_of, verdict
from tests.ops.checkpoint.test_file_chunks import BAYES, BY_TIME, days, late_labels
from tests.ops.checkpoint.test_learn_run import bits, keep, write

DUMMY = {"target": "label", "learner": "majority"}


@pytest.fixture
def folders(tmp_path):
    """Two models of the first four of twelve files, and the other files."""
    days(tmp_path / "days", 12)
    files = [str(tmp_path / "days" / f"{k}.csv") for k in range(12)]
    for name, given in (("bayes", BAYES), ("majority", DUMMY)):
        keep(tmp_path / name, files[:4], given)
    return tmp_path, files


@pytest.mark.parametrize("given", [{}, {"delay": 2}, {"chunk": 1}])
def test_metrics_are_those_of_learn(folders, given):
    """Files are predicted as wholes, whatever the protocol; the originals are unchanged."""
    place, files = folders
    keep(place / "m", files[:4], {**BAYES, **given})
    before = bits(place / "m"), bits(place / "majority")
    found = compare(place / "m", place / "majority", files[4:])
    assert (bits(place / "m"), bits(place / "majority")) == before
    known = keep(place / "m", files[4:], {})
    assert found["files"] == 8 and found["rows"] == 8 * 40
    if not given:
        sums = known.files.scores[-8:].sum(axis=0)
        assert found["accuracy"]["first"] == sums[1] / sums[0]
        assert found["log loss"]["first"] == pytest.approx(sums[4] / sums[0])
        assert found["auc"]["first"] == pytest.approx(sums[7] / sums[6])
    assert found["auc"]["second"] == 0.5
    low, high = found["accuracy"]["interval"]
    assert low < found["accuracy"]["difference"] < high < 0


def test_labels_by_key(tmp_path):
    labels = write(tmp_path / "all.csv", late_labels(tmp_path), ["id", "label", "known"])
    files = sorted(map(str, (tmp_path / "rows").iterdir()))
    for name, learner in (("m", "naive-bayes"), ("n", "majority")):
        keep(tmp_path / name, files[:3], {**BY_TIME, "learner": learner}, labels=labels)
    found = compare(tmp_path / "m", tmp_path / "n", files)
    assert found["files"] == 5 and found["accuracy"]["difference"] < 0


def test_command(folders, monkeypatch):
    place, files = folders
    monkeypatch.chdir(place)
    words = ["compare", "majority", "bayes", "days"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert "4 of 12 files are omitted" in done.stderr
    assert "8 files (320 rows), predicted before they were learned:" in done.stdout
    assert "bayes is significantly better in accuracy and log loss\n" in done.stdout
    found = json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)
    assert found["accuracy"]["interval"][0] > 0 and found["second"] == "bayes"
    done = CliRunner().invoke(main, ["compare", "majority", "bayes", *files[:4]])
    assert done.exit_code == 2 and "no file that neither model has learned" in done.stderr
    done = CliRunner().invoke(main, ["compare", "majority", "none", "days"])
    assert done.exit_code == 2 and "There is no saved model in none" in done.stderr
    done = CliRunner().invoke(main, ["compare", "majority", "bayes", "-"])
    assert done.exit_code == 2 and "cannot be read twice" in done.stderr


def test_interval():
    """It covers the true difference, and files of more rows have more weight."""
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(200):
        rows = rng.integers(100, 500, 20).astype(float)
        low, high = interval_of(rows * rng.normal(0.01, 0.03, 20), rows)
        hits += low < 0.01 < high
    assert 184 <= hits <= 200
    assert interval_of(np.ones(4), np.ones(4)) is None
    scores = np.zeros((2, 4, 8))
    scores[:, :, 0] = 100, 100, 100, 700
    scores[:, :, 1] = [[50, 50, 50, 350], [50, 50, 50, 420]]
    found = compare_scores(*scores)
    assert found["accuracy"] == {
        "first": 0.5, "second": 0.57, "difference": pytest.approx(0.07), "interval": None
    }  # fmt: skip
    assert found["auc"]["first"] is None
    assert verdict(found, "a", "b") == "at least 5 files are needed to compare the models"
