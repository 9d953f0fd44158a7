"""The command line as used by a user or a script."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from driftlearn.bench.workbench.store import FORMAT, Store
from driftlearn.cli import main
from driftlearn.cli.command import COMMANDS, Command

RUN = (
    "--stream",
    "sea:n_rows=600,noise=0.1",
    "--learner",
    "naive-bayes",
    "--chunk-size",
    "100",
    "--on",
    "serial",
    "--no-baselines",
)  # a worker's own start searches this path first
SAFE_PATH = sys.version_info >= (3, 11)  # before, a worker's own start looks there first
HEAVY = ("numpy", "scipy", "sklearn", "pandas", "matplotlib", "distributed", "sqlite3")


@pytest.fixture(autouse=True)
def own_store(monkeypatch, tmp_path):
    """Keep the store of the user out of the tests, and restore the path after a test."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def run(*words):
    return CliRunner().invoke(main, list(words))


def reported(done):
    return " ".join(done.output.split())


def plan(tmp_path, text):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    return str(path)


def test_run_prints_a_table_and_resumes(tmp_path):
    first = run("run", *RUN, "--seeds", "2", "--quiet", "--on", "auto")
    assert first.exit_code == 0, first.output
    assert "naive-bayes" in first.output and "2 seeds" in first.output
    again = run("run", *RUN, "--seeds", "0:2", "--quiet")
    assert again.output == first.output
    with Store(tmp_path / "data" / "driftlearn" / "runs.sqlite") as store:
        assert store.runs()["cells"].tolist() == ["2 of 2"] * 2
        assert len(store.query("SELECT key FROM cells")) == 2


def test_run_writes_a_page_a_figure_and_json(tmp_path):
    files = [tmp_path / "new" / name for name in ("p.html", "p.png")]
    done = run("run", *RUN, "--report", str(files[0]), "--plot", str(files[1]), "--json", "--quiet")
    assert done.exit_code == 0, done.output
    content = json.loads(done.stdout)
    assert 0.7 < content["results"]["sea:n_rows=600,noise=0.1"]["naive-bayes"]["accuracy"] < 1
    page = files[0].read_text("utf-8")
    assert content["command"].startswith("driftlearn run --stream sea:n_rows=600,noise=0.1")
    assert content["command"] in page
    assert files[1].read_bytes().startswith(b"\x89PNG")


def test_a_plan_and_options_are_the_same_thing(tmp_path):
    path = plan(
        tmp_path,
        'seeds = 1\n[options]\nchunk_size = 100\n[streams.s]\nname = "sea"\nn_rows = 600\n'
        'noise = 0.1\n[learners]\nnb = "naive-bayes"\n',
    )
    options = run("run", *RUN, "--json", "--quiet")
    planned = run("run", path, "--json", "--quiet")
    assert planned.exit_code == 0, planned.output
    one, other = (json.loads(done.stdout)["results"] for done in (options, planned))
    assert one["sea:n_rows=600,noise=0.1"]["naive-bayes"] == other["s"]["nb"]
    mixed = run("run", path, "--learner", "dtel")
    assert mixed.exit_code == 2 and "cannot be combined with a plan" in reported(mixed)


def test_baselines_run_beside_the_learners_unless_switched_off(tmp_path):
    stream = "sea:n_rows=600,noise=0.3,thresholds=(1,2)"  # nearly all rows are of one class
    words = ("-l", "majority:window=9", "-l", "cart=refit", "--chunk-size", "100", "--on", "serial")
    content = json.loads(run("run", "-s", f"s={stream}", *words, "--quiet", "--json").stdout)
    assert list(content["results"]["s"]) == ["majority:window=9", "cart", "no-change"]
    text = f'baselines = %s\n[streams]\ns = "{stream}"\n[learners]\ncart = "refit"\n'
    shown = reported(run("run", plan(tmp_path, text % "true"), "--quiet", "--on", "serial"))
    assert "majority" in shown and "On the stream s, cart (0." in shown and "not beat" in shown
    for value, *off in (("true", "--no-baselines"), ("false",)):
        path = plan(tmp_path, text % value)
        content = json.loads(run("run", path, *off, "--quiet", "--on", "serial", "--json").stdout)
        assert list(content["results"]["s"]) == ["cart"]
    wrong = run("run", plan(tmp_path, text % "3"))
    assert wrong.exit_code == 2 and "line 1: 'baselines' must be true or false. Got 3" in reported(
        wrong
    )


