"""Compile every file of ``driftlearn/kernels`` where a C compiler is at hand.

Each extension is optional: when it cannot be compiled the ``.py`` file beside it is used, and
``import driftlearn`` says so once. With ``DRIFTLEARN_PURE=1`` nothing is compiled.
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

PACKAGE = Path("src/driftlearn")
sources = {path.with_suffix(".py") for path in PACKAGE.rglob("*.pxd")}
for room in ("kernels", "engines"):
    sources |= {path for path in (PACKAGE / room).glob("*.py") if path.stem != "__init__"}

extensions = [
    Extension(
        ".".join(path.relative_to("src").with_suffix("").parts),
        [path.as_posix()],
        extra_compile_args=["-O3", "-g0", "-fno-math-errno", "-ffp-contract=off"],
    )
    for path in sorted(sources)
    if not os.environ.get("DRIFTLEARN_PURE")
]

compiled = cythonize(
    extensions,
    build_dir="build",
    include_path=["src"],
    compiler_directives={
        "language_level": 3,
        "boundscheck": False,
        "wraparound": False,
        "cdivision": True,
        "initializedcheck": False,
    },
)
for extension in compiled:
    extension.optional = True  # cythonize forgets it

setup(options={"build_ext": {"parallel": os.cpu_count() or 1}}, ext_modules=compiled)
