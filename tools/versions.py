"""Test the library with the oldest and the newest versions of its dependencies.

    python tools/versions.py                               all combinations, a part of the tests
    python tools/versions.py --python 3.10 3.14 --only oldest newest
    python tools/versions.py tests/tables                  other tests

Each combination is a virtual environment in ``.versions/``, made with the Python of that version
(``python3.12`` on the path, or the newest of pyenv). The oldest versions are those of
``pyproject.toml``. Compiled modules are built for each Python, unless ``DRIFTLEARN_PURE=1``. A
combination that cannot be installed is reported with pip's reason. The result is a table.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PLACE = ROOT / ".versions"
PARTS = ["tests/tables", "tests/io/test_files.py", "tests/tree/test_stump.py",
         "tests/preprocessing/test_table_encoder.py"]  # fmt: skip
#: Dependencies that are varied, and the extras and tools that the tests need.
VARIED = ["numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "polars"]
TOOLS = ["setuptools>=77", "Cython>=3.1", "pytest>=8", "hypothesis>=6.100", "click>=8.1",
         "rich>=13", 'tomli>=2; python_version < "3.11"']  # fmt: skip


def oldest():
    """Return the oldest supported version of each varied dependency."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    extras = project["optional-dependencies"]
    found = {}
    for each in [*project["dependencies"], *extras["data"], *extras["test"]]:
        name, sep, version = each.partition(">=")
        if sep and name in VARIED:
            found[name] = f"{name}=={version}.*"
    return found


def combinations():
    """Return the requirements of each combination: one dependency is old, or all are, or none."""
    old = oldest()
    newest = {name: name for name in VARIED}
    singles = {f"{name} {old[name].split('==')[1]}": {**newest, name: old[name]} for name in VARIED}
    return {"newest": newest, "oldest": old, **singles}


def interpreter(version):
    """Return the path of a Python, or None."""
    if version == f"{sys.version_info[0]}.{sys.version_info[1]}":
        return sys.executable
    found = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    return str(found[-1]) if found else shutil.which(f"python{version}")


def tried(version, name, requirements, tests):
    """Return the versions and the result of the tests of a combination."""
    python = interpreter(version)
    if python is None:
        return "", f"Python {version} is not installed"
    folder = PLACE / re.sub(r"[^\w.]+", "-", f"{version}-{name}").rstrip("-.")
    own = str(folder / "bin" / "python")
    if not (folder / "installed").exists():
        shutil.rmtree(folder, ignore_errors=True)
        words = [own, "-m", "pip", "install", "-q", "--only-binary", ":all:"]
        done = run([python, "-m", "venv", str(folder)])
        if not done.returncode:
            done = run([*words, *TOOLS, *requirements.values()])
        if done.returncode:
            lines = [x for x in done.stderr.splitlines() if x.startswith("ERROR")]
            return "", "cannot be installed: " + (lines or [done.stderr[-200:]])[0][:150]
        (folder / "installed").touch()
    script = "import sys, importlib.metadata as m; print(*map(m.version, sys.argv[1:]))"
    versions = run([own, "-c", script, *VARIED]).stdout.strip()
    if "DRIFTLEARN_PURE" not in os.environ:
        built = run([own, "setup.py", "-q", "build_ext", "--inplace"], cwd=ROOT)
        if built.returncode:
            return versions, f"not built: {built.stderr[-200:]}"
    done = run([own, "-m", "pytest", "-q", *tests], cwd=ROOT)
    lines = done.stdout.strip().splitlines() or [done.stderr[-200:]]
    return versions, lines[-1].strip("= ")


def run(words, cwd=None):
    """Run a command with one thread; return its output."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    env = {**os.environ, **one_thread, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(words, capture_output=True, text=True, cwd=cwd, env=env)


def main():
    """Print a table of all combinations; return 1 if tests failed."""
    named = combinations()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tests", nargs="*", default=PARTS)
    parser.add_argument("--python", nargs="+", default=["3.10", "3.11", "3.12", "3.13", "3.14"])
    parser.add_argument("--only", nargs="+", choices=named, default=[*named])
    given = parser.parse_args()
    is_broken = False
    print("Python", "combination", "/".join(VARIED), "result", sep=" | ")
    for version in given.python:
        for name in given.only:
            versions, outcome = tried(version, name, named[name], given.tests)
            is_broken |= "failed" in outcome or "error" in outcome
            print(version, name, versions.replace(" ", "/"), outcome, sep=" | ", flush=True)
    return int(is_broken)


if __name__ == "__main__":
    sys.exit(main())