def test_the_protocol_of_concepts():
    words = ("run", "-s", "s=sea:n_rows=2000,thresholds=(8,3,8)", "-l", "learn++.nse",
             "--chunk-size", "100", "--test-size", "200", "--protocol", "concepts", "--quiet",
             "--on", "serial", "--no-baselines")  # fmt: skip
    done = run(*words)
    assert done.exit_code == 0, done.output
    assert "forgetting" in done.output and "anytime" in done.output
    wrong = run("run", "-s", "rbf:n_rows=500", "-l", "dtel", "--protocol", "concepts")
    assert wrong.exit_code == 2 and "the concepts protocol cannot be used on" in reported(wrong)


def test_several_streams_and_protocols():
    words = ("run", "--stream", "a=sea:n_rows=400", "--stream", "b=sea:n_rows=400,noise=0.2",
             "--learner", "naive-bayes", "--learner", "sea", "--protocol", "holdout",
             "--every", "100", "--test-size", "50", "--fixed", "--quiet",
             "--on", "serial")  # fmt: skip
    done = run(*words)
    assert done.exit_code == 0, done.output
    assert "a, holdout, one seed" in done.output
    assert re.search(r"accuracy\nlearner +a +b\nnaive-bayes ", done.output)
    late = run("run", *RUN, "--protocol", "delayed", "--delay", "150", "--quiet")
    assert late.exit_code == 0, late.output


def test_a_cell_that_fails_gives_exit_code_1_and_is_reported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\n"
        "class Spoiled(GaussianNB):\n"
        "    def partial_fit(self, X, y, classes=None, sample_weight=None):\n"
        "        raise RuntimeError('enough')\n"
    )
    done = run("run", *RUN, "--learner", "mine.Spoiled", "--on", "serial", "--verbose")
    assert done.exit_code == 1 and done.output.count("enough") == 1
    assert "naive-bayes on sea:n_rows=600,noise=0.1, seed 0: done" in reported(done)
    assert done.output.count("mine.Spoiled on") == 1 and "1 of 2 cells, 1 failed" in reported(done)
    expected = (
        "failed: mine.Spoiled on sea:n_rows=600,noise=0.1, seed 0: in chunk 0 (rows 0 to 99): "
    )
    assert expected + "RuntimeError: enough" in reported(done)
    listed = run("runs", "1")
    assert "1 done, 1 failed" in listed.output and "failed: mine.Spoiled" in reported(listed)
    sys.modules.pop("mine")


MINE = """
from sklearn.naive_bayes import GaussianNB
from driftlearn.streams import SEA

class MyLearner(GaussianNB):
    "A learner of one's own."

class MyStream(SEA):
    name = "my stream"
"""


