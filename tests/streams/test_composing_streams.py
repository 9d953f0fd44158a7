"""The code of the page on composing streams runs."""

import os
import subprocess
import sys

from driftlearn.bench.workbench.plan import read_plan
from tests.doc_code import DOCS, code_of

PAGE = "composing-streams.rst"


def block(kind):
    text = (DOCS / PAGE).read_text("utf-8").split(f".. code-block:: {kind}\n")[1]
    lines = text.strip("\n").splitlines()
    return [line.strip() for line in lines[: lines.index("")]]


def test_the_example_matches_the_page():
    names = {}
    exec(code_of(PAGE), names)
    stream, rare = names["stream"], names["rare"]
    assert stream.drift_spans == [(5_000, 6_000), (10_000, 11_000), (15_000, 16_000)]
    assert stream.concept_at(12_000) == 0
    assert rare.drifts == [5_000, 10_000, 12_000, 15_000] and rare.n_features == 4
    y = rare.take(2_000)[1]
    assert 0.85 < y.mean() < 0.95


def test_the_command_runs(tmp_path):
    command = " ".join(line.rstrip("\\") for line in block("bash"))
    words = command.replace('"', "").split()
    words[0:1] = [sys.executable, "-m", "driftlearn"]
    words[words.index("--seeds") + 1] = "1"
    found = subprocess.run(
        [*words, "--store", "runs.sqlite"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert "drifting:concepts" in found.stdout.replace("\n", "")


def test_the_plan_is_read(tmp_path):
    (tmp_path / "plan.toml").write_text("\n".join([*block("toml"), '[learners]\ndwm = "dwm"']))
    stream = read_plan(tmp_path / "plan.toml").streams["hard"].make(3)
    assert stream.noise == 0.1 and stream.drifts == [10_000] and stream.n_rows == 20_000


def test_the_picture_is_drawn(tmp_path):
    subprocess.run(
        [sys.executable, "-c", code_of(PAGE, 2)],
        cwd=tmp_path, check=True, env={**os.environ, "MPLBACKEND": "agg"},
    )  # fmt: skip
    assert (tmp_path / "composing-streams.png").stat().st_size > 5_000
