"""The code blocks of documentation pages, for tests that run them."""

import re
from pathlib import Path
from textwrap import dedent

DOCS = Path(__file__).parents[1] / "docs"


def blocks_of(page, kind="python"):
    """Return the code blocks of a page in a language, in their order."""
    text = (DOCS / page).read_text("utf-8") + "\n"
    found = re.findall(rf"^\.\. code-block:: {kind}\n((?: *\n|  .*\n)+)", text, flags=re.MULTILINE)
    return [dedent(block).strip() + "\n" for block in found]


def code_of(page, number=1):
    """Return a block of Python of a page, by default the first."""
    return blocks_of(page)[number - 1]
