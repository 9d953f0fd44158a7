"""Compile the modules that have a ``.pxd`` file beside them, in parallel.

Each extension is optional: if it cannot be compiled, the ``.py`` file is used and the first import
warns. With ``DRIFTLEARN_PURE=1`` nothing is compiled. ``DRIFTLEARN_CHECKED`` selects the builds
that ``tests/checked/run.py`` uses: ``bounds`` adds Cython's index checks, ``sanitizers`` those of
the C compiler.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

PACKAGE = Path("src/driftlearn")
SHARED = "driftlearn._cyutility"
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
# No fused multiply-add: compiled and uncompiled results have the same bits. No debug symbols.
FLAGS = ["-O3", "-fno-math-errno", "-ffp-contract=off", "-g0"]
# Most of the C code is calls of Python, on which GCC spends time that only loops repay:
# inlining before it knows what is hot, and two passes over machine code. Functions of at most
# 4 instructions are still inlined early: with 0 the stump needs 18 % more instructions per row.
# Module initialization runs once and is hardly optimized. benchmarks/guard.py counts: at most +3 %.
THRIFTY = ["--param=early-inlining-insns=4", "-fno-schedule-insns2", "-fno-gcse-after-reload"]
THRIFTY += ['-DCYTHON_SMALL_CODE=__attribute__((cold,optimize("O1")))']
WITHOUT_LOOPS = ["-O1"]  # what reads and writes states
LINK = ["-s"] if sys.platform.startswith("linux") else []
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "show_performance_hints": False,
    "auto_pickle": False,  # engines say themselves how they are kept
}
CHECKED = os.environ.get("DRIFTLEARN_CHECKED", "")
if CHECKED == "bounds":
    DIRECTIVES |= {"boundscheck": True, "initializedcheck": True}
if CHECKED == "sanitizers":  # Python's own flag -fwrapv would hide integers that overflow
    FLAGS = ["-O1", "-fno-math-errno", "-ffp-contract=off", "-g1", "-fno-omit-frame-pointer"]
    LINK = ["-fsanitize=address,undefined,float-cast-overflow"]
    FLAGS += ["-fno-wrapv", *LINK]


def to_compile(package=PACKAGE):
    return sorted(path.with_suffix(".py") for path in package.rglob("*.pxd"))


def extensions():
    """One for each file, and one for what they share: most of the C code that Cython writes."""
    sources = {".".join(path.with_suffix("").parts[1:]): path for path in to_compile()}
    sources[SHARED] = PACKAGE / "_cyutility.c"
    return [
        Extension(name, [path.as_posix()], optional=not CHECKED) for name, path in sources.items()
    ]


def is_gcc(compiler):
    """Tell whether a command is GCC: others, clang among them, refuse some of its flags."""
    command = [*compiler, "-dM", "-E", "-x", "c", os.devnull]
    macros = subprocess.run(command, capture_output=True, text=True).stdout
    return "__GNUC__" in macros and "__clang__" not in macros


# Comments, and line numbers of other files in tracebacks: they change with every .pxd file.
IRRELEVANT = re.compile(rb"/\*.*?\*/|(?<=__PYX_ERR\()[1-9]\d*, \d+", re.DOTALL)


def same_code(before, after):
    """Tell whether two C files of Cython differ only in what does not matter."""
    return before == after or IRRELEVANT.sub(b"", before) == IRRELEVANT.sub(b"", after)


def remove_outdated(package=PACKAGE):
    """Remove compiled files of modules that were renamed, or are no longer compiled."""
    for path in package.rglob("*.so"):
        stem = path.with_name(path.name.partition(".")[0])
        if not stem.with_suffix(".pxd").exists() and stem.name != SHARED.rpartition(".")[2]:
            path.unlink()


def without_loops(name):
    return name.startswith("driftlearn.io.")


class Build(build_ext):
    """Translates when it comes to building, so that an sdist and metadata cost nothing."""

    def get_source_files(self):
        return [path.as_posix() for path in to_compile()]  # what is shared is written by Cython

    def build_extensions(self):
        from Cython.Build import cythonize

        folder = os.path.join("build", CHECKED)
        files = Path(folder).rglob("*.c")
        before = {path: (path.stat().st_mtime, path.read_bytes()) for path in files}
        translated = cythonize(
            self.extensions,
            nthreads=CORES,
            quiet=True,
            build_dir=folder,
            include_path=["src"],
            shared_utility_qualified_name=SHARED,
            compiler_directives=DIRECTIVES,
        )
        unix = self.compiler.compiler_type != "msvc"
        thrifty = THRIFTY if unix and not CHECKED and is_gcc(self.compiler.compiler) else []
        for extension, done in zip(self.extensions, translated):
            extension.sources, extension.depends = done.sources, done.depends
            self.skip_if_unchanged(extension, *before.get(Path(done.sources[0]), (0, b"")))
            if unix:
                bare = WITHOUT_LOOPS if thrifty and without_loops(extension.name) else []
                extension.extra_compile_args = FLAGS + thrifty + bare
                extension.extra_link_args = LINK
        super().build_extensions()

    def skip_if_unchanged(self, extension, written, code):
        """Mark a file as compiled if Cython has written the C code again, without a change."""
        output = Path(self.get_ext_fullpath(extension.name))
        compiled = output.exists() and output.stat().st_mtime > written
        if compiled and same_code(code, Path(extension.sources[0]).read_bytes()):
            output.touch()

    def copy_extensions_to_source(self):
        super().copy_extensions_to_source()
        remove_outdated()


if __name__ == "__main__":  # Cython's processes import this file where they cannot be forked
    setup(
        cmdclass={"build_ext": Build},
        options={"build_ext": {"parallel": CORES}},
        ext_modules=[] if os.environ.get("DRIFTLEARN_PURE") else extensions(),
    )
