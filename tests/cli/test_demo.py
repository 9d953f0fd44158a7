"""driftlearn demo."""

import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from driftlearn import AWEClassifier
from driftlearn.bench.report._terminal import blocks
from driftlearn.cli import main
from driftlearn.cli._demo_page import CHUNK, Scoreboard, second_chunk
from driftlearn.evaluate import prequential
from driftlearn.streams import SEA


def run(*words):
    return CliRunner().invoke(main, list(words))


@pytest.mark.compiled
def test_demo_leaves_a_table_a_page_and_a_picture(tmp_path):
    done = run("demo", "--rows", "2000", "--out", str(tmp_path / "new"))
    assert done.exit_code == 0, done.output
    for word in ("learn++.nse", "dtel", "sea", "awe", "aue2", "tix", "last chunk", "returned rule"):
        assert word in done.output
    assert re.search(r"dtel +0\.\d{3}", done.output) and "*" in done.output  # the best
    page = (tmp_path / "new" / "demo.html").read_text("utf-8")
    assert "learn++.nse" in page and len(page) < 3_000_000
    assert (tmp_path / "new" / "demo.png").read_bytes().startswith(b"\x89PNG")


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


def test_the_second_chunk_after_a_drift():
    stream = SEA(thresholds=(6, 12, 6), n_rows=12 * CHUNK, noise=0.0, random_state=0)
    result = prequential({"awe": AWEClassifier(random_state=0)}, stream, CHUNK)
    accuracy = dict(zip(result.rows("awe").tolist(), result.scores("awe").tolist()))
    assert second_chunk(result, "awe", "new") == pytest.approx(accuracy[6 * CHUNK])
    assert second_chunk(result, "awe", "returned") == pytest.approx(accuracy[10 * CHUNK])
