"""Output paths are checked before a command starts to work."""

import sys

import click
import pytest
from click.testing import CliRunner

from driftlearn.cli import COMMANDS, main

RUN = ("run", "-s", "sea:n_rows=600", "-l", "naive-bayes", "--on", "serial", "-q")
# Outputs of commands, by the words before the path; inputs are below.
WRITTEN = {
    ("run", "report"): (*RUN, "--report"),
    ("run", "plot"): (*RUN, "--plot"),
    ("run", "store"): (*RUN, "--store"),
    ("reproduce", "out"): ("reproduce", "S1", "--table", "III", "--quick", "--out"),
    ("reproduce", "store"): ("reproduce", "S1", "--table", "III", "--quick", "--store"),
    ("demo", "out"): ("demo", "--out"),
    ("inspect", "html"): ("inspect", "model", "--html"),
    ("explain", "out"): ("explain", "rows.csv", "--state", "model", "--out"),
    ("export", "path"): ("export",),
    ("export-model", "path"): ("export-model", "--state", "model", "--to", "onnx"),
    ("backtest", "report"): ("backtest", "rows.csv", "--target", "label", "--report"),
    ("backtest", "state"): ("backtest", "rows.csv", "--target", "label", "--state"),
    ("runs", "report"): ("runs", "1", "--report"),
    ("predict", "out"): ("predict", "rows.csv", "--state", "model", "--out"),
    ("learn", "state"): ("learn", "rows.csv", "--target", "label", "--state"),
    ("learn", "out"): ("learn", "rows.csv", "--target", "label", "--state", "model", "--out"),
}
KEPT = ("-l", "naive-bayes", "-q")
READ = {
    ("run", "plan"), ("inspect", "model"), ("export", "store"), ("runs", "store"),
    ("predict", "files"), ("predict", "state"), ("learn", "files"), ("learn", "labels"),
    ("learn", "reprocess"), ("watch", "model"), ("serve", "state"),
    ("alerts", "state"), ("backtest", "files"), ("backtest", "labels"),
    ("check", "files"), ("check", "state"), ("compare", "files"), ("compare", "first"),
    ("compare", "second"), ("explain", "file"), ("explain", "state"), ("export-model", "state"),
    ("promote", "state"), ("rollback", "state"),
}  # fmt: skip
ENDINGS = {"report": "x.html", "html": "x.html", "plot": "x.png", "path": "x.csv"}


@pytest.fixture(autouse=True)
def place(monkeypatch, tmp_path):
    """Create a folder with a store, a saved model and rows; `file` is not a folder."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "rows.csv").write_text("a,label\n" + "1,x\n2,y\n" * 20)
    return tmp_path


def run(*words):
    return CliRunner().invoke(main, [*words])


def ending(command, option):
    if (command, option) in (("predict", "out"), ("learn", "out")):
        return "x.csv"
    return ENDINGS.get(option, "x.sqlite" if option == "store" else "x")


def snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_place_that_a_command_is_given_is_known_here():
    found = {
        (command, param.name)
        for command in COMMANDS
        for param in main.get_command(click.Context(main), command).params
        if isinstance(param.type, click.Path)
    }
    assert found == {*WRITTEN} | READ


def bad_places(name):
    stem, dot, suffix = name.partition(".")
    return {
        "below a file": f"file/{name}",
        "too long a name": f"{stem * 300}{dot}{suffix}",
    }


@pytest.mark.parametrize("why", ["below a file", "too long a name"])
@pytest.mark.parametrize("command, option", WRITTEN)
def test_unwritable_outputs_are_reported_early(command, option, why, place):
    words = WRITTEN[command, option]
    if command in ("export", "runs"):
        assert run(*RUN).exit_code == 0
    if command in ("explain", "export-model", "inspect", "predict"):
        learned = run("learn", "rows.csv", "--target", "label", "--state", "model", *KEPT)
        assert learned.exit_code == 0, learned.output
    before = snapshot(place)
    where = bad_places(ending(command, option))[why]
    done = run(*words, where)
    text = " ".join(done.output.split())
    assert done.exit_code == 2 and done.output.count("Error") == 1, done.output
    message = "cannot be created" if option == "store" else "cannot be written"
    assert message in text or "cannot be used as a store" in text
    assert where in "".join(done.output.split())
    assert snapshot(place) == before


def test_a_folder_is_no_file(place):
    (place / "x.html").mkdir()
    assert "is a directory" in run(*RUN, "--report", "x.html").output
    (place / "demo").mkdir()
    (place / "demo" / "demo.html").mkdir()
    done = run("demo", "--out", "demo")
    assert done.exit_code == 2 and "demo.html cannot be written" in done.output


def test_one_file_cannot_be_two_things(place):
    done = run(*RUN, "--report", "x.svg", "--plot", "./x.svg")
    assert done.exit_code == 2 and "Name a different file for each" in done.output
    assert not (place / "data").exists()


def test_figures_of_several_streams_have_separate_names(place):
    name = "y" * 200 + ".png"
    fits = run(*RUN, "--plot", name)
    assert fits.exit_code == 0 and (place / name).exists(), fits.output
    (place / "data" / "driftlearn" / "runs.sqlite").unlink()
    done = run(*RUN, "-s", f"{'z' * 60}=sea:n_rows=600", "--plot", name)
    assert done.exit_code == 2 and "cannot be written" in done.output
    assert not (place / "data" / "driftlearn" / "runs.sqlite").exists()


def test_an_animation_of_more_than_two_features_is_refused_before_the_run(place):
    done = run(*RUN, "--plot", "x.gif")
    assert done.exit_code == 2 and " has 3. Use .png, .svg or .pdf" in done.output
    assert not (place / "data").exists()


def test_a_page_of_a_run_without_results_is_not_passed_over(place):
    (place / "spoiled_here.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\n"
        "class Spoiled(GaussianNB):\n"
        "    def partial_fit(self, X, y, classes=None, sample_weight=None):\n"
        "        raise RuntimeError('enough')\n"
    )
    failing = ("-l", "spoiled_here.Spoiled", "--on", "serial", "-q", "--no-baselines")
    assert run("run", "-s", "sea:n_rows=600", *failing).exit_code == 1
    done = run("runs", "1", "--report", "x.html")
    assert done.exit_code == 2 and "x.html cannot be written" in done.output
    assert not (place / "x.html").exists()
