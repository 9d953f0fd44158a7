"""driftlearn demo."""

import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from driftlearn.bench.report._terminal import blocks
from driftlearn.cli import main
from driftlearn.cli._demo_page import Scoreboard


def run(*words):
    return CliRunner().invoke(main, list(words))


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Run the demo; return its folder and what it prints."""
    folder = tmp_path_factory.mktemp("demo") / "new"
    done = run("demo", "--rows", "2000", "--out", str(folder))
    assert done.exit_code == 0, done.output
    return folder, done.output


@pytest.mark.compiled
def test_demo_prints_the_scores_of_its_page(shown):
    folder, printed = shown
    page = (folder / "demo.html").read_text("utf-8")
    assert "rule B" in page and len(page) < 3_000_000
    for name in ("Learn++.NSE", "DTEL", "SEA", "AWE", "AUE2", "TIX", "tree, last chunk"):
        cells = re.search(rf"^{re.escape(name)} +(.*)$", printed, re.MULTILINE)[1].split()
        row = re.search(rf">{re.escape(name)}</th>(.*?)</tr>", page, re.DOTALL)[1]
        on_page = [f"{float(each):.3f}" for each in re.findall(r'data-key="([\d.]+)"', row)]
        accuracy, new, returned = (cell.rstrip("*") for cell in cells[:3])
        assert accuracy == on_page[0] and {new, returned} <= {*on_page}


@pytest.mark.compiled
def test_demo_learns_a_folder_of_days_and_dates_the_drift(shown):
    folder, printed = shown
    assert "8,000 new rows learned" in printed and "200 rows predicted" in printed
    assert "On 29 January 2026 'weight' changed" in " ".join(printed.split())
    for name in ("demo.png", "demo.html", "model.html", "predictions.csv"):
        assert (folder / name).exists() and str(folder / name) in printed
    assert (folder / "demo.png").read_bytes().startswith(b"\x89PNG")
    again = run("learn", str(folder / "days"), "--state", str(folder / "model"))
    assert "0 new rows learned, 8,000 in total" in again.output


def test_demo_reports_unwritable_folders(tmp_path):
    file = tmp_path / "file"
    file.write_text("in the way")
    done = run("demo", "--rows", "2000", "--out", str(file / "below"))
    assert done.exit_code == 2
    assert str(file) in done.output and "Traceback" not in done.output


def test_demo_checks_optional_packages_first(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.backend_bases", None)
    monkeypatch.setattr("driftlearn.evaluate.prequential", lambda *args, **how: pytest.fail("ran"))
    done = run("demo", "--rows", "2000", "--out", str(tmp_path / "new"))
    assert done.exit_code == 2 and "needs matplotlib: pip install matplotlib" in done.output
    assert not (tmp_path / "new").exists()


def test_scoreboard_without_a_terminal(tmp_path):
    from rich.console import Console

    with (tmp_path / "log").open("w") as file:
        board = Scoreboard(1000, Console(file=file))

        class Step:
            import numpy as np

            learner, stop, confusion = "a", 500, np.eye(2)

        board(Step)
    assert "500 of 1,000 rows" in Path(tmp_path / "log").read_text()
    assert blocks([0.5, 1.0] * 40, width=4, low=0.5) == "▅▅▅▅"
