"""The architecture: who imports whom, what the command loads, what the repo must not hold."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import driftlearn
from driftlearn.utils.compiled import compiled
from driftlearn.utils.show_versions import versions

ROOT = Path(__file__).parent.parent


def test_layers():
    """The import contract of pyproject.toml holds."""
    found = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout


def test_help_is_light():
    """`driftlearn --help` answers without importing the heavy libraries."""
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


def test_public_names():
    """Every public name can be had, and its docstring has an example."""
    for name in driftlearn.__all__:
        thing = getattr(driftlearn, name)
        if name.endswith("Classifier"):
            assert ">>>" in thing.__doc__ and "References" in thing.__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'DTELClasifier'"):
        driftlearn.DTELClasifier  # noqa: B018


def test_versions_tell_what_is_compiled():
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
        env={"DRIFTLEARN_PURE": "1", "PATH": ""},
    )  # fmt: skip
    assert out.stdout.split() == ["True", "1"]


@pytest.mark.compiled
def test_the_readme_example_runs(tmp_path, monkeypatch, capsys):
    """The first example of the README, on a shorter stream."""
    code = (ROOT / "README.md").read_text("utf-8").split("```python")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    exec(code.replace("50_000", "3_000"), {})
    assert "dtel" in capsys.readouterr().out
    assert (tmp_path / "sea.png").exists() and (tmp_path / "sea.html").exists()
