"""Which modules are compiled, and whether the compiled ones are in use.

A module with a ``.pxd`` file beside it is compiled: an ordinary typed Python file that the build
translates with Cython. Without a C compiler the same file runs uncompiled, with the same results
to the last bit, and importing this module warns once. ``DRIFTLEARN_PURE=1`` in the environment
selects the uncompiled files even if compiled ones exist, for debugging or to measure coverage.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import warnings
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parent.parent

#: The source file of each module that can be compiled, by module name.
SOURCES = {
    ".".join(("driftlearn", *path.relative_to(_PACKAGE).with_suffix("").parts)): path.with_suffix(
        ".py"
    )
    for path in sorted(_PACKAGE.rglob("*.pxd"))
}


class _SourceFinder:
    """Finds the ``.py`` file of a module before Python finds the extension beside it."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in SOURCES:
            return None
        return importlib.util.spec_from_file_location(name, SOURCES[name])


def compiled() -> dict[str, bool]:
    """Say for every module that can be compiled whether the compiled one is in use.

    Examples
    --------
    >>> from driftlearn.utils.compiled import compiled
    >>> "driftlearn.tree._grow_tree" in compiled()
    True
    """
    wanted = not os.environ.get("DRIFTLEARN_PURE")
    return {name: wanted and _has_extension(path) for name, path in SOURCES.items()}


def _has_extension(source: Path) -> bool:
    return any(source.with_suffix(suffix).exists() for suffix in EXTENSION_SUFFIXES)


def uncompiled() -> str:
    """Name the modules that run as plain Python: "" for none, "all", or a list."""
    slow = [name for name, fast in compiled().items() if not fast]
    return "all" if len(slow) == len(SOURCES) else ", ".join(slow)


if os.environ.get("DRIFTLEARN_PURE"):
    sys.meta_path.insert(0, _SourceFinder)

if uncompiled():
    warnings.warn(
        f"driftlearn runs uncompiled ({uncompiled()}): results are the same, but slower by a "
        "factor of about a hundred. Install a C compiler and reinstall to get the compiled core.",
        RuntimeWarning,
        stacklevel=2,
    )
