"""The compiled core: arrays in, arrays out.

Every module here is an ordinary typed Python file that the build compiles with Cython. Where no
compiler was at hand the same file runs uncompiled, with the same results to the last bit, and
importing this package says so once. ``DRIFTLEARN_PURE=1`` in the environment asks for the
uncompiled files even where compiled ones exist, to debug or to measure coverage.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import warnings
from pathlib import Path

_FOLDER = Path(__file__).parent
_NAMES = sorted(path.stem for path in _FOLDER.glob("*.py") if path.stem != "__init__")


class _SourceFinder:
    """Finds the ``.py`` file of a kernel before Python finds the extension beside it."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        package, _, module = name.rpartition(".")
        if package != __name__ or module not in _NAMES:
            return None
        return importlib.util.spec_from_file_location(name, _FOLDER / f"{module}.py")


if os.environ.get("DRIFTLEARN_PURE"):
    sys.meta_path.insert(0, _SourceFinder)  # type: ignore[arg-type]


def compiled() -> dict[str, bool]:
    """Say for every kernel whether the compiled one is in use.

    Examples
    --------
    >>> from driftlearn.kernels import compiled
    >>> "tree" in compiled()
    True
    """
    found = {}
    for name in _NAMES:
        origin = importlib.util.find_spec(f"{__name__}.{name}")
        found[name] = origin is not None and not str(origin.origin).endswith(".py")
    return found


def uncompiled() -> str:
    """Name the kernels that run as plain Python: "" for none, "all", or a list."""
    slow = [name for name, fast in compiled().items() if not fast]
    return "all" if len(slow) == len(_NAMES) else ", ".join(slow)


if uncompiled():
    warnings.warn(
        f"driftlearn runs uncompiled ({uncompiled()}): results are the same, but slower by a "
        "factor of about a hundred. Install a C compiler and reinstall to get the compiled core.",
        RuntimeWarning,
        stacklevel=2,
    )
