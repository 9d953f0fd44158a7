"""Names completed by the shell, and examples in every help text."""

import re

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from driftlearn.cli import COMMANDS, main


def completed(*words):
    """Return the completions that a shell offers for the last word."""
    *before, begun = words
    found = ShellComplete(main, {}, "driftlearn", "_X").get_completions(before, begun)
    return {item.value: item for item in found}


def test_names_of_learners_streams_and_papers():
    assert [*completed("run", "-l", "learn++.n")] == ["learn++.nc", "learn++.nse"]
    assert "candidates" in completed("learn", "x.csv", "--learner", "au")["auto"].help
    assert "sea" in completed("run", "--stream", "se")
    assert [*completed("reproduce", "s1")] == ["S1"]
    assert [*completed("reproduce", "")] == ["S0", "S1", "S2", "S3", "S4", "all"]
    assert [*completed("reproduce", "S2", "--table", "")] == ["2", "3", "5", "6", "8", "9"]
    assert [*completed("reproduce", "S1", "--figure", "")] == ["2", "3", "4"]
    assert "section 4" in completed("reproduce", "S4", "--item", "s")
    assert completed("reproduce", "S7", "--table", "") == {}
    assert "dtel" in completed("list", "learners", "dt") and "S3" in completed("list", "papers", "")
    assert "completion" in completed("comp")


def test_files_are_left_to_the_shell():
    for words in (("run", "-s", "my/t"), ("learn", "days/"), ("predict", "x", "--out", "y")):
        assert [item.type for item in completed(*words).values()] == ["file"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell):
    done = CliRunner().invoke(main, ["completion", shell])
    assert done.exit_code == 0 and f"_DRIFTLEARN_COMPLETE={shell}_complete" in done.output


@pytest.mark.parametrize("name", [*COMMANDS, None])
def test_every_help_has_an_example(name):
    words = [name, "--help"] if name else ["--help"]
    shown = CliRunner().invoke(main, words).output
    example = rf"^ +(eval \"\$\()?driftlearn {re.escape(name) if name else 'demo'}( \S+)*"
    assert re.search(example, shown.split("Options:")[0], re.MULTILINE), shown
    assert max(map(len, shown.splitlines())) <= 80
