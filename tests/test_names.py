"""Every public learner stands in all the places where people look for it."""

from importlib import import_module
from pathlib import Path

import pytest

import driftlearn
from driftlearn.specs.catalogue import LEARNERS

ROOT = Path(__file__).parent.parent
CLASSES = [name for name in driftlearn.__all__ if name.endswith("Classifier")]


@pytest.mark.parametrize("name", CLASSES)
def test_a_learner_is_where_people_look(name):
    room = getattr(driftlearn, name).__module__.split(".")[1]
    assert name in import_module(f"driftlearn.{room}").__all__
    assert f"driftlearn:{name}" in {entry.path for entry in LEARNERS.values()}
    assert f"   {name}\n" in (ROOT / "docs" / "api.rst").read_text("utf-8")
    assert f"`{name}`" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.parametrize("room", ["chunk", "online", "learners", "baselines"])
def test_what_a_room_has_is_public(room):
    """No learner of a room is forgotten at the front door."""
    names = import_module(f"driftlearn.{room}").__all__
    assert {name for name in names if name.endswith("Classifier")} <= set(CLASSES)
