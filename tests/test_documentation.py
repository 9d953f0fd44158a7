"""Code blocks, commands and examples of the documentation run."""

import re
import runpy
import shlex
from itertools import chain
from pathlib import Path
from pydoc import ErrorDuringImport, locate

import click
import pytest

from driftlearn.cli import main
from driftlearn.cli._demo_days import write_days
from driftlearn.cli.inspect import inspection_of
from tests.doc_code import DOCS, check_page, examples_of

HERE = Path(__file__).parent
EXAMPLES = sorted((HERE.parent / "examples").rglob("*.py"))
PAGES = sorted(
    page.relative_to(DOCS).as_posix()
    for page in chain(DOCS.glob("*.rst"), (DOCS / "guide").glob("*.rst"))
    if examples_of(page)
)
# Pages with their own test, which runs every block and checks the output.
WITH_TESTS = {
    "composing-streams.rst", "engines.rst", "export-models.rst", "fits-in.rst",
    "from-cron-to-alarm.rst",
    "daily-job.rst",
    "serving.rst", "sources.rst", "three-tables.rst",
    "writing-a-base-learner.rst", "writing-a-chunk-learner.rst", "writing-a-stream.rst",
    "writing-an-online-learner.rst",
}  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Run in a temporary folder; figures are drawn, not shown."""
    pytest.importorskip("pandas", reason="pandas is not installed")
    plt = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("agg")
    monkeypatch.setattr(plt, "show", lambda: None)
    plt.close("all")
    yield plt
    plt.close("all")


README = DOCS.parent / "README.md"


@pytest.mark.compiled
@pytest.mark.parametrize("page", [page for page in PAGES if page not in WITH_TESTS])
def test_the_blocks_of_a_page_print_what_it_shows(page):
    """Blocks run one after the other, beside the daily files of the demo."""
    write_days(Path("demo"))
    check_page(DOCS / page)


@pytest.mark.compiled
def test_the_blocks_of_the_readme_print_what_it_shows():
    write_days(Path("demo"))
    check_page(README)
    drift = inspection_of(Path("model")).facts["drifts"][0]["sentence"]
    assert f"> {drift}\n" in README.read_text("utf-8")


def test_the_readme_fits_a_screen():
    text = README.read_text("utf-8")
    assert len(text.split()) <= 700
    assert text.index("pip install driftlearn") < 2_000  # on the first screen
    assert not [
        link for link in re.findall(r"\]\(([\w/.-]+)\)", text) if not (HERE.parent / link).exists()
    ]


#: Tasks in the words of users: titles of pages that the page of how-to guides lists.
TASKS = (
    "Choose a learner",
    "Detect concept drift",
    "Explain a prediction",
    "From cron to alarm",
    "Handle labels that arrive late",
    "Migrate from river, scikit-multiflow, CapyMOA or periodic LightGBM",
    "Monitor a model in the browser",
    "One model per device",
    "Run on Spark, dask or Bytewax",
    "Save and load models",
    "Use pandas DataFrames and categories",
    "Write your own learner",
)


def listed_in(page):
    """Return the pages in the tables of contents of a page."""
    text = (DOCS / f"{page}.rst").read_text("utf-8")
    trees = re.findall(r"^\.\. toctree::\n((?:   .*\n|\n)+)", text + "\n", flags=re.MULTILINE)
    return re.findall(r"^   (?:.*<)?([\w/-]+)>?$", "".join(trees), flags=re.MULTILINE)


def test_tasks_are_two_clicks_away_by_their_titles():
    assert len(listed_in("index")) <= 7 and "how-to" in listed_in("index")
    first_lines = {
        line
        for page in listed_in("how-to")
        for line in (DOCS / f"{page}.rst").read_text("utf-8").splitlines()[:6]
    }
    assert all(any(line.startswith(task) for line in first_lines) for task in TASKS)


@pytest.mark.parametrize("word", ["dashboard", "monitoring", "drift"])
def test_the_search_finds_the_words_of_users(word):
    """The search of Sphinx covers the text of all pages."""
    assert re.search(rf"\b{word}\b", (DOCS / "monitor.rst").read_text("utf-8").lower())


@pytest.mark.parametrize("page", sorted(WITH_TESTS))
def test_a_page_that_is_left_out_has_a_test(page):
    others = (path for path in HERE.rglob("test_*.py") if path != Path(__file__))
    assert page in PAGES and any(page in path.read_text("utf-8") for path in others)


@pytest.mark.compiled
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_draws_a_picture(path, here):
    runpy.run_path(str(path))
    drawn = [ax for number in here.get_fignums() for ax in here.figure(number).axes]
    assert drawn and all(ax.has_data() for ax in drawn)


def commands():
    """Return every command line of a page, with the page."""
    for page in sorted(DOCS.rglob("*.rst")):
        text = page.read_text("utf-8").replace("\\\n", " ")
        for line in re.findall(r"^ +(driftlearn [a-z].*)$", text, flags=re.MULTILINE):
            yield pytest.param(line, id=f"{page.stem}: {line[:60]}")


@pytest.mark.parametrize("line", [*commands()])
def test_a_command_has_the_options_that_a_page_gives_it(line):
    _, name, *words = shlex.split(line, comments=True)
    command = main.get_command(click.Context(main), name)
    assert command is not None, f"there is no command {name}"
    with click.Context(command) as context:
        command.make_parser(context).parse_args(words)


ROLE = re.compile(r":(?:class|func|meth|attr|mod|data|exc):`(?:[^`<]*<)?[~!]?(driftlearn\.[\w.]+)")
LISTED = re.compile(r"^\.\. (?:current|auto)module:: (\S+)|^   ([A-Za-z][\w.]*)$", re.MULTILINE)


def names_of(page):
    """Return the full names of the objects that a page refers to or lists."""
    text = page.read_text("utf-8")
    names, module = set(ROLE.findall(text)), ""
    for new, name in LISTED.findall(text) if ".. autosummary::" in text else ():
        module = new or module
        names |= {f"{module}.{name}"} if name else set()
    return names


def exists(name):
    try:
        return locate(name) is not None
    except ErrorDuringImport as problem:
        if isinstance(problem.value, ModuleNotFoundError):  # an optional package is not installed
            return True
        raise


@pytest.mark.parametrize(
    "page", sorted(DOCS.rglob("*.rst")), ids=lambda page: page.relative_to(DOCS).as_posix()
)
def test_names_that_a_page_refers_to_exist(page):
    assert [name for name in sorted(names_of(page)) if not exists(name)] == []
