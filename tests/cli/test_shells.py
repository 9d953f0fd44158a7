"""Completion of an incomplete word in real shells."""

import os
import re
import select
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from driftlearn.cli import main

WORDS = {  # the typed text, and the last word of the line after the tab key
    "driftlearn repr": "reproduce",
    "driftlearn run --lea": "--learner",
    "driftlearn run --learner learn++.ns": "learn++.nse",
    "driftlearn run --learner=dte": "--learner=dtel",
    "driftlearn run --learner=awe:n_folds=3 --stream checkerb": "checkerboard",
    "driftlearn reproduce s3": "S3",
    "driftlearn reproduce S4 --item s": "section 4",
    "driftlearn learn my_r": "my_rows.csv",
}
LONGEST = 300  # seconds without output, after which the shell counts as hanging


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder in which the command is found and that contains a file."""
    (tmp_path / "my_rows.csv").touch()
    command = tmp_path / "bin" / "driftlearn"
    command.parent.mkdir()
    start = "from driftlearn.cli import main; main(prog_name='driftlearn')"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -W ignore -c "{start}" "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(command.parent), os.environ["PATH"]]))
    for name in ("HOME", "ZDOTDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("EDITOR", raising=False)  # zsh uses the keys of vi if its settings say so
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def installed(shell):
    """Return the path of a shell; skip the test if it is missing."""
    found = shutil.which(shell)
    if found is None or os.name == "nt":
        pytest.skip(f"there is no {shell}")
    return found


def test_bash(home):
    bash = installed("bash")
    version = subprocess.run([bash, "-c", "echo $BASH_VERSION"], capture_output=True, text=True)
    if tuple(map(int, version.stdout.split(".")[:2])) < (4, 4):
        pytest.skip("bash is older than 4.4")
    (home / ".bashrc").write_text('PS1=READY; eval "$(driftlearn completion bash)"\n')
    assert after_tab([bash, "--rcfile", home / ".bashrc", "-i"]) == WORDS


def test_zsh(home):
    zsh = installed("zsh")
    (home / ".zshrc").write_text('PS1=READY; eval "$(driftlearn completion zsh)"\n')
    assert after_tab([zsh, "-d", "-i"]) == WORDS


def test_fish(home):
    fish = installed("fish")
    taught = home / ".config" / "fish" / "completions" / "driftlearn.fish"
    taught.parent.mkdir(parents=True)
    taught.write_text(CliRunner().invoke(main, ["completion", "fish"]).output)
    requested = 'for line in $argv; complete -C "$line"; end'
    done = subprocess.run([fish, "-c", requested, *WORDS, "driftlearn reproduce S0"], text=True,
                          capture_output=True)  # fmt: skip
    *found, paper = done.stdout.splitlines()
    assert [line.split("\t")[0] for line in found] == [*WORDS.values()], done.stderr
    assert paper == "S0\tKarnick, Muhlbaier and Polikar 2008 (Learn++.NSE)"


def after_tab(shell):
    """Type each line and a tab; return the last word that the shell then has."""
    pytest.importorskip("termios", reason="there are no terminals to type at")
    ours, theirs = os.openpty()
    with subprocess.Popen(shell, stdin=theirs, stdout=theirs, stderr=theirs,
                          start_new_session=True) as running:  # fmt: skip
        os.close(theirs)
        try:
            received(ours, rb"READY")
            found = {}
            for line in WORDS:  # Ctrl-A: to the start of the line; Ctrl-E: to its end
                os.write(ours, f"{line}\t\x01printf '<%s>' \x05; echo\r".encode())
                message = received(ours, rb"<driftlearn>.*READY")
                found[line] = re.findall(rb"<([^<>\r\n]*)>", message)[-1].decode()
            return found
        finally:
            running.kill()
            os.close(ours)


def received(terminal, awaited):
    """Return the output of a shell up to an expected text."""
    message = b""
    while not re.search(awaited, message, re.DOTALL):
        assert select.select([terminal], [], [], LONGEST)[0], message
        message += os.read(terminal, 4096)
    return message
