"""Results shown for each learner, and their origin."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from driftlearn.bench.workbench.learner_card import USES, card
from driftlearn.cli import main
from driftlearn.specs.catalogue import LEARNERS
from driftlearn.specs.toml import read_toml

ROOT = Path(__file__).parents[2]
NUMBERS = """one, in chunks of 500 rows

learner      accuracy  kappa  g_mean  seconds
good, trees       0.9    0.8     0.1      0.5
dwm               0.8    0.7     0.2      0.25
ocb               0.7    nan     0.3      1.0

one, noise, in chunks of 500 rows

learner      accuracy  kappa  g_mean  seconds
dwm               0.6    0.7     0.2      0.25
good, trees       0.5   -0.8     0.1      0.5
"""
SUITE = {
    "learners": {
        "good, trees": "flc", "other": "flc:n_estimators=3", "dwm": "dwm:chunk_size=500",
        "ocb": "ocb",
    },
    "chunk_learners": {"tables": "flc:chunk_size=500"},
    "baselines": {},
    "judged_by": {"one, noise": "g_mean"},
    "tuning": {"streams": {"one": "sea:n_rows=1000"}},
    "generated": {"one, noise": "label-noise:stream=sea(n_rows=500),noise=0.1"},
}  # fmt: skip


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import learner_card

    return learner_card


def test_figures_by_hand(script):
    text = NUMBERS + "\n" + NUMBERS.replace("in chunks of 500 rows", "row by row")
    found = script.read_suite(text)
    found["chunks"]["one"]["tables"] = found["chunks"]["one, noise"]["tables"] = {
        "accuracy": 0.95, "seconds": 0.75
    }  # fmt: skip
    assert found["rows"]["one, noise"]["good, trees"]["kappa"] == -0.8
    assert script.figures(SUITE, found, ["dwm"]) == {
        "flc": {"speed": 1.0, "chunks": 95.0, "rows": 70.0, "rank": 1.5},
        "dwm": {"speed": 3.0, "chunks": 70.0, "rows": 70.0, "rank": 1.5, "older": True},
        "ocb": {"speed": 1.0},
    }


def test_stored_results_are_those_of_the_suite(script):
    """The file in the package equals the output of the script for the suite's page."""
    suite, _ = read_toml(ROOT / "benchmarks/suite.toml")
    found = script.read_suite((ROOT / "docs/suite.txt").read_text("utf-8"))
    reported = card()
    older = [name for name, each in reported["learners"].items() if each.get("older")]
    assert reported["learners"] == script.figures(suite, found, older)
    assert reported["streams"] == len(found["rows"]) == len(found["chunks"])


def test_every_learner_is_for_something():
    assert [*USES] == [*LEARNERS]
    assert {*card()["learners"]} <= {*LEARNERS}


def listed(*words):
    return CliRunner().invoke(main, ["list", *words]).output


def test_the_list_fits_a_terminal():
    lines = listed("learners").splitlines()
    assert max(map(len, lines)) <= 80
    assert "    for: when you do not know which learner fits" in lines
    assert any(line.startswith("Results of the benchmark suite of ") for line in lines)
    (one,) = json.loads(listed("learners", "arf", "--json"))
    assert one["figures"] == card()["learners"]["arf"] and one["for"] == USES["arf"]
    assert "Figures" not in listed("streams")
