"""The comparison with other libraries at a small scale: jobs, missing libraries, and the page."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
SMALL = ("--rows=1000", "--rounds=1", "--seconds=5", "--stream=SEA, 3 features")


@pytest.fixture
def comparison(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import comparison

    return comparison


@pytest.fixture
def run(comparison, monkeypatch, tmp_path, capsys):
    """Return a function that runs the command as a user does, and returns its output."""

    def command(*words):
        monkeypatch.setattr(sys, "argv", ["comparison.py", f"--work={tmp_path}", *map(str, words)])
        comparison.main()
        return capsys.readouterr().out

    return command


def installed(library, folder):
    """Put a command that simulates the Python of a library into a work folder."""
    if os.name != "posix":
        pytest.skip("the command that simulates another Python is a shell script")
    python = folder / library / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)


def lines(folder):
    return [json.loads(line) for line in (folder / "field.jsonl").read_text().splitlines()]


def test_jobs_run_once_and_missing_libraries_are_reported(run, tmp_path):
    learner = "--learner=naive Bayes"
    out = run(*SMALL, learner)
    assert f"river is left out: it is not installed in {tmp_path / 'river'}" in out
    found = lines(tmp_path)
    assert [line["way"] for line in found] == ["chunks", "rows", "calls"]
    chunks, rows, calls = found
    assert (chunks["tested"], rows["tested"], calls["tested"]) == (750, 1000, 999)
    assert rows["right"][-1] - calls["right"][-1] in (0, 1)  # also the first row is predicted
    assert all(line["seconds"]["cpu"] > 0 and line["start"]["cpu"] > 0 for line in found)
    assert "[" not in run(*SMALL, learner)  # all results exist
    with (tmp_path / "field.jsonl").open("a") as file:
        file.write('{"stream": "SE')  # cut by a kill
    assert "[1/3]" in run(*SMALL, learner, "--again")


def test_public_calls_and_compiled_trees(run, tmp_path):
    installed("scikit-learn", tmp_path)
    run("--rounds=1", "--seconds=0.05", "--stream=200 x 3", "--learner=CART")
    found = {(line["library"], line["way"]): line for line in lines(tmp_path)}
    assert [*found] == [(name, way) for name in ("driftlearn", "scikit-learn")
                        for way in ("fit", "kernel")]  # fmt: skip
    for line in found.values():
        assert "problem" not in line and line["right"][0] > 180


@pytest.mark.parametrize("library", ["scikit-learn", "stream-learn", "river"])
def test_others(library, run, tmp_path):
    pytest.importorskip(
        {"scikit-learn": "sklearn", "stream-learn": "strlearn"}.get(library, library)
    )
    installed(library, tmp_path)
    learner = "SEA, naive Bayes" if library == "stream-learn" else "naive Bayes"
    run(*SMALL, f"--learner={learner}", f"--library={library}")
    (line,) = lines(tmp_path)
    assert line["n_rows"] == 1000 and line["right"][-1] > 0.8 * line["tested"]


def test_failures_are_reported_and_other_jobs_run(comparison, run, monkeypatch, tmp_path):
    monkeypatch.setitem(comparison.LEARNERS["naive Bayes"], "driftlearn", "NoSuchClassifier()")
    monkeypatch.setitem(comparison.WAYS, "driftlearn", ("chunks", "rows"))
    out = run(*SMALL, "--learner=naive Bayes")
    assert out.count("NameError: name 'NoSuchClassifier' is not defined") == 2
    assert all("NoSuchClassifier" in line["problem"] for line in lines(tmp_path))


def test_a_library_that_cannot_be_imported_is_left_out(run, monkeypatch, tmp_path):
    installed("river", tmp_path)
    (tmp_path / "river.py").write_text("raise ImportError('of another time')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    out = run(*SMALL, "--learner=naive Bayes", "--library=river")
    assert "river is left out: ImportError: of another time" in out
    assert not (tmp_path / "field.jsonl").exists()


def test_unknown_names_are_reported(run):
    with pytest.raises(
        SystemExit, match=r"'sae' is not a stream of the comparison: use one of SEA"
    ):
        run("--stream", "sae")


def test_the_rows_are_the_same_for_all(comparison, tmp_path):
    n_rows, npz, arff = comparison.rows_of("SEA, 3 features", 50, tmp_path)
    with np.load(npz) as file:
        X, y = file["X"], file["y"]
    text = Path(arff).read_text().splitlines()
    data = text[text.index("@data") + 1 :]
    assert "@attribute y {0,1}" in text and len(data) == n_rows == 50
    values = np.array([row.split(",") for row in data], dtype=float)
    assert np.array_equal(values[:, :-1], X) and np.array_equal(values[:, -1], y)


def line(library, way, cpu, right, n_rows=1000, **more):
    key = {"stream": "electricity", "asked": 1000, "learner": "naive Bayes", "version": "1"}
    seconds = {"wall": 2 * cpu, "cpu": cpu, "own": cpu / 4}
    return {
        **key, "library": library, "way": way, "text": "x", "round": 1, "load": 0.5, "memory": 1.0,
        "n_rows": n_rows, "tested": n_rows, "right": right, "seconds": seconds,
        "start": {"wall": 1.0, "cpu": 0.5, "own": 0.5}, **more,
    }  # fmt: skip


def test_figures_by_hand(comparison):
    import comparison_page

    found = comparison_page.summaries([
        line("driftlearn", "rows", 0.2, [200, 400, 600, 800], version="0"),  # of an older version
        line("driftlearn", "rows", 0.1, [250, 450, 650, 850]),
        line("driftlearn", "rows", 0.05, [250, 450, 650, 850], round=2),
        line("capymoa", "rows", 1.0, [900]),
        line("river", "calls", 1.0, [400], n_rows=500),
        line("driftlearn", "chunks", 0.1, [0, 200, 400, 600], tested=750),
    ])  # fmt: skip
    rows, chunks = comparison_page.compared(found)
    assert rows["library"] == chunks["library"] == "capymoa"
    assert rows["times"] == pytest.approx(20) and rows["loop alone"] == pytest.approx(5)
    assert rows["wall"] == pytest.approx(20) and rows["ours"]["spread"] == pytest.approx(1)
    assert rows["gap"] == pytest.approx(-0.05) and rows["gap"] < -rows["noise"]
    assert "ours 5.0 points below" in comparison_page.shown(rows)["note"]
    assert comparison_page.shown(chunks)["fastest other"] == "MOA (row by row, compiled)"
    del found["electricity", "naive Bayes", "capymoa", "rows"]
    (rows,) = comparison_page.compared(found)
    assert rows["library"] == "river" and rows["here"] == 450 / 500  # on the rows that it did
    assert "its first 500 rows; ours on these 90.0 %" in comparison_page.shown(rows)["note"]
    assert comparison_page.on_the_first(chunks["ours"], 500) == 200 / 250
    found["electricity", "naive Bayes", "driftlearn", "calls"] = {**rows["ours"], "rate": 500.0}
    (row,) = comparison_page.one_call(found)
    assert row["test_then_train, rows/s"] == "20,000" and row["times"] == "**40**"


def test_earlier_commits_are_compared_separately(run, comparison, tmp_path):
    import comparison_page

    installed("before", tmp_path)
    run(*SMALL, "--learner=naive Bayes", "--rounds=2")
    found = lines(tmp_path)
    libraries = [line["library"] for line in found]
    assert libraries == ["driftlearn"] * 3 + ["before"] * 3 + ["driftlearn"] * 3
    assert found[3]["version"] == found[0]["version"].partition("(")[2].rstrip(")")
    assert found[3]["right"] == found[0]["right"]
    summed = comparison_page.summaries([
        line("driftlearn", "rows", 0.05, [850]),
        line("before", "rows", 0.2, [840]),
        line("river", "calls", 1.0, [840]),
    ])  # fmt: skip
    rows = comparison_page.compared(summed)
    (row,) = comparison_page.before_and_after(summed, rows)
    assert rows[0]["library"] == "river" and row["gained"] == "**4.0**"
    assert (row["times others, before"], row["now"]) == ("5.0", "20.0")
    (bought,) = comparison_page.what_it_bought(summed, rows)
    assert bought["speedup, all changes"] == "4.0 to 4.0" and bought["median"] == "**4.0**"
    assert (
        comparison_page.before_and_after({}, rows) == comparison_page.what_it_bought({}, rows) == []
    )


def test_lower_accuracy_is_explained(comparison, monkeypatch):
    """Each round has its own seed: both sides vary by chance."""
    import comparison_page

    def rows(*right):
        ours = [line("driftlearn", "rows", 0.1, [n], round=k) for k, n in enumerate(right)]
        return comparison_page.compared(
            comparison_page.summaries([*ours, line("capymoa", "rows", 1.0, [900])])
        )

    (apart,), (alike,) = rows(800, 840, 880), rows(839, 840, 841)
    assert [apart["gap"], alike["gap"]] == pytest.approx([-0.06, -0.06])
    assert apart["noise"] == pytest.approx(2 * (0.2244e-3 + 0.04**2 * 4 / 3) ** 0.5, rel=1e-3)
    assert comparison_page.behind([apart]) == []
    (row,) = comparison_page.behind([alike])
    assert (row["gap"], row["of"], row["probable cause"]) == ("-6.0", "MOA", "not known")
    monkeypatch.setitem(comparison_page.REASONS, ("naive", "elec"), "so it is")
    assert comparison_page.behind([alike])[0]["probable cause"] == "so it is"


def test_every_round_has_a_seed_of_its_own(run, tmp_path):
    run(*SMALL, "--learner=online bagging, naive Bayes", "--rounds=2", "--library=driftlearn")
    first, second = (
        [each["right"] for each in lines(tmp_path) if each["round"] == n] for n in (1, 2)
    )
    assert first != second


def test_slow_learners_are_named(comparison):
    import comparison_page

    times = {"a": [6.0, 7.04, 12.0], "b": [3.0], "c": [0.5, 9.0]}
    rows = [{"learner": name, "times": each, "loop alone": each / 2, "way": "rows"}
            for name in times for each in times[name]]  # fmt: skip
    (line,) = comparison_page.glance(rows)
    names = ("as fast or faster", "at least 5 times", "at least 10 times")
    assert [line[name] for name in names] == ["5", "4", "1"]
    assert line["minimum"] == "**0.5**" and line[comparison_page.LOOPS] == "5, 1, 0"
    assert comparison_page.slowest(rows) == "a 6.0 to 7.0; b 3.0; c 0.5 to 9.0"
    assert comparison_page.slowest(rows[2:3]) == ""


def test_page(comparison, tmp_path):
    pytest.importorskip("matplotlib")
    import comparison_page

    limits = tmp_path / "limits.jsonl"
    entry = {"name": "DTEL", "ours": 4.0, "limit": 2.0, "unit": "s", "what": "all", "how": "so"}
    limits.write_text(json.dumps(entry) + "\n")
    page = tmp_path / "speed.rst"
    both = [line("driftlearn", "rows", 0.1, [800]), line("river", "calls", 1.0, [790])]
    failed = {**line("capymoa", "rows", 1.0, [1]), "problem": "no Java"}
    comparison_page.write_page(page, [*both, failed], limits)
    text = page.read_text(encoding="utf-8")
    assert "by more than two standard errors in 0 of 1 comparisons" in text
    assert "**10.0**" in text and "speed-details" in text
    details = (tmp_path / "speed-details.rst").read_text(encoding="utf-8")
    assert "Compared with the least work" in details and "- 2.0" in details
    assert "capymoa, rows: no Java" in page.with_suffix(".txt").read_text()
    assert page.with_suffix(".png").stat().st_size > 5_000
    stored = json.loads(page.with_suffix(".json").read_text())
    assert len(stored["runs"]) == 3 and "cores" in stored["machine"]
    comparison_page.write_page(page, [], tmp_path / "none.jsonl")
    assert "No measurements yet" in page.read_text(encoding="utf-8")
