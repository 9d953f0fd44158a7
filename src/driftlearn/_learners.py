"""Registry of public classifiers, which are listed in ``learners.txt``.

Package exports, ``driftlearn list``, short names in the command line, type stubs, documentation
pages and the test suite are derived from `LEARNERS`. This module imports no other module of
driftlearn, so that ``import driftlearn`` stays fast.
"""

from os.path import dirname, join
from typing import NamedTuple


class Learner(NamedTuple):
    """Registry entry of a learner."""

    #: Module below ``driftlearn``.
    module: str
    #: Name of the class.
    name: str
    #: What it does, in one line.
    summary: str
    #: When to use it, in a few words.
    use: str


def _read() -> dict[str, Learner]:
    found = {}
    with open(join(dirname(__file__), "learners.txt"), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                short, module, name, summary, use = map(str.strip, line.split("|"))
                found[short] = Learner(module, f"{name}Classifier", summary, use)
    return found


#: The learners by their short names.
LEARNERS = _read()


def exports(package: str) -> dict[str, str]:
    """Return the learners of a package as a dict from class name to module below ``driftlearn``."""
    inside = package.removeprefix("driftlearn").lstrip(".")
    return {
        learner.name: learner.module
        for learner in LEARNERS.values()
        if f"{learner.module}.".startswith(f"{inside}." if inside else "")
    }
