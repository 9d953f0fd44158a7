"""The command, as a person or a script would use it."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from driftlearn._demo import Scoreboard, sparkline
from driftlearn.cli import main


def run(*words):
    return CliRunner().invoke(main, list(words))


@pytest.mark.compiled
def test_demo_leaves_a_table_a_page_and_a_picture(tmp_path):
    done = run("demo", "--rows", "2000", "--out", str(tmp_path / "new"))
    assert done.exit_code == 0, done.output
    for learner in ("learn++.nse", "dtel", "sea", "awe", "aue2", "tix"):
        assert learner in done.output
    page = (tmp_path / "new" / "demo.html").read_text("utf-8")
    assert "learn++.nse" in page and len(page) < 3_000_000
    assert (tmp_path / "new" / "demo.png").read_bytes().startswith(b"\x89PNG")


def test_demo_says_where_it_cannot_write(tmp_path):
    file = tmp_path / "file"
    file.write_text("in the way")
    done = run("demo", "--rows", "2000", "--out", str(file / "below"))
    assert done.exit_code == 1
    assert "cannot write to" in done.output and "Traceback" not in done.output


@pytest.mark.parametrize(
    "words, message",
    [
        (("reproduce", "S7"), "there is no paper 'S7'; there are"),
        (("reproduce", "S1", "--table", "XX"), "S1 has no 'table XX' here; it has table III"),
        (("reproduce", "S1", "--stream", "SEA"), "no stream 'SEA' here; there are SEA"),
        (("reproduce", "S1", "--learner", "me"), "no learner 'me' here; there are DTEL"),
        (("demo", "--rows", "3"), "3 is not in the range"),
        (("nonsense",), "No such command"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_mistakes_get_one_sentence_and_exit_code_2(words, message):
    done = run(*words)
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())


@pytest.mark.compiled
def test_reproduce_shows_published_and_own_numbers():
    done = run("reproduce", "S1", "--table", "III", "--stream", "STA200A", "--seeds", "1")
    assert done.exit_code == 0, done.output
    assert "89.48" in done.output and "DTEL" in done.output


def test_versions():
    done = run("versions")
    assert done.exit_code == 0 and "scikit-learn" in done.output


def test_runs_as_a_module():
    out = subprocess.run(
        [sys.executable, "-m", "driftlearn", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout.startswith("driftlearn, version")


def test_scoreboard_without_a_terminal(tmp_path):
    from rich.console import Console

    with (tmp_path / "log").open("w") as file, Scoreboard(1000, Console(file=file)) as board:

        class Step:
            import numpy as np

            learner, stop, confusion = "a", 500, np.eye(2)

        board(Step)
    assert "500 of 1,000 rows" in Path(tmp_path / "log").read_text()
    assert sparkline([0.5, 1.0] * 40, width=4) == "▅▅▅▅"
