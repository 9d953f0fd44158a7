"""A learner is registered once, in learners.txt, and found by all commands."""

import ast
import importlib
import importlib.util
import pkgutil
import sys
from inspect import getdoc
from pathlib import Path

import pytest

import driftlearn
from driftlearn._learners import LEARNERS
from driftlearn.specs.catalogue import find
from driftlearn.specs.toml import read_toml

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "driftlearn"


@pytest.mark.parametrize("short", LEARNERS)
def test_a_learner_is_found_by_all_its_names(short):
    entry = LEARNERS[short]
    kind = getattr(driftlearn, entry.name)
    assert kind.__name__ == entry.name and kind.__module__ == f"driftlearn.{entry.module}"
    parents = entry.module.split(".")[:-1]
    for n in range(len(parents)):
        package = importlib.import_module(".".join(["driftlearn", *parents[: n + 1]]))
        assert getattr(package, entry.name) is kind and entry.name in package.__all__
    assert find("learner", short)[0] is kind


@pytest.mark.parametrize("short", LEARNERS)
def test_a_learner_is_described(short):
    entry = LEARNERS[short]
    assert 10 < len(entry.summary) <= 80, "the summary must have 11 to 80 characters"
    assert 5 < len(entry.use) <= 80, "when to use it must have 6 to 80 characters"
    assert not entry.summary.endswith(".")
    doc = getdoc(getattr(driftlearn, entry.name))
    assert ">>>" in doc and "References" in doc


def test_every_learner_is_registered():
    """Every class with a paper's settings or a public name ending in Classifier is registered."""
    classes = {
        node.name
        for path in PACKAGE.rglob("*.py")
        if not path.stem.startswith("_") and path.parent.name not in ("compat", "base")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name.endswith("Classifier")
    }
    bases = {"BlindClassifier", "ChunkClassifier", "OnlineClassifier"}
    assert classes - bases == {entry.name for entry in LEARNERS.values()}


def test_the_notes_of_the_documentation_are_of_registered_learners():
    notes = read_toml(ROOT / "docs" / "learners.toml")[0]
    assert notes and {*notes} <= {entry.name for entry in LEARNERS.values()}
    for name, note in notes.items():
        assert {*note} - {"use"} == {"believes", "fails", "cost"}, name
        assert all(len(text) > 5 for text in note.values()), name


def test_subpackages_are_attributes():
    """``import driftlearn; driftlearn.evaluate`` works, in a fresh process."""
    script = "import driftlearn\nfor name in {!r}: getattr(driftlearn, name)"
    names = [each.name for each in pkgutil.iter_modules(driftlearn.__path__) if each.ispkg]
    assert {"evaluate", "tree", "streams"} < {*names}
    from subprocess import run

    run([sys.executable, "-c", script.format(names)], check=True)


@pytest.mark.parametrize(
    "code, hint",
    [
        ("from driftlearn import ARFClassifier", "AdaptiveRandomForestClassifier"),
        ("from driftlearn import NSEClassifier", "LearnPPNSEClassifier"),
        ("from driftlearn.tree import hat", "HoeffdingAdaptiveTreeClassifier"),
        ("from driftlearn import DTELClasifier", "DTELClassifier"),
        ("driftlearn.evalaute", "evaluate"),
        ("driftlearn.tree.DTELClassifier", "driftlearn.DTELClassifier"),
        ("driftlearn.xyz", None),
    ],
)
def test_a_wrong_name_gets_one_suggestion(code, hint):
    with pytest.raises((ImportError, AttributeError)) as error:
        exec(code, {"driftlearn": driftlearn})
    message = str(error.value)
    assert message.count("did you mean") == (hint is not None)
    assert hint is None or message.endswith(f"(did you mean {hint!r}?)")


@pytest.mark.parametrize("init", sorted(PACKAGE.rglob("__init__.pyi")), ids=str)
def test_no_public_name_is_also_a_module(init):
    """Importing the module would replace the name."""
    package = importlib.import_module(".".join(init.parent.relative_to(PACKAGE.parent).parts))
    modules = {each.name for each in pkgutil.iter_modules(package.__path__)}
    assert not modules & {*package.__all__}
