"""Architecture: imports between packages, imports of commands, and modules that need Cython."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import driftlearn
from driftlearn.utils.compiled import compiled
from driftlearn.utils.show_versions import versions

ROOT = Path(__file__).parent.parent


def test_layers():
    """The import contract of pyproject.toml holds, with every package in it."""
    found = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout


def test_help_is_light():
    """`driftlearn --help` does not import the heavy libraries."""
    script = (
        "import sys, json, driftlearn.cli as c\n"
        "try: c.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(json.dumps([m for m in ('sklearn','numpy','scipy','pandas','matplotlib')"
        " if m in sys.modules]))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout.splitlines()[-1]) == []
    assert "demo" in out.stdout


def test_versions_report_compiled_modules():
    found = versions()
    assert found["driftlearn"] == driftlearn.__version__
    assert (found["kernels"] == "compiled") == all(compiled().values())


def test_uncompiled_on_request():
    """DRIFTLEARN_PURE=1 loads the Python files, with one warning."""
    script = (
        "import warnings\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    import driftlearn.tree._grow_tree as tree\n"
        "warned = [w for w in caught if w.category is RuntimeWarning]\n"
        "print(tree.__file__.endswith('.py'), len(warned))"
    )
    out = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True,
        env={**os.environ, "DRIFTLEARN_PURE": "1"},
    )  # fmt: skip
    assert out.stdout.split() == ["True", "1"]


WITHOUT_CYTHON = """
import sys

class Blocked:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0].lower() == "cython":
            raise ModuleNotFoundError(name)

for name in ("cython", "Cython"):
    sys.modules[name] = None
sys.meta_path.insert(0, Blocked)
"""


@pytest.mark.compiled
def test_compiled_code_does_not_need_cython():
    script = WITHOUT_CYTHON + (
        "import importlib, pkgutil, driftlearn\n"
        "names = [m.name for m in pkgutil.walk_packages(driftlearn.__path__, 'driftlearn.')]\n"
        "for name in names:\n"
        "    if name.endswith('__main__'): continue\n"
        "    try: importlib.import_module(name)\n"
        "    except ImportError as error:\n"
        "        if error.name not in ('pyspark', 'py4j', 'bytewax'): raise\n"
        "print(len(names))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(out.stdout) > 400


def test_uncompiled_code_names_the_command_that_installs_cython():
    out = subprocess.run(
        [sys.executable, "-c", WITHOUT_CYTHON + "import driftlearn.tree._grow_tree"],
        capture_output=True, text=True, check=False, env={**os.environ, "DRIFTLEARN_PURE": "1"},
    )  # fmt: skip
    assert out.returncode == 1
    assert "ImportError: driftlearn is not compiled here (all)" in out.stderr
    assert "pip install cython" in out.stderr
