"""Write what follows from the registry of learners: type stubs, and the lists in the docs.

    python tools/stubs.py        # make stubs

Packages that import lazily (`driftlearn.utils.lazy.attach`) get an ``__init__.pyi`` for type
checkers. ``docs/api.rst`` and ``docs/learners.rst`` list the learners of each package between two
comments; ``docs/which-learner.txt`` has their results on the benchmark suite. tests/test_stubs.py
compares the files with what this script would write.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "driftlearn"
sys.path.insert(0, str(SOURCE.parent))

from driftlearn._learners import LEARNERS, exports  # noqa: E402
from driftlearn.utils.rst import escaped, listed  # noqa: E402

BEGIN, END = ".. learners, written by `make stubs`", ".. end of learners"


def stub(init: Path) -> str | None:
    """Return the stub of a package; None for a package that imports its names at once."""
    tree = ast.parse(init.read_text("utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    attached = [call for call in calls if getattr(call.func, "id", "") == "attach"]
    if not attached:
        return None
    package = ".".join(init.parent.relative_to(SOURCE.parent).parts)
    named = ast.literal_eval(attached[0].args[1]) if len(attached[0].args) > 1 else {}
    where = {name: f"{package}.{m}" for m, public in named.items() for name in public.split()}
    where |= {name: f"driftlearn.{module}" for name, module in exports(package).items()}
    where |= {  # such as __version__, imported as itself
        alias.name: str(node.module)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }
    modules = {
        path.stem
        for path in init.parent.iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists()) and path.stem[0] != "_"
    }
    lines = [f"from {package} import {name} as {name}" for name in sorted(modules - {*where})]
    lines += [f"from {module} import {name} as {name}" for name, module in sorted(where.items())]
    return "\n".join(["# Written by `make stubs`.", *lines, "", f"__all__ = {sorted(where)!r}", ""])


def groups() -> dict[str, list[str]]:
    """Return the short names of the learners of each package, by the package's first line."""
    found: dict[str, list[str]] = {}
    for short, learner in LEARNERS.items():
        init = SOURCE / learner.module.rpartition(".")[0].replace(".", "/") / "__init__.py"
        described = ast.get_docstring(ast.parse(init.read_text("utf-8"))) or ""
        found.setdefault(described.splitlines()[0].partition(":")[0].rstrip("."), []).append(short)
    return found


def api() -> str:
    """Return the learners' sections of the reference."""
    parts = []
    for title, shorts in groups().items():
        names = "".join(f"   {LEARNERS[short].name}\n" for short in shorts)
        head = f"{title}\n{'-' * len(title)}\n\n.. currentmodule:: driftlearn\n"
        parts.append(f"{head}\n.. autosummary::\n   :toctree: generated\n\n{names}")
    return "\n".join(parts)


def overview() -> str:
    """Return the list of all learners with a line on each."""
    return "\n".join(
        f"**{title}**\n\n"
        + "".join(
            f"* :class:`~driftlearn.{LEARNERS[short].name}` (``{short}``): "
            f"{LEARNERS[short].summary}.\n"
            for short in shorts
        )
        for title, shorts in groups().items()
    )


def results() -> str:
    """Return the table of docs/choosing.rst: the best first, learners without results last."""
    text = (SOURCE / "bench" / "workbench" / "learner_figures.json").read_text("utf-8")
    figures = json.loads(text)["learners"]
    lines = [["learner", "what it is for", "by rows", "by chunks", "1,000 rows/s", "rank"]]
    for short in sorted(LEARNERS, key=lambda s: figures.get(s, {}).get("rank", float("inf"))):
        each, learner = figures.get(short, {}), LEARNERS[short]
        star = " \\*" if each.get("older") else ""
        right = [str(each.get(key, "")) for key in ("rows", "chunks")]
        numbers = [*right, f"{each['speed']:g}" if each else "", str(each.get("rank", ""))]
        name = f":class:`{short} <driftlearn.{learner.name}>`{star}"
        lines.append([name, escaped(learner.use), *numbers])
    return "\n".join(listed(lines)).rstrip() + "\n"


def page(path: Path, content: str) -> str:
    """Return a page of the documentation with this content between the comments."""
    before, _, rest = path.read_text("utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n\n{content}\n{END}{rest.partition(END)[2]}"


def files() -> dict[Path, str]:
    """Return the content that each file should have."""
    stubs = {init.with_suffix(".pyi"): stub(init) for init in sorted(SOURCE.rglob("__init__.py"))}
    docs = {ROOT / "docs" / "api.rst": api(), ROOT / "docs" / "learners.rst": overview()}
    pages = {path: page(path, content) for path, content in docs.items() if path.exists()}
    if pages:  # an sdist has no documentation
        pages[ROOT / "docs" / "which-learner.txt"] = results()
    return {path: text for path, text in stubs.items() if text is not None} | pages


if __name__ == "__main__":
    for path, text in files().items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            print(path.relative_to(ROOT))