@pytest.mark.parametrize("on", ["serial", "processes:2"])
def test_classes_in_the_working_folder_and_nothing_else_there(tmp_path, on):
    """Files in the working folder are found, and never shadow installed packages."""
    (tmp_path / "mine.py").write_text(MINE)
    names = ("numpy", "sklearn", "threadpoolctl", *(["queue", "random"] if SAFE_PATH else []))
    for name in names:
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('shadowed')")
    script = tmp_path / "bin" / "driftlearn"
    script.parent.mkdir()
    script.write_text("from driftlearn.cli import main\nif __name__ == '__main__':\n    main()\n")
    path = os.pathsep.join(entry for entry in sys.path if entry not in ("", os.getcwd()))

    def driftlearn(*words):
        return subprocess.run(
            [sys.executable, script, *words], capture_output=True, text=True, cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip

    done = driftlearn("run", "-s", "mine:MyStream:n_rows=600", "-l", "mine:MyLearner", "-l",
                      "wide=mine.MyLearner:var_smoothing=0.1", "--quiet", "--on", on)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "mine:MyLearner" in done.stdout and "wide" in done.stdout
    assert (
        "mine:MyLearner: A learner of one's own."
        in driftlearn("list", "learners", "mine:MyLearner").stdout
    )


def test_a_store_of_an_earlier_version(tmp_path):
    """A store with paths of moved files is listed, shown, compared and exported."""
    store = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(store)) as db:
        db.executescript((Path(__file__).parent / "store_0.1.sql").read_text())
        (first, *_), *_ = db.execute("SELECT description FROM cells ORDER BY key")
    assert "driftlearn.chunk." in first
    at = ("--store", str(store))
    assert "2 of 2" in run("runs", *at).output
    shown = run("runs", "1", *at)
    assert shown.exit_code == 0 and "learn++.nc" in shown.output and "nse" in shown.output
    again = run("run", "-s", "sea:n_rows=500", "-l", "naive-bayes", "--on", "serial", "-q", *at)
    assert again.exit_code == 0, again.output
    compared = run("runs", "1", "1", *at)
    assert compared.exit_code == 0 and "learn++.nc" in compared.output
    page = tmp_path / "old.html"
    assert run("runs", "1", "--report", str(page), *at).exit_code == 0
    assert 'data-tip="member 1, rows 0 to ' in page.read_text("utf-8")
    assert "chunks written" in run("export", str(tmp_path / "old.csv"), *at).output


def test_runs_lists_shows_and_compares(tmp_path):
    assert "There is no store" in reported(run("runs"))
    run("run", *RUN, "--title", "first", "--quiet")
    run("run", *RUN, "--learner", "sea", "--seeds", "2", "--quiet")
    listed = run("runs")
    assert "first" in listed.output and "4 of 4" in listed.output
    shown = run("runs", "2")
    assert "cells: 4 done" in shown.output and "2 seeds" in shown.output and "CPU" in shown.output
    compared = run("runs", "1", "2")
    assert "run 1" in compared.output and "difference" in compared.output
    rows = json.loads(run("runs", "1", "2", "--json").stdout)
    assert {row["learner"] for row in rows} == {"naive-bayes", "sea"}
    assert json.loads(run("runs", "1", "--json").stdout)["cells"][0]["status"] == "done"
    assert json.loads(run("runs", "--json").stdout)[0]["title"] == "first"
    run("run", "-s", "other=sea:n_rows=200", *RUN[2:], "--quiet")
    nothing = run("runs", "1", "3")
    assert nothing.exit_code == 2 and "Cannot compare runs 1 and 3" in reported(nothing)
    assert nothing.output.count("\n") == 1
    page = tmp_path / "one.html"
    assert run("runs", "2", "--report", str(page)).exit_code == 0 and page.exists()
    assert run("runs", "--report", str(page)).exit_code == 2
    missing = run("runs", "9")
    assert missing.exit_code == 2 and "has no run 9: its runs are 1 to 3" in reported(missing)


def test_runs_report_their_number_and_stored_cells():
    assert "run 1: 1 cell\n" in run("run", *RUN).output
    again = reported(run("run", *RUN, "--learner", "stump=refit"))
    assert "run 2: 2 cells, 1 of them already in the store (--fresh runs them again)" in again
    assert "0.8" in again and "*" in again  # the best value is marked if there is no bold type


def test_export(tmp_path):
    run("run", *RUN, "--quiet")
    done = run("export", str(tmp_path / "chunks.csv"))
    assert done.exit_code == 0 and "6 chunks written" in done.output
    assert (tmp_path / "chunks.csv").read_text().startswith("run,stream,learner,seed,chunk")
    wrong = run("export", str(tmp_path / "chunks.doc"))
    assert wrong.exit_code == 2 and "use .csv or .parquet" in reported(wrong)


