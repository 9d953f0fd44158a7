"""Compiled modules, the content of an sdist, and an installation from it."""

import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
JUNK = (".so", ".c", ".pyc", ".pyd", ".o")


def run(*command, **options):
    found = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def to_compile(package):
    """Return what setup.py compiles of a package, determined in a separate process."""
    script = "import sys, pathlib, setup; print(*setup.to_compile(pathlib.Path(sys.argv[1])))"
    return run(sys.executable, "-c", script, package, cwd=ROOT).split()


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """Return the unpacked sdist of a copy of this tree, including built files."""
    folder = tmp_path_factory.mktemp("sdist")
    tree = folder / "tree"
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("*.egg-info"))
    shutil.copytree(ROOT / "tests", tree / "tests")
    (tree / "src/driftlearn/tree/junk.so").write_bytes(b"")
    for path in ROOT.iterdir():
        if path.is_file() and path.name != ".git":
            shutil.copy(path, tree)
    build = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", build, folder, cwd=tree)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, **({"filter": "data"} if sys.version_info >= (3, 12) else {}))
    return folder / archive.name.removesuffix(".tar.gz")


def test_sdist_holds_what_is_needed_and_no_more(sdist):
    held = {path.relative_to(sdist).as_posix() for path in sdist.rglob("*") if path.is_file()}
    wanted = {
        path.relative_to(ROOT).as_posix()
        for suffix in (
            "py",
            "pyi",
            "pxd",
            "json",
            "css",
            "html",
            "js",
            "mplstyle",
            "toml",
            "txt",
            "typed",
        )
        for path in (ROOT / "src").rglob(f"*.{suffix}")
    }
    wanted |= {"LICENSE", "README.md", "setup.py", "conftest.py", "tests/chunk_streams.py"}
    assert not wanted - held
    assert not [name for name in held if name.endswith(JUNK) or "__pycache__" in name]
    assert not [name for name in held if name.startswith(("build/", "docs/", "benchmarks/"))]


def test_installed_from_the_sdist_it_learns(sdist, tmp_path):
    """An uncompiled installation in a separate folder learns."""
    pytest.importorskip("pip")
    environment = {**os.environ, "DRIFTLEARN_PURE": "1"}
    run(
        sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--no-build-isolation",
        "--no-index", "--target", tmp_path / "lib", sdist, env=environment,
    )  # fmt: skip
    script = (
        "import driftlearn, driftlearn.bench.papers, driftlearn.bench.report\n"
        "from driftlearn import LearnPPNSEClassifier\n"
        "from driftlearn.streams import SEA\n"
        "model, stream = LearnPPNSEClassifier(), SEA(n_rows=200, random_state=0)\n"
        "for chunk in stream.chunks(100): model.partial_fit(chunk.X, chunk.y)\n"
        "model = driftlearn.io.loads(driftlearn.io.dumps_small(model))\n"
        "print(driftlearn.__file__, model.score(chunk.X, chunk.y) > 0.7, sep='\\n')"
    )
    message = run(
        sys.executable, "-W", "ignore", "-c", script,
        env={**environment, "PYTHONPATH": os.fspath(tmp_path / "lib")}, cwd=tmp_path,
    ).splitlines()  # fmt: skip
    assert Path(message[0]).is_relative_to(tmp_path / "lib") and message[1] == "True"
    assert list((tmp_path / "lib").rglob("tree/_grow_tree.pxd"))


def test_modules_with_a_pxd_file_are_compiled(tmp_path):
    for name in ("tree/__init__.py", "tree/a.py", "tree/a.pxd", "tree/b.py", "ensemble/x/c.pxd"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = [Path(name).relative_to(tmp_path).as_posix() for name in to_compile(tmp_path)]
    assert found == ["ensemble/x/c.py", "tree/a.py"]


def test_mypy_settings_list_the_compiled_modules():
    """The lists in pyproject.toml have no module twice, and no pattern without modules."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    listed = [name for override in config["overrides"] for name in override["module"]]
    assert len(listed) == len({*listed})
    modules = [
        ".".join(Path(name).with_suffix("").parts[1:]) for name in to_compile("src/driftlearn")
    ]
    assert all(fnmatch.filter(modules, pattern) for pattern in listed)


@pytest.mark.skipif(
    sys.platform == "win32" or not shutil.which("make"), reason="needs make and a POSIX shell"
)
def test_make_lists_the_same_files():
    """The Makefile and setup.py compile the same files."""
    message = run("make", "-n", "-W", "setup.py", ".venv/compiled", cwd=ROOT)
    n_files = len(to_compile("src/driftlearn"))
    assert re.search(rf"\b{n_files} modules", message), message


def test_c_code_is_compiled_again_only_if_it_changed():
    """Comments, and line numbers of other files, do not count; its own line numbers do."""
    code = "/* {} */ if (x) __PYX_ERR({}, {}, __pyx_L1_error)"
    pairs = [(code.format("a", 1, 7), code.format("b", 1, 9)),
             (code.format("a", 0, 7), code.format("a", 0, 9))]  # fmt: skip
    script = "import setup, sys; print(setup.same_code(*(each.encode() for each in sys.argv[1:])))"
    same = [run(sys.executable, "-c", script, *pair, cwd=ROOT).strip() for pair in pairs]
    assert same == ["True", "False"]


def test_lock_is_in_step_with_the_extras():
    """Every requirement of the library and of `make` has a pin that satisfies it."""
    pins = {}
    for line in (ROOT / "requirements.lock").read_text("utf-8").splitlines():
        pin = Requirement(line)
        assert pin.url is None and len(pin.specifier) == 1
        pins[pin.name.lower().replace("_", "-")] = next(iter(pin.specifier)).version
    extras = PROJECT["optional-dependencies"]
    requested = [*PROJECT["dependencies"]]
    for extra in (
        "data", "report", "cluster", "imbalance", "serve", "redis", "kafka", "nats", "test", "docs",
    ):  # fmt: skip
        requested += extras[extra]
    for requirement in map(Requirement, requested):
        if requirement.marker is None or requirement.marker.evaluate({"python_version": "3.11"}):
            pinned = pins.get(requirement.name.lower().replace("_", "-"))
            assert pinned and requirement.specifier.contains(pinned), requirement
