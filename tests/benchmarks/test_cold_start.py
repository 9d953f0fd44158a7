"""The experiment behind the cold-start rule at a small scale: sets of keys, rules, tables."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def worlds(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import cold_start_worlds

    monkeypatch.setitem(cold_start_worlds.ROWS, "10-500", (20, 60, 120))
    return cold_start_worlds


@pytest.fixture
def cold_start(worlds, monkeypatch):
    import cold_start

    monkeypatch.setattr(cold_start, "WORLDS", [("SEA", "four concepts", "10-500")])
    monkeypatch.setattr(cold_start, "RENEW", 300)
    return cold_start


def test_keys_have_the_concepts_of_their_population(worlds, monkeypatch):
    monkeypatch.setattr(worlds, "SWITCH", 10)
    for generator, kind, rows in worlds.WORLDS:
        if rows == "10-500":
            made = worlds.world(generator, kind, rows, seed=3)
            of_keys = [np.unique(made.concepts[made.keys == key]) for key in range(20)]
            assert (max(map(len, of_keys)) > 1) == (kind == "switching")
            assert (made.changed.max() >= 0) == (kind == "switching")
            n = len(np.unique(made.concepts))
            assert {"all alike": n == 1, "all private": n == 20}.get(kind, 1 < n < 20)
            assert len(np.unique(made.y)) == 2 and np.isfinite(made.X).all()


def test_rows_after_a_change_are_counted(worlds, monkeypatch):
    monkeypatch.setattr(worlds, "SWITCH", 10)
    made = worlds.world("SEA", "switching", "10-500", seed=0)
    for key in range(20):
        at = made.keys == key
        concepts, changed = made.concepts[at], made.changed[at]
        turns = np.flatnonzero(np.diff(concepts)) + 1
        assert (changed[turns] == 0).all() and (changed[: turns[0]] == -1).all()


def test_resumes_and_prints_tables(cold_start, monkeypatch, tmp_path, capsys):
    file = tmp_path / "found.jsonl"
    words = ["cold_start.py", str(file), "--seeds", "0", "1", "--all"]
    monkeypatch.setattr(sys, "argv", words)
    cold_start.main()
    assert capsys.readouterr().out.count("SEA, four concepts") == 2
    cold_start.main()
    assert capsys.readouterr().out == ""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["seed"] for line in lines] == [0, 1]
    for ways in (line["ways"] for line in lines):
        assert all(0 < way[0] < 1 and way[-1] is None for way in ways.values())
        assert ways["hindsight"][0] >= max(ways["own"][0], ways["global"][0])
        assert ways["the rule"][0] != ways["borrow 0"][0]
    monkeypatch.setattr(sys, "argv", [*words[:2], "--tables"])
    cold_start.main()
    shown = capsys.readouterr().out
    assert "first 20" in shown and "at worst" in shown and "±" in shown


def test_votes_of_subsets_equal_votes_of_models(cold_start, worlds):
    made = worlds.world("SEA", "half private", "10-500", seed=0)
    life = cold_start.Life(made, "naive Bayes", {"cover"})
    model = cold_start.make_pipeline(cold_start.TableEncoder(), cold_start.GaussianNBClassifier())
    table = cold_start.columns(made.X)
    assert life.everyone().tolist() == [
        one == label for one, label in zip(model.test_then_train(table, made.y).tolist(), made.y)
    ]
    at = np.flatnonzero(made.keys == 5)
    alone = cold_start.make_pipeline(cold_start.TableEncoder(), cold_start.GaussianNBClassifier())
    reported = alone.test_then_train(cold_start.columns(made.X[at]), made.y[at])
    assert life.own[at].tolist() == reported.tolist()
