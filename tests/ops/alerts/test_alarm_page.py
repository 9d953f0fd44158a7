"""The page from-cron-to-alarm.rst: crontab, systemd units, DAG, payload, options and exit codes."""

import ast
import json
import re
import shlex
import shutil
import subprocess

import click
import pytest

from driftlearn.cli import main
from driftlearn.cli.command import BUG, INTERRUPTED, INVALID, TERMINATED
from driftlearn.ops.alerts.alarm import ALERTED, TITLES, Alarm
from driftlearn.preprocessing._table_check import CHANGED, STOPPED
from tests.doc_code import DOCS, blocks_of

PAGE = "from-cron-to-alarm.rst"
TEXT = (DOCS / PAGE).read_text("utf-8")
PROGRAM = "/opt/driftlearn/bin/driftlearn"


def check(line):
    """Parse a command line; an unknown command or option is an error."""
    _, name, *words = shlex.split(line)
    command = main.get_command(click.Context(main), name)
    with click.Context(command) as context:
        command.make_parser(context).parse_args(words)


def test_crontab():
    (block,) = blocks_of(PAGE, "text")
    setting, job = block.splitlines()
    assert re.fullmatch(r"MAILTO=\S+@\S+", setting)
    *times, command = job.split(maxsplit=5)
    for text, (low, high) in zip(times, ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))):
        assert text == "*" or low <= int(text) <= high
    assert len(times) == 5 and "%" not in command, "cron replaces % by line breaks"
    folder, _, line = command.partition(" && ")
    assert folder.startswith("cd /") and line.startswith(PROGRAM)
    check(line)


def units():
    names = re.findall(r"^``/etc/systemd/system/(\S+)``", TEXT, re.MULTILINE)
    return dict(zip(names, blocks_of(PAGE, "ini")))


def test_systemd(tmp_path):
    assert [*units()] == ["driftlearn.service", "driftlearn.timer", "driftlearn-failed.service"]
    check(re.search(r"^ExecStart=(.*driftlearn learn.*)$", TEXT.replace("    ", ""), re.M)[1])
    for name, text in units().items():
        text = text.replace(PROGRAM, "/bin/true").replace("/usr/bin/logger", "/bin/true")
        (tmp_path / name).write_text(text)
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    done = subprocess.run(["systemd-analyze", "verify", *map(str, tmp_path.iterdir())],
                          capture_output=True, text=True, check=False)  # fmt: skip
    found = [line for line in done.stderr.splitlines() if str(tmp_path) in line]
    assert found == [] and done.returncode == 0, done.stderr


def test_airflow():
    (code,) = blocks_of(PAGE)
    compile(code, PAGE, "exec")
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    calls = [node for node in calls if ast.unparse(node.func) == "BashOperator"]
    commands = [ast.literal_eval(each.value) for node in calls for each in node.keywords
                if each.arg == "bash_command"]  # fmt: skip
    assert len(commands) == len(calls) == 2
    for line in commands:
        check(line.partition(" || ")[0])
        assert subprocess.run(["bash", "-n", "-c", line], check=False).returncode == 0


def test_payload(tmp_path):
    (block,) = blocks_of(PAGE, "json")
    found = json.loads(block)
    assert {*found} == {*Alarm(tmp_path, print)._message("schema", "new", ["text"])}


def test_every_option_alert_and_exit_code_is_documented():
    command = main.get_command(click.Context(main), "alerts")
    options = {option for param in command.params for option in param.opts if option[:2] == "--"}
    missing = {
        option for option in options if f"``{option}" not in TEXT and f" {option}" not in TEXT
    }
    assert missing == {"--allow", "--json", "--debug"}
    alerts = {*re.findall(r"^``([a-z]+)`` {2,}", TEXT, re.MULTILINE)}
    assert alerts == {*TITLES} - {"test"}
    codes = {*map(int, re.findall(r"^(\d+) {3,}\S", TEXT, re.MULTILINE))}
    assert codes == {0, INVALID, BUG, CHANGED, STOPPED, ALERTED, INTERRUPTED, TERMINATED}
