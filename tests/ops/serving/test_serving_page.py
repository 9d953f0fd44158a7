"""Commands and Python code of serving.rst run, and its tables are complete."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from driftlearn.cli.serve import serve
from driftlearn.ops.checkpoint.learn_run import LearnRun
from tests.doc_code import blocks_of
from tests.services import ask, ended, service

pytest.importorskip("uvicorn", reason="driftlearn serve needs it")
DASHBOARD = (Path(__file__).parents[3] / "docs" / "grafana.json").read_text("utf-8")
PAGE = (Path(__file__).parents[3] / "docs" / "serving.rst").read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_the_code_runs(tmp_path, capsys):
    lines = "".join(f"{i % 7},{'red' if i % 2 else 'blue'},{'ab'[i % 2]}\n" for i in range(60))
    (tmp_path / "a.csv").write_text("x,colour,label\n" + lines)
    state = tmp_path / "model"
    LearnRun(state, [str(tmp_path / "a.csv")], {"target": "label", "learner": "naive-bayes"}).run()
    with service(state) as process:
        here = f"127.0.0.1:{process.port}"
        (block,) = blocks_of("serving.rst")
        exec(block.replace("127.0.0.1:8000", here), {})
        printed = capsys.readouterr().out.splitlines()
        assert "'label': 'b'" in printed[0] and int(printed[1]) in (0, 1, 2)
        text = ask(process.port, "GET", "/metrics")[2]
        names = {*re.findall(r"^# TYPE (\w+)", text, flags=re.M)}
        assert names == {*re.findall(r"^``(driftlearn_\w+)`` ", PAGE, flags=re.M)}
        shown = {*re.findall(r"driftlearn_\w+", DASHBOARD)}
        assert {name.removesuffix("_bucket") for name in shown} <= names
        if not shutil.which("curl"):
            pytest.skip("curl is not installed")
        for line in re.findall(r"^    (curl .*)$", PAGE, flags=re.M):
            done = subprocess.run(
                f"{line.replace('127.0.0.1:8000', here)} -sf", shell=True, capture_output=True
            )
            assert done.returncode == 0, (line, done)
        assert ended(process) == 0


def test_every_option_is_documented():
    table = {*re.findall(r"^``(--[a-z-]+)`` ", PAGE, flags=re.M)}
    there = {option for param in serve.params for option in param.opts if option[:2] == "--"}
    assert there - table == {"--debug"} and table <= there
