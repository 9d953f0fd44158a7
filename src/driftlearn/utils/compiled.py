"""Status of compiled modules, and the import hook for uncompiled modules.

A module with a ``.pxd`` file beside it is compiled: an ordinary typed Python file that the build
translates with Cython. Without a C compiler, the same file runs uncompiled with bit-identical
results, and the first import issues a warning. Cython is needed at run time only in this case.
``DRIFTLEARN_PURE=1`` in the environment selects the uncompiled files even if compiled ones exist,
for debugging or to measure coverage.
"""

import importlib.util
import os
import sys
import warnings
from collections.abc import Sequence
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from pathlib import Path
from types import ModuleType


@cache
def _sources() -> dict[str, str]:
    """Return the source files of all compilable modules, by module name."""
    root = Path(__file__).parents[2]
    files = [path.with_suffix("") for path in Path(__file__).parents[1].rglob("*.pxd")]
    return {".".join(path.relative_to(root).parts): f"{path}.py" for path in sorted(files)}


def _has_extension(source: str) -> bool:
    return any(os.path.exists(source[:-3] + suffix) for suffix in EXTENSION_SUFFIXES)


def compiled() -> dict[str, bool]:
    """Return whether the compiled version is in use, for each compilable module.

    Examples
    --------
    >>> from driftlearn.utils.compiled import compiled
    >>> "driftlearn.tree._grow_tree" in compiled()
    True
    """
    wanted = not os.environ.get("DRIFTLEARN_PURE")
    return {name: wanted and _has_extension(source) for name, source in _sources().items()}


def uncompiled() -> str:
    """Return the modules that run uncompiled: "" for none, "all", or a list."""
    slow = [name for name, fast in compiled().items() if not fast]
    return "all" if len(slow) == len(_sources()) else ", ".join(slow)


class _SourceFinder:
    """Import hook that loads the ``.py`` file of a module that is not compiled."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith("driftlearn.") or not path:
            return None
        source = os.path.join(path[0], name.rpartition(".")[2] + ".py")
        if not os.path.exists(source[:-3] + ".pxd"):
            return None
        if _has_extension(source) and not os.environ.get("DRIFTLEARN_PURE"):
            return None
        _warn_of_uncompiled_code()
        return importlib.util.spec_from_file_location(name, source)


@cache  # runs once per process
def _warn_of_uncompiled_code() -> None:
    if importlib.util.find_spec("cython") is None:
        raise ImportError(
            f"driftlearn is not compiled here ({uncompiled()}), and uncompiled it needs Cython. "
            "Run: pip install cython. To compile it, run `make .venv/compiled` in a clone, or "
            "install a C compiler and reinstall driftlearn."
        )
    warnings.warn(
        f"driftlearn runs uncompiled ({uncompiled()}): results are the same, but slower by a "
        "factor of about a hundred. Install a C compiler and reinstall to get the compiled core.",
        RuntimeWarning,
        stacklevel=2,
    )


sys.meta_path.insert(0, _SourceFinder)
