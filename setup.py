"""Compile every file of ``driftlearn/kernels`` where a C compiler is at hand.

Each extension is optional: when it cannot be compiled the ``.py`` file beside it is used, and
``import driftlearn`` says so once. With ``DRIFTLEARN_PURE=1`` nothing is compiled.
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

KERNELS = Path("src/driftlearn/kernels")

extensions = [
    Extension(
        f"driftlearn.kernels.{path.stem}",
        [path.as_posix()],
        extra_compile_args=["-O3", "-fno-math-errno", "-ffp-contract=off"],
    )
    for path in sorted(KERNELS.glob("*.py"))
    if path.stem != "__init__" and not os.environ.get("DRIFTLEARN_PURE")
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
