"""Saved models in the documentation: its Python code runs, and its table lists every option."""

import re
from pathlib import Path

from driftlearn.cli.learn import learn
from driftlearn.ops.checkpoint.learn_run import LearnRun

PAGE = (Path(__file__).parents[3] / "docs" / "daily-job.rst").read_text("utf-8")


def test_the_code_runs(tmp_path, monkeypatch, capsys):
    lines = "".join(f"{i % 7},{'red' if i % 2 else 'blue'},{'ab'[i % 2]}\n" for i in range(60))
    (tmp_path / "a.csv").write_text("x,colour,label\n" + lines)
    monkeypatch.chdir(tmp_path)
    LearnRun("model", ["a.csv"], {"target": "label", "learner": "naive-bayes"}).run()
    code = PAGE.split(".. code-block:: python\n\n")[1].split("\n\n``saved.model``")[0]
    exec("\n".join(line[4:] for line in code.splitlines()), {})
    assert capsys.readouterr().out.rstrip().endswith("['b']")


def test_every_option_is_documented():
    table = {*re.findall(r"^``(--[a-z-]+)`` ", PAGE, flags=re.M)}
    there = {option for param in learn.params for option in param.opts if option[:2] == "--"}
    assert there - table == {"--debug"} and table <= there
