"""Instruction counts: parsing of valgrind's output, and marking of changes."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from driftlearn.utils.compiled import uncompiled

ROOT = Path(__file__).parents[2]
COUNTS = """# callgrind format
events: Ir
ob=(1) /usr/bin/python3
fl=(1)
fn=(1) eval
0 100
cob=(2) /here/src/driftlearn/kernels/votes.so
cfn=(2) tally
calls=3 0
* 5000
+1 10
ob=(2)
fn=(2) tally
0 40
+3 2
ob=(3) /home/driftlearner/libm.so
fn=(3) log
-2 7
ob=(2)
fn=(4) blend
0 8
totals: 167
"""


@pytest.fixture
def guard(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import guard

    return guard


def run(guard, monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["guard.py", *map(str, words)])
    return guard.main()


@pytest.fixture
def counted(guard, monkeypatch, tmp_path):
    """Stored counts of one entry, and a function that replaces the measured ones."""
    file = tmp_path / "counts.json"
    monkeypatch.setattr(guard.shutil, "which", lambda name: name)
    monkeypatch.setattr(guard, "card", lambda: {"compiler": "one"})
    monkeypatch.setattr("driftlearn.utils.compiled.uncompiled", lambda: "")

    def again(compiled, everything, *words):
        found = {"stump, fit": {"compiled": compiled, "all": everything}}
        monkeypatch.setattr(guard, "count", lambda names: found)
        return run(guard, monkeypatch, "stump", "--stored", file, *words)

    assert again(100.0, 200.0, "--update") is None
    again.file = file
    return again


def test_costs_by_hand(guard):
    """The cost of a call counts in the callee; other folders are not driftlearn's."""
    assert guard.costs(COUNTS) == {"compiled": 50, "all": 167}


def test_a_change_beyond_the_limit_is_marked(counted, capsys):
    assert counted(104.9, 190.1) == 0
    assert counted(105.1, 200.0) == 1
    assert capsys.readouterr().out.split().count("more") == 1
    assert counted(100.0, 189.0) == 1
    assert capsys.readouterr().out.split().count("less") == 1


def test_new_rows_are_reported_and_stored(guard):
    lines, marked = guard.compared({}, {"a": {"all": 3.0}})
    assert lines == [("a", "all", "", 3.0, "new", "")] and not marked


def test_an_update_of_some_keeps_the_others(counted):
    kept = json.loads(counted.file.read_text())
    kept["counts"]["DTEL"] = {"compiled": 1.0, "all": 2.0}
    counted.file.write_text(json.dumps(kept))
    counted(120.0, 200.0, "--update")
    assert json.loads(counted.file.read_text())["counts"] == {
        "stump, fit": {"compiled": 120.0, "all": 200.0},
        "DTEL": {"compiled": 1.0, "all": 2.0},
    }


def test_nothing_is_compared_with_another_machine(guard, counted, monkeypatch, capsys):
    monkeypatch.setattr(guard, "card", lambda: {"compiler": "two"})
    assert counted(300.0, 300.0) is None
    assert (
        "not comparable, nothing was counted: compiler one then, two now" in capsys.readouterr().out
    )
    counted(300.0, 300.0, "--update")
    assert json.loads(counted.file.read_text())["card"] == {"compiler": "two"}


def test_without_valgrind_nothing_is_counted(guard, monkeypatch, capsys):
    monkeypatch.setattr(guard.shutil, "which", lambda name: None)
    assert run(guard, monkeypatch) is None
    assert "valgrind is not installed" in capsys.readouterr().out


def test_mistakes_are_reported(guard, counted, monkeypatch, tmp_path):
    with pytest.raises(SystemExit, match="nothing is named like"):
        run(guard, monkeypatch, "no such entry")
    with pytest.raises(SystemExit, match="--update makes it"):
        run(guard, monkeypatch, "--stored", tmp_path / "none.json")


def test_what_is_stored_are_entries(guard):
    stored = json.loads(guard.STORED.read_text("utf-8"))
    assert {*stored["counts"]} == {*guard.ENTRIES}
    assert {*stored["card"]} >= {"compiler", "architecture", "Python", "NumPy"}


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
@pytest.mark.skipif(bool(uncompiled()), reason="not all is compiled")
def test_votes_are_counted(guard):
    """Twenty members and one row: a few instructions for each, and hardly any outside."""
    found = guard.count(["votes of 20 members"])["votes of 20 members"]
    assert 20 * 3 < found["compiled"] < 20 * 30
    assert found["compiled"] <= found["all"] < 2 * found["compiled"]
