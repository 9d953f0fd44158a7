"""The glossary of ARCHITECTURE.md as a page, so that there is one of them."""

import re
from pathlib import Path

HERE = Path(__file__).parents[1]


def entries(text):
    """Return the rows of the table under the heading "Glossary": words, and what they mean."""
    table = text.split("\n## Glossary\n")[1].split("\n## ")[0]
    return re.findall(r"^\| (?!word)(.+?) \| (.+?) \|$", table, flags=re.MULTILINE)


def write_glossary():
    """Write the page that docs/glossary.rst includes."""
    found = entries((HERE.parent / "ARCHITECTURE.md").read_text("utf-8"))
    lines = [".. glossary::", "   :sorted:", ""]
    for words, meaning in found:
        lines += [f"   {word}" for word in words.split(", ")]
        lines += ["      " + re.sub("`(.+?)`", r"``\1``", meaning), ""]
    (HERE / "generated").mkdir(exist_ok=True)
    (HERE / "generated" / "glossary.txt").write_text("\n".join(lines), "utf-8")
