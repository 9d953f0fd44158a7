"""Sections of a learner's page besides its docstring, from the registry and ``learners.toml``."""

from functools import cache
from pathlib import Path

from driftlearn._learners import LEARNERS
from driftlearn.bench.workbench.learner_card import card
from driftlearn.specs.toml import read_toml

FILE = Path(__file__).parents[1] / "learners.toml"


@cache
def notes():
    """Return what learners.toml says of each class."""
    return read_toml(FILE)[0]


def short_names():
    """Return the names of learners in the command line, by class name."""
    return {learner.name: short for short, learner in LEARNERS.items()}


def cost(name):
    """Return a learner's figures on the benchmark suite in a sentence; empty if it is not there."""
    found = card()
    figures = found["learners"].get(name)
    if not figures:
        return "It is not in the benchmark suite, or not on all of its streams."
    words = (
        f"On the :doc:`benchmark suite </suite>` {figures['speed']:g} thousand rows a second of "
        "one core, in chunks of 500 rows"
    )
    if "rank" in figures:
        words += (
            f"; {figures['rows']} % right row by row and {figures['chunks']} % in chunks, means "
            f"over {found['streams']} streams; mean rank {figures['rank']}, 1 is best"
        )
    return words + (", with the defaults of an earlier version." if figures.get("older") else ".")


def pages_of(kind):
    """Return the lines that are put before the parameters of a class; its notes are optional."""
    described, name = notes().get(kind, {}), short_names()[kind]
    items = {
        "For": f"{described.get('use', LEARNERS[name].use)}. On the command line: ``{name}``.",
        "Assumptions": described.get("believes"),
        "When it fails": described.get("fails"),
        "What it costs": f"{described.get('cost', '')} {cost(name)}",
    }
    lines = []
    for head, text in items.items():
        if text:
            lines += [head, f"    {' '.join(text.split())}", ""]
    return lines


def tell(app, what, name, obj, options, lines):
    """Put a learner's notes into its docstring (Sphinx calls this for every docstring)."""
    kind = name.rpartition(".")[2]
    if what == "class" and kind in short_names() and "Parameters" in lines:
        place = lines.index("Parameters")
        lines[place:place] = pages_of(kind)
