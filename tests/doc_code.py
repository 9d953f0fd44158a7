"""The code blocks of documentation pages, for tests that run them."""

from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def code_of(page, number=1):
    """Return a code block of a page, by default the first."""
    text = (DOCS / page).read_text("utf-8")
    block = []
    for line in text.split(".. code-block:: python\n")[number].splitlines():
        if line.strip() and not line.startswith("    "):
            break
        block.append(line[4:])
    return "\n".join(block).strip() + "\n"
