"""Versions of the installed packages, and whether the compiled core is in use."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from driftlearn.utils.compiled import uncompiled
from driftlearn.utils.version import __version__

_PACKAGES = (
    "numpy", "scipy", "scikit-learn", "joblib", "click", "rich", "Cython",
    "pandas", "pyarrow", "matplotlib", "dask", "imbalanced-learn",
)  # fmt: skip


def versions() -> dict[str, str]:
    """Return the versions of driftlearn, Python and other packages, and the compilation status.

    Examples
    --------
    >>> from driftlearn.utils.show_versions import versions
    >>> versions()["python"].startswith("3.")
    True
    """
    found = {"driftlearn": __version__, "python": sys.version.split()[0]}
    found["machine"] = f"{platform.system()} {platform.machine()}"
    slow = uncompiled()
    found["kernels"] = f"uncompiled: {slow}" if slow else "compiled"
    return found | {package: installed(package) or "not installed" for package in _PACKAGES}


def installed(package: str) -> str | None:
    """Return the version of an installed package, or None if it is missing."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def show_versions() -> None:
    """Print the versions of the installed packages, and whether the compiled core is in use."""
    for name, value in versions().items():
        print(f"{name:>18}: {value}")  # noqa: T201
