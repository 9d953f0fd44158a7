"""Stubs of compiled modules have their signatures, those of packages are up to date."""

import ast
import re
import runpy
from pathlib import Path

import pytest

import driftlearn

PACKAGE = Path(driftlearn.__file__).parent
STUBS = sorted(
    path.relative_to(PACKAGE).as_posix()
    for path in PACKAGE.rglob("*.pyi")
    if path.name != "__init__.pyi"
)
TOOL = Path(__file__).parent.parent / "tools" / "stubs.py"


def signatures(path):
    """Return the arguments and decorators of each function and method of a file."""

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
    """Return the attributes that the classes of a stub declare."""
    return {
        node.target.id
        for owner in ast.parse(path.read_text("utf-8")).body if isinstance(owner, ast.ClassDef)
        for node in owner.body if isinstance(node, ast.AnnAssign)
    }  # fmt: skip


def test_stubs_of_packages_and_lists_of_learners_are_up_to_date():
    """The files equal the output of tools/stubs.py; `make stubs` updates them."""
    tool = runpy.run_path(str(TOOL))
    outdated = [
        path.relative_to(TOOL.parents[1]).as_posix()
        for path, text in tool["files"]().items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
    assert not outdated, "run `make stubs`"
    assert {*PACKAGE.rglob("__init__.pyi")} <= {*tool["files"]()}


def test_compiled_classes_that_learners_use_have_stubs():
    assert {"base/_single_row.pyi"} < {*STUBS} and len(STUBS) == 3


@pytest.mark.parametrize("stub", STUBS)
def test_a_stub_is_like_its_module(stub):
    """A stub has all functions; it omits methods that can be called only from C."""
    stub = PACKAGE / stub
    declared = stub.with_suffix(".pxd").read_text("utf-8")
    only_c = set(re.findall(r"^    cdef [\w ]+ (\w+)\(", declared, re.M))
    written = signatures(stub.with_suffix(".py"))
    there = {name: how for name, how in written.items() if name.partition(".")[2] not in only_c}
    assert signatures(stub) == there
    public = set(re.findall(r"^    cdef public .* (\w+)$", declared, re.M))
    kept = {"STATE"} if "STATE = " in stub.with_suffix(".py").read_text("utf-8") else set()
    assert attributes(stub) == public | kept
