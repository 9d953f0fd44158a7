"""The code blocks of documentation pages, for tests that run them."""

from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def code_of(page):
    """Return the first code block of a page."""
    text = (DOCS / page).read_text("utf-8")
    block = []
    for line in text.split(".. code-block:: python\n")[1].splitlines():
        if line.strip() and not line.startswith("    "):
            break
        block.append(line[4:])
    return "\n".join(block).strip() + "\n"
