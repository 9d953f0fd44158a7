"""The tables and all commands of the page on three tables, run on a few rows."""

import re
import shlex
import sys

import pytest
from click.testing import CliRunner

from driftlearn.cli import main
from tests.doc_code import DOCS, code_of

PAGE = "three-tables.rst"
ROWS = 900
COMMANDS = re.findall(r"^    \$ driftlearn (.*)$", (DOCS / PAGE).read_text("utf-8"), flags=re.M)


def test_no_table_needs_more_than_five_commands():
    states = [re.search(r"(\w+)/$|--state (\w+)/", command) for command in COMMANDS]
    names = [found[1] or found[2] for found in states]
    assert [*dict.fromkeys(names)] == ["prices", "rain", "spam"]
    assert max(names.count(name) for name in names) <= 5


@pytest.mark.data
def test_the_commands_run(tmp_path, monkeypatch):
    pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    code = code_of(PAGE)
    assert "rows = None" in code
    exec(code.replace("rows = None", f"rows = {ROWS}"), {})
    for command in COMMANDS:
        words = shlex.split(command, comments=True)
        if "--target" in words:
            words += ["--learner", "naive-bayes"]  # the default learner takes long
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, (command, done.output)
    assert f"Accuracy over {ROWS} rows: model" in done.output
    for name in ("prices.csv", "rain.csv", "spam.csv"):
        assert len((tmp_path / name).read_text("utf-8").splitlines()) >= 10
