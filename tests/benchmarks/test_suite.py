"""The suite at a small scale: streams set apart, runs, and the text of its page."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from driftlearn.specs.toml import read_toml

FOLDER = Path(__file__).parents[2] / "benchmarks"
LEARNERS = ("no change", "majority", "naive bayes", "dwm")


@pytest.fixture
def suite(monkeypatch, tmp_path):
    """Return a function that runs the command as a user does, in its own folder."""
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["suite.py", *arguments])
        runpy.run_path(str(FOLDER / "suite.py"), run_name="__main__")

    return run


def test_what_is_final_is_nowhere_else():
    whole, _ = read_toml(FOLDER / "suite.toml")
    tuning, final = whole["tuning"], whole["final"]
    assert not {*tuning["seeds"]} & {*final["seeds"]}
    assert not {*tuning["streams"]} & {*final["streams"]}
    assert len(final["streams"]) == 2
    for default in whole["default"].values():
        assert default in {*whole["learners"], *whole["chunk_learners"]}
    for name in whole["judged_by"]:
        assert name in whole["generated"]


def test_runs_and_writes_its_page(suite, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    chosen = [part for name in LEARNERS for part in ("--learner", name)]
    requested = ["--stream", "stagger", "--stream", "agrawal 1 to 100", "--seeds=1", "--on=serial"]
    suite(*requested, *chosen)
    assert "stagger, rows" in capsys.readouterr().out
    suite(*requested, *chosen)
    again = capsys.readouterr()
    assert "stagger, rows" in again.out and "rows/s" not in again.err  # all results exist
    suite(*requested, *chosen, "--page", "suite.rst")
    assert "- row by row\n     - 2\n" in (tmp_path / "suite.rst").read_text(encoding="utf-8")
    text = (tmp_path / "suite-details.rst").read_text(encoding="utf-8")
    assert "agrawal 1 to 100 (g\\_mean)" in text
    assert "Over all streams, row by row" in text
    for protocol in ("chunks", "rows"):
        assert (tmp_path / f"suite-{protocol}.png").stat().st_size > 5_000


def test_unknown_names_are_reported(suite):
    with pytest.raises(
        SystemExit, match=r"'sae' is not in the benchmark suite. Expected one of .*sea"
    ):
        suite("--stream", "sae")


def test_baselines_that_win_are_named(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    from suite_page import remarks

    whole = {
        "default": {"rows": "ours"}, "baselines": {"lazy": ""}, "others": {"moa: x": ""},
        "learners": {"ours": ""}, "judged_by": {"rare": "g_mean"},
    }  # fmt: skip
    figures = {
        "plain": {"lazy": 0.9, "moa: x": 0.80, "ours": 0.85},
        "rare": {"lazy": 0.1, "moa: x": 0.84, "ours": 0.80},
    }
    found = {
        stream: {
            name: {"accuracy": value if stream == "plain" else 1 - value, "g_mean": value}
            for name, value in each.items()
        }
        for stream, each in figures.items()
    }
    message = remarks(found, whole, "rows")
    assert message[0] == (
        "On plain a baseline, lazy (90.0), beats all of ours; the best is ours (85.0)."
    )
    assert "Ahead: ours on 1 stream: plain (+5.0)." in message
    assert "Ahead: other libraries on 1 stream: rare (-4.0)." in message
    assert "The default, ours, is below the best baseline on 1 of 2 streams: plain." in message


@pytest.mark.parametrize(
    ("package", "make"),
    [
        ("river", lambda m: m.RiverClassifier("tree.HoeffdingTreeClassifier")),
        ("capymoa", lambda m: m.MOAClassifier("trees.HoeffdingTree", random_state=1)),
    ],
)
def test_learners_of_others_test_then_train(package, make, monkeypatch):
    pytest.importorskip(package)
    monkeypatch.syspath_prepend(str(FOLDER))
    import suite_others

    rng = np.random.default_rng(0)
    X = rng.random((400, 3))
    y = np.where(X[:, 0] > 0.5, "up", "down")
    whole, rows = make(suite_others), make(suite_others)
    message = whole.test_then_train(X, y, classes=["down", "up"])
    assert message.mask[0] and not message.mask[1:].any()
    for i in range(len(y)):
        if i:
            assert rows.predict(X[i : i + 1])[0] == message[i]
        rows.partial_fit(X[i : i + 1], y[i : i + 1], classes=["down", "up"])
    assert (message[200:] == y[200:]).mean() > 0.9
