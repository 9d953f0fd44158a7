"""The stubs for type checkers say what the compiled modules have, no more and no less."""

import ast
import re
from pathlib import Path

import pytest

import driftlearn

PACKAGE = Path(driftlearn.__file__).parent
STUBS = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.pyi"))


def signatures(path):
    """What a file defines: each function, or method with its class, and its arguments."""

    def of(body, owner=""):
        for node in body:
            if isinstance(node, ast.ClassDef):
                yield from of(node.body, f"{node.name}.")
            elif isinstance(node, ast.FunctionDef) and (
                not node.name.startswith("_") or node.name.endswith("__")
            ):
                arguments = node.args
                for each in ast.walk(arguments):
                    if isinstance(each, ast.arg):
                        each.annotation = None
                marks = [ast.unparse(mark) for mark in node.decorator_list]
                yield f"{owner}{node.name}", (ast.unparse(arguments), marks)

    return dict(of(ast.parse(path.read_text("utf-8")).body))


def attributes(path):
    """What the classes of a stub have besides methods."""
    return {
        node.target.id
        for owner in ast.parse(path.read_text("utf-8")).body if isinstance(owner, ast.ClassDef)
        for node in owner.body if isinstance(node, ast.AnnAssign)
    }  # fmt: skip


def test_there_are_stubs():
    names = ["base/single_row.pyi", "engines/online_committee.pyi", "engines/online_model.pyi"]
    assert names == STUBS


@pytest.mark.parametrize("stub", STUBS)
def test_a_stub_is_like_its_module(stub):
    """All that can be called from Python, with its arguments; what is C only is left out."""
    stub = PACKAGE / stub
    declared = stub.with_suffix(".pxd").read_text("utf-8")
    only_c = set(re.findall(r"^    cdef [\w ]+ (\w+)\(", declared, re.M))
    written = signatures(stub.with_suffix(".py"))
    there = {name: how for name, how in written.items() if name.partition(".")[2] not in only_c}
    assert signatures(stub) == there
    public = set(re.findall(r"^    cdef public .* (\w+)$", declared, re.M))
    kept = {"STATE"} if "STATE = " in stub.with_suffix(".py").read_text("utf-8") else set()
    assert attributes(stub) == public | kept
