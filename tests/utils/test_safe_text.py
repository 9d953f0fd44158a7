"""External text in output: no markup, no escape sequence, no formula, no path."""

import csv
import io
import sys

import pytest
from click.testing import CliRunner
from rich.progress import Progress as RichProgress

from driftlearn import GaussianNBClassifier
from driftlearn.bench.report._terminal import matrix, show, summary
from driftlearn.bench.workbench.progress import Bars, Lines
from driftlearn.cli import main
from driftlearn.evaluate import prequential
from driftlearn.streams import SEA
from driftlearn.utils.safe_text import file_name, in_csv, printable
from driftlearn.utils.table import Table
from driftlearn.utils.terminal import Screen, styled

HOSTILE = (
    "[/red]", "[bold]x[/bold]", "[link=file:///etc]x[/link]", "\x1b[2J\x1b]0;title\x07", "\x9b31m",
    "a\nfailed: b", "a\rb", "\u202eesrever", "=cmd|' /C calc'!A0", "../../up", ":smile:", "{task}",
    "$x_{", "\ud800",
)  # fmt: skip
STEERING = {chr(c) for c in (*range(32), *range(127, 160), 0x202E, 0xD800)} - {"\n"}


def harmless(text):
    return not STEERING & set(text)


@pytest.mark.parametrize("name", HOSTILE)
def test_control_characters_are_escaped(name):
    assert printable(name).isprintable() and printable(printable(name)) == printable(name)
    assert printable("a\nb\x1b", lines=True) == "a\nb\\x1b"


@pytest.mark.parametrize("name", HOSTILE)
def test_tables_and_screens_show_data_as_it_is(name):
    result = prequential({name: GaussianNBClassifier()}, SEA(n_rows=200, random_state=0), 100)
    out = io.StringIO()
    screen = Screen(file=out, width=200, force_terminal=False)
    show(screen, summary(result), name)
    show(screen, matrix({name: result}))
    with pytest.warns(UserWarning, match="no row was tested"):
        untested = prequential({"a": GaussianNBClassifier()}, SEA(n_rows=9), 9)
    show(screen, matrix({"untested": untested}))
    screen.print(name, styled(name, "bold"))
    assert harmless(out.getvalue()) and out.getvalue().count(printable(name)) >= 4
    text = str(Table({name: [name]}))
    assert harmless(text) and text.count("\n") == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_progress_shows_data_as_it_is(name, monkeypatch):
    out = io.StringIO()
    seen = []
    monkeypatch.setattr(RichProgress, "start", lambda self: None)
    for display in (Lines(out, interval=0.0, verbose=True), Bars(out, verbose=True)):
        with display:
            display.begin(1, 1, 0)
            display.cell_started("key", name)
            display.cell_begun("key", 100, 10)
            display.cell_at("key", 50)
            if isinstance(display, Bars):
                table = display._bars.make_tasks_table(display._bars.tasks)
                screen = Screen(file=io.StringIO(), width=200)
                screen.print(table)
                seen.append(screen.file.getvalue())
            display.cell_done("key")
    assert harmless(out.getvalue()) and printable(name) in seen[0] and harmless(seen[0])


@pytest.mark.parametrize("name", HOSTILE)
def test_commands_take_any_name(name, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    quoted = "".join(f"\\u{ord(c):04x}" for c in name)
    if "\ud800" in name:
        pytest.skip("TOML has no such character")
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f'title = "{quoted}"\n[options]\nchunk_size = 100\n[streams]\n'
        f'"{quoted}" = "sea:n_rows=200"\nb = "sea:n_rows=200"\n'
        f'[learners]\n"{quoted}" = "naive-bayes"\n'
    )

    def run(*words):
        done = CliRunner().invoke(main, list(words))
        assert harmless(done.output), (words, done.output)
        return done

    done = run("run", str(plan), "--on", "serial", "--plot", "figures/a.svg", "--report", "p.html")
    assert done.exit_code == 0, done.output
    assert printable(name) in done.output
    assert len(list((tmp_path / "figures").iterdir())) == 2
    for words in (("runs",), ("runs", "1"), ("runs", "1", "1")):
        done = run(*words)
        assert done.exit_code == 0 and printable(name) in done.output, done.output
    assert run("export", "rows.csv").exit_code == 0
    with open("rows.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["learner"] == ("'" + name if name.startswith("=") else name)
    for words in (("runs", "--store", name), ("run", name), ("list", "learners", name), (name,)):
        assert run(*words).exit_code == 2


def test_a_failure_of_a_hostile_learner(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    (tmp_path / "hostile.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\n"
        "class Learner(GaussianNB):\n"
        "    '''About \\x1b[31m[/red] it.'''\n"
        "    def partial_fit(self, X, y, classes=None, sample_weight=None):\n"
        "        raise RuntimeError('\\x1b[31m[/red]')\n"
    )
    words = ("run", "-s", "sea:n_rows=200", "-l", "hostile:Learner", "--on", "serial")
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 1 and harmless(done.output) and "\\x1b[31m[/red]" in done.output
    for words in (("runs", "1"), ("list", "learners", "hostile:Learner")):
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0 and harmless(done.output) and "\\x1b[31m[/red]" in done.output
    sys.modules.pop("hostile")


def test_formulas_and_names_of_files():
    for text in ("=1", "+x", "-x", "@x", "\t=1", "\r=1"):
        assert in_csv(text) == "'" + text
    for value in ("-1", "+2.5e3", "-inf", "a=1", "", 3, -1.5, None):
        assert in_csv(value) == value
    for name in HOSTILE:
        assert not set(file_name(name)) & set('/\\:\0*?"<>|\n\x1b')
    assert len(file_name("x" * 999)) < 200
