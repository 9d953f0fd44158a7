"""Digests of the source files of plug-ins, which identify their code."""

import ast
import hashlib
from collections.abc import Collection
from functools import lru_cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import resolve_name
from pathlib import Path

from driftlearn.specs.catalogue import class_at

DIGITS = 32  # hex digits kept of each digest: 128 bits make collisions practically impossible
KNOWN = frozenset(["driftlearn", "sklearn", "numpy"])  # identified elsewhere, by digest or version
PAPERS = "driftlearn.bench.papers."  # excluded from the library's code digest


def plugin_digests(paths: Collection[str]) -> dict[str, str]:
    """Return a digest of each file outside of driftlearn that implements the classes.

    These are the modules of the classes, their packages, and all modules of the same package that
    they import, directly or indirectly. Results of an edited learner, or of a different learner
    with the same name, are therefore distinguished.

    Parameters
    ----------
    paths : collection of str
        Import paths of the classes, such as ``"acme.forest:AcmeForestClassifier"``.
    """
    digests: dict[str, str] = {}
    modules = {path.partition(":")[0] for path in paths}
    # the modules that define the classes
    modules |= {str(class_at(path).__module__) for path in paths}
    todo = [name for name in modules if _root(name) not in KNOWN or name.startswith(PAPERS)]
    while todo:
        module = todo.pop()
        source = None if module in digests else _file_of(module)
        if source is not None:
            content = source.read_bytes()
            digests[module] = hashlib.sha256(content).hexdigest()[:DIGITS]
            parent = module.rpartition(".")[0]
            names = [parent]
            if source.suffix == ".py":
                names += _imports(content, module if source.stem == "__init__" else parent)
            todo += [name for name in names if _root(name) == _root(module) not in KNOWN]
    return dict(sorted(digests.items()))


def _root(module: str) -> str:
    return module.partition(".")[0]


def _file_of(module: str) -> Path | None:
    """Return the file of a module, importing only the top-level package."""
    root, *rest = module.split(".")
    package = import_module(root)
    found = [] if rest else [Path(getattr(package, "__file__", None) or "")]
    for folder in getattr(package, "__path__", ()) if rest else ():
        place = Path(folder, *rest)
        found += [Path(f"{place}{suffix}") for suffix in (".py", *EXTENSION_SUFFIXES)]
        found.append(place / "__init__.py")
    return next((file for file in found if file.is_file()), None)


@lru_cache(maxsize=1_000)
def _imports(content: bytes, package: str) -> tuple[str, ...]:
    """Return the names imported by source code, which need not be modules."""
    found: list[str] = []
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            found += [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return tuple(found)
