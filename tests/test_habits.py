"""Workflows, forms and metadata are valid and agree with the repository."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import driftlearn

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted(set((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")) - {
    ROOT / ".github/ISSUE_TEMPLATE/config.yml"
})  # fmt: skip
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def read(path):
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


def jobs():
    """Return every job of every workflow, by name."""
    return {name: job for path in WORKFLOWS for name, job in read(path)["jobs"].items()}


def steps():
    return [(name, step) for name, job in jobs().items() for step in job["steps"]]


def named(path):
    return path.name


@pytest.mark.parametrize("path", WORKFLOWS, ids=named)
def test_workflow(path):
    """A workflow has a trigger, minimal permissions, job time limits, and existing needs."""
    flow = read(path)
    assert flow[True]  # YAML reads the key "on" as true
    assert flow["permissions"] == {"contents": "read"}
    for name, job in flow["jobs"].items():
        assert job["timeout-minutes"] and job["runs-on"], name
        assert set(job.get("needs", ())) <= set(flow["jobs"]), name
        assert all(("uses" in step) != ("run" in step) for step in job["steps"]), name


def test_actions_have_versions():
    used = [step["uses"] for _, step in steps() if "uses" in step]
    assert used
    assert not [
        name for name in used if not re.fullmatch(r"[\w-]+/[\w-]+@(release/)?v[\d.]+", name)
    ]


def test_supported_python_versions_agree():
    """The matrix, the classifiers and the wheels name the same versions of Python."""
    matrix = jobs()["suite"]["strategy"]["matrix"]
    prefix = "Programming Language :: Python :: 3."
    classifiers = PYPROJECT["project"]["classifiers"]
    promised = [line.rpartition(" ")[2] for line in classifiers if line.startswith(prefix)]
    assert matrix["python"] == promised
    assert PYPROJECT["project"]["requires-python"] == f">={promised[0]}"
    wheels = [f"cp{version.replace('.', '')}-*" for version in promised]
    assert PYPROJECT["tool"]["cibuildwheel"]["build"] == wheels
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}


def test_names_in_workflows_exist():
    """Targets of make, extras and folders named in workflows exist."""
    extras = set(PYPROJECT["project"]["optional-dependencies"])
    for name, step in steps():
        command = step.get("run", "")
        for target in re.findall(r"^make ([\w-]+)", command, re.MULTILINE):
            assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target
        for wanted in re.findall(r"\.\[([\w,]+)\]", command):
            assert set(wanted.split(",")) <= extras, name
        for path in re.findall(r"\btests/[\w/.]+", command):
            assert (ROOT / path).exists(), path


def test_only_a_tag_publishes():
    publish = jobs()["publish"]
    assert publish["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert publish["permissions"] == {"id-token": "write"} and publish["environment"]["name"]
    others = [job.get("permissions") for name, job in jobs().items() if name != "publish"]
    assert others == [None] * len(others)
    assert not any("secrets." in path.read_text("utf-8") for path in WORKFLOWS)


@pytest.mark.parametrize("path", FORMS, ids=named)
def test_issue_form(path):
    form = read(path)
    assert form["name"] and form["description"]
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids)) and all(field["attributes"]["label"] for field in form["body"])
    assert any(field.get("validations", {}).get("required") for field in form["body"])


def test_citation():
    """The file agrees with the package, and docstrings cite each paper in the same way."""
    citation = read("CITATION.cff")
    assert citation["version"] == driftlearn.__version__
    assert citation["license"] == PYPROJECT["project"]["license"]
    assert citation["repository-code"] == PYPROJECT["project"]["urls"]["Source"]
    message = " ".join(
        " ".join(getattr(driftlearn, name).__doc__.split())
        for name in driftlearn.__all__
        if name.endswith("Classifier")
    )
    assert len(citation["references"]) == 5
    for paper in citation["references"]:
        assert f'"{paper["title"]}"' in message
        assert "doi" not in paper or f"doi:{paper['doi']}." in message, paper["title"]


def test_pre_commit_has_the_ruff_of_the_lock():
    revisions = {repo["repo"]: repo["rev"] for repo in read(".pre-commit-config.yaml")["repos"]}
    pinned = re.search(r"^ruff==(.+)$", (ROOT / "requirements.lock").read_text("utf-8"), re.M)
    assert revisions["https://github.com/astral-sh/ruff-pre-commit"] == f"v{pinned[1]}"


def test_make_help_lists_every_target():
    targets = re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)[1].split()
    assert re.findall(r"^([a-z-]+):.*  ## \S", MAKEFILE, re.MULTILINE) == targets


def test_one_thread_a_process():
    """Tests and their child processes use one BLAS thread: more would wait on a busy machine."""
    script = (
        "import numpy, sklearn.ensemble, threadpoolctl\n"
        "print(*{pool['num_threads'] for pool in threadpoolctl.threadpool_info()})"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["1"]


def validate(*command):
    """Run a validator where it is installed."""
    beside = Path(sys.executable).parent / command[0]
    tool = str(beside) if beside.exists() else shutil.which(command[0])
    if tool is None:
        pytest.skip(f"{command[0]} is not installed")
    found = subprocess.run(
        [tool, *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_actionlint():
    validate("actionlint")


@pytest.mark.parametrize(
    "schema, paths",
    [
        ("github-workflows", WORKFLOWS),
        ("github-issue-forms", FORMS),
        ("github-issue-config", [ROOT / ".github/ISSUE_TEMPLATE/config.yml"]),
        ("dependabot", [ROOT / ".github/dependabot.yml"]),
        ("citation-file-format", [ROOT / "CITATION.cff"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_schema(schema, paths):
    validate("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *paths)


def test_cffconvert():
    validate("cffconvert", "--validate")


def test_pyproject():
    validate("validate-pyproject", "pyproject.toml")