def test_list():
    learners = run("list", "learners").output
    assert (
        "learn++.udnc: Learn++.UD and Learn++.NC combined" in learners
        and "n_estimators=25" in learners
    )
    assert "sea: " in run("list", "streams").output
    assert "S3 table 2" in run("list", "papers").output
    one = run("list", "learners", "dtel").output
    assert "dtel: " in one and "aue2: " not in one
    names = {entry["name"] for entry in json.loads(run("list", "streams", "--json").stdout)}
    assert {"sea", "led", "covertype", "SEA200A"} <= names
    wrong = run("list", "learners", "dtle")
    assert wrong.exit_code == 2 and "did you mean 'dtel'" in reported(wrong)


@pytest.mark.parametrize(
    "words, message",
    [
        (("reproduce", "S7"), "Unknown paper 'S7'. Available: S0, S1"),
        (("reproduce", "S1", "--table", "XX"), "Unknown item 'table XX' of S1"),
        (
            ("reproduce", "S1", "--stream", "SEA"),
            "Unknown stream 'SEA' in these experiments. Similar: SEA",
        ),
        (
            ("reproduce", "S1", "--learner", "me"),
            "Unknown learner 'me' in these experiments. Similar: DTEL",
        ),
        (("reproduce", "all", "--table", "2"), "require a single paper"),
        (
            ("reproduce", "S1", "--table", "III", "--figure", "2"),
            "--table, --figure and --item cannot be combined",
        ),
        (("run", "--learner", "dtel"), "There is no stream"),
        (("run", "--stream", "sea"), "There is no learner"),
        (("run", "--stream", "sae", "--learner", "dtel"), "did you mean"),
        (("run", "--stream", "sea", "--learner", "dtle"), "did you mean 'dtel'"),
        (("run", "--stream", "sea:nois=1", "--learner", "dtel"), "'noise'"),
        (("run", "--stream", "sea", "--learner", "dtel:n_estimators=-1"), "n_estimators"),
        (("run", "--stream", "sea", "--learner", "dtel:vote"), "column"),
        (("run", *RUN, "--protocol", "sideways"), "sideways"),
        (("run", *RUN, "--on", "moon"), "unknown executor 'moon'"),
        (("run", "nowhere.toml"), "nowhere.toml"),
        (("run", *RUN, "--seeds", "0"), "'0': expected a number of seeds, e.g. 10, or FIRST:END"),
        (("run", *RUN, "--seeds", "9:5"), "'9:5': expected a number of seeds"),
        (("run", *RUN, "--seeds", "-3:2"), "'-3:2': expected a number of seeds"),
        (("reproduce", "S1", "--seeds", "1:x"), "'1:x': expected a number of seeds"),
        (("demo", "--rows", "3"), "3 is not in the range"),
        (("nonsense",), "No such command"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else "",
)
def test_mistakes_get_one_sentence_and_exit_code_2(words, message):
    done = run(*words)
    assert done.exit_code == 2, done.output
    assert message in reported(done) and "Traceback" not in done.output


def test_errors_in_plans_have_a_line(tmp_path):
    path = plan(tmp_path, 'seeds = 2\n[streams]\ns = "sea"\n[learners]\nd = "dtle"\n')
    done = run("run", path)
    assert done.exit_code == 2 and f"{path}, line 5: unknown learner 'dtle'" in reported(done)


def test_a_scheduler_that_does_not_answer():
    pytest.importorskip("distributed")
    done = subprocess.run(
        [sys.executable, "-m", "driftlearn", "run", *RUN, "--on", "tcp://127.0.0.1:9"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "tcp://127.0.0.1:9" in done.stderr and "Traceback" not in done.stderr


def test_stores_that_cannot_be_used(tmp_path):
    newer, file = tmp_path / "newer.sqlite", tmp_path / "file"
    with Store(newer) as store:
        store.query(f"PRAGMA user_version = {FORMAT + 1}")
    file.write_text("this is no database, only some text that is long enough" * 20)
    for path, message in (
        (newer, "newer version of driftlearn"),
        (file, "file is not a database"),
        (file / "below", "cannot be created"),
    ):
        done = run("run", *RUN, "--store", str(path))
        assert done.exit_code == 2, done.output
        assert message in reported(done) and "Traceback" not in done.output


def test_debug_shows_where():
    done = run("run", "--stream", "sea", "--learner", "dtel:n_estimators=-1", "--debug")
    assert isinstance(done.exception, ValueError) and done.exit_code == 1


def test_what_should_not_happen_gives_exit_code_3(monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("driftlearn.bench.workbench.plan.plan_of", broken)
    done = run("run", *RUN)
    assert (
        done.exit_code == 3
        and "ZeroDivisionError: oh (--debug shows the traceback)" in reported(done)
    )


def test_a_request_to_end_gives_exit_code_143(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "driftlearn", "run", "--stream", "sea:n_rows=5000000",
         "--learner", "naive-bayes", "--store", str(tmp_path / "s.sqlite"), "--on", "serial"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not (tmp_path / "s.sqlite.work").exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    _, expected = process.communicate(timeout=30)
    assert process.returncode == 143 and "Traceback" not in expected


@pytest.mark.parametrize(
    "words, expected, allowed",
    [
        (("--help",), "Usage:", ()),
        (("run", "--help"), "Usage:", ()),
        (("reproduce", "--help"), "Usage:", ()),
        (("run", "-s", "sea", "-l", "dtel", "-l", "dtle"), "'dtle'", ("numpy",)),
        (("learn", "x.csv", "--state", "x", "-l", "dtle"), "'dtle'", ("numpy",)),
        (("reproduce", "S1", "--table", "XX"), "'table XX'", ()),
    ],
)
def test_help_and_wrong_names_are_answered_without_the_heavy_libraries(words, expected, allowed):
    script = (
        "import sys\nfrom driftlearn.cli import main\n"
        f"try:\n    main({list(words)!r})\nexcept SystemExit:\n    pass\n"
        f"heavy = {[name for name in HEAVY if name not in allowed]!r}\n"
        "found = [name for name in heavy if name in sys.modules]\n"
        "sys.exit(f'imported: {found}' if found else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout + done.stderr


@pytest.mark.skipif(os.name == "nt", reason="needs a shell with pipes")
def test_a_reader_that_has_seen_enough():
    words = f"{sys.executable} -m driftlearn list streams | head -1"
    done = subprocess.run(words, shell=True, capture_output=True, text=True)
    assert done.stdout.startswith("sea: ") and done.stderr == ""


def test_versions():
    done = run("versions")
    assert done.exit_code == 0 and "scikit-learn" in done.output


def test_runs_as_a_module():
    out = subprocess.run(
        [sys.executable, "-m", "driftlearn", "--version"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ},
    )
    assert out.stdout.startswith("driftlearn, version")


def test_ctrl_c_during_an_import():
    """Python wraps the interrupt in a RuntimeError if it arrives while a class is created."""

    def named():
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    done = CliRunner().invoke(Command("any", callback=named), [])
    assert done.exit_code == 130 and done.stderr == "stopped\n"


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_help_fits_the_terminal_and_no_summary_is_cut(columns, monkeypatch):
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((columns, 40)))
    context = main.make_context("driftlearn", ["list"], resilient_parsing=True)
    longest = 0
    for name in COMMANDS:
        command = main.get_command(context, name)
        lines = command.get_help(click.Context(command, parent=context)).splitlines()
        longest = max(longest, *map(len, lines))
    assert columns - 10 < longest <= max(columns, 80)
    lines = main.get_help(context).splitlines()
    assert not any(line.startswith(" ") and line.endswith("...") for line in lines)


def test_ctrl_c_before_the_command_runs():
    """Imports may swallow KeyboardInterrupt, as this one does, or print a traceback."""
    script = """
import signal, sys
class Pressed:
    def find_spec(self, name, path, target=None):
        if name == "click":
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                pass
sys.meta_path.insert(0, Pressed())
sys.argv = ["driftlearn", "list", "learners"]
from driftlearn.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
