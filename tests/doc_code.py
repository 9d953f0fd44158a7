"""The code blocks of documentation pages, for tests that run them and compare their output.

``python -m tests.doc_code PAGE ...`` runs the blocks of pages and writes the output into the pages.
"""

import os
import re
import sys
from contextlib import redirect_stdout
from doctest import ELLIPSIS, OutputChecker
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent, indent
from typing import NamedTuple

from click.testing import CliRunner

DOCS = Path(__file__).parents[1] / "docs"
BODY = r"((?: *\n|  .*\n)+)"
RST = re.compile(
    rf"^\.\. code-block:: (?P<kind>python|console)\n{BODY}"
    rf"(?P<below>\.\. code-block:: text\n +:class: output\n{BODY})?",
    re.MULTILINE,
)
MARKDOWN = re.compile(
    r"^```(?P<kind>python|console)\n(.*?)^```\n(?P<below>\n```text\n(.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


class Example(NamedTuple):
    """A block of Python or of commands, the output shown for it, and its place in the page."""

    kind: str
    code: str
    output: str | None
    begin: int
    end: int


def blocks_of(page, kind="python"):
    """Return the code blocks of a page in a language, in their order."""
    text = (DOCS / page).read_text("utf-8") + "\n"
    found = re.findall(rf"^\.\. code-block:: {kind}\n{BODY}", text, flags=re.MULTILINE)
    return [dedent(block).strip() + "\n" for block in found]


def code_of(page, number=1):
    """Return a block of Python of a page, by default the first."""
    return blocks_of(page)[number - 1]


def examples_of(path):
    """Return the blocks of a page that can be run, in their order."""
    text = path.read_text("utf-8") + "\n"
    found = []
    for match in (MARKDOWN if path.suffix == ".md" else RST).finditer(text):
        kind, code, _, output = match.groups()
        output = None if output is None else dedent(output).strip() + "\n"
        found.append(Example(kind, dedent(code).strip() + "\n", output, *match.span()))
    return found


def printed(example, names):
    """Run a block and return what it prints; a console block is returned with its commands."""
    if example.kind == "python":
        out = StringIO()
        with redirect_stdout(out):
            exec(compile(example.code, "<page>", "exec"), names)
        return out.getvalue()
    return "".join(map(_answer, re.split(r"^(?=\$ )", example.code, flags=re.MULTILINE)[1:]))


def _answer(text):
    """Run the command of a console block; return it with its output."""
    from driftlearn.cli import main

    line = re.match(r"\$ (.*(?<!\\)\n|(?:.*\\\n)+.*\n)", text)[1]
    program, *words = line.replace("\\\n", " ").split("#")[0].split()
    assert program == "driftlearn", f"only driftlearn is run: {line}"
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    return f"$ {line}{done.stdout or done.stderr}"  # beside results, stderr has progress only


def same(shown, found):
    """Return whether a page shows an output; ``...`` in the page stands for any text."""
    plain = [re.sub(r" +$", "", text, flags=re.MULTILINE).strip() + "\n" for text in (shown, found)]
    return OutputChecker().check_output(*plain, ELLIPSIS)


def check_page(path):
    """Run all blocks of a page one after the other; compare the output with what it shows."""
    names = {}
    for example in examples_of(path):
        found = printed(example, names)
        shown = example.code if example.kind == "console" else example.output or ""
        assert same(shown, found), f"{path.name} shows\n{shown}\ninstead of\n{found}"


def write_outputs(path):
    """Run all blocks of a page and write their output into it."""
    text, names, parts, at = path.read_text("utf-8") + "\n", {}, [], 0
    for example in examples_of(path):
        found = re.sub(r" +$", "", printed(example, names), flags=re.MULTILINE).strip()
        shown = example.code if example.kind == "console" else example.output or ""
        block = text[example.begin : example.end]
        if not same(shown, found):
            code, below = example.code.rstrip(), ".. code-block:: text\n   :class: output\n\n"
            if example.kind == "console":
                code, below = found, ""
            elif found:
                below += indent(found, "   ") + "\n\n"
            block = f".. code-block:: {example.kind}\n\n{indent(code, '   ')}\n\n{below}"
        parts += [text[at : example.begin], block]
        at = example.end
    path.write_text("".join([*parts, text[at:]]).rstrip() + "\n", "utf-8")


if __name__ == "__main__":
    from driftlearn.cli._demo_days import write_days

    for page in [Path(name).resolve() for name in sys.argv[1:]]:
        with TemporaryDirectory() as folder:
            os.chdir(folder)
            write_days(Path("demo"))
            write_outputs(page)
