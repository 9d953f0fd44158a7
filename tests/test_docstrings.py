"""Parameters in the docstrings of learners agree with the constructors."""

import ast
import inspect
import re

import pytest

import driftlearn

LEARNERS = [getattr(driftlearn, name) for name in driftlearn.__all__ if name.endswith("Classifier")]
PUBLISHED = [
    kind for kind in LEARNERS
    if getattr(kind, "PUBLISHED", None) and "dummy" not in kind.__module__
]  # fmt: skip


def described(kind):
    """Return the default of each parameter as text: "" if optional, None if inherited."""
    _, _, rest = inspect.getdoc(kind).partition("Parameters\n----------\n")
    section = re.split(r"\n\n\w+\n-+\n", rest)[0]
    found = {}
    for line in re.findall(r"^\w.*", section, re.MULTILINE):
        names, colon, what = line.partition(" : ")
        names, reported = names.split(", "), what.partition("default=")[2]
        defaults = re.split(r", | and ", reported) if len(names) > 1 else [reported]
        if not colon or defaults == [""]:
            defaults = ["" if colon else None] * len(names)
        found.update(zip(names, defaults, strict=True))
    return found


def value(text):
    """Read a default: a constant, or a power such as 2**26."""
    base, _, power = text.partition("**")
    return ast.literal_eval(base) ** int(power) if power else ast.literal_eval(text)


def wrong_words(kind):
    """Return a sentence for each difference between docstring and constructor."""
    message, parent = described(kind), inspect.signature(kind.__base__).parameters
    real = inspect.signature(kind).parameters
    wrong = [f"{name} is not described" for name in real if name not in message]
    for name, text in message.items():
        if name not in real:
            wrong.append(f"{name} does not exist")
            continue
        default = real[name].default
        reported = parent[name].default if text is None else value(text or "None")
        if default != reported:
            wrong.append(f"{name} is {default!r}, not {reported!r}")
    return wrong


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_defaults(kind):
    assert wrong_words(kind) == []


class Planted:
    """Class with a wrong docstring.

    Parameters
    ----------
    a, b : int, default=1 and 2
        Right, and wrong.
    c : {"x", "y"}, default="x"
        Wrong.
    d : int, optional
        Wrong.
    e : int, default=2**4
        Right.
    gone : int, default=1
        No longer there.

    Attributes
    ----------
    g : int
        Not a parameter.
    """

    def __init__(self, a=1, b=3, c="y", d=1, e=16, f=None):
        pass


def test_a_difference_is_found():
    assert wrong_words(Planted) == [
        "f is not described", "b is 3, not 2", "c is 'y', not 'x'", "d is 1, not None",
        "gone does not exist",
    ]  # fmt: skip


def published(kind):
    """Return the paper's settings in the docstring, as text."""
    words = " ".join(kind.__doc__.split())
    begin = rf"(?:As published|Paper settings): `{kind.__name__}\.as_published\(\)`(?::| has)"
    pattern = begin + r" ((?:``[^`]+``(?:, | and )?)+)\."
    return dict(
        item.split("=", 1) for item in re.findall("``(.+?)``", re.search(pattern, words)[1])
    )


@pytest.mark.parametrize("kind", PUBLISHED, ids=lambda kind: kind.__name__)
def test_published_settings_are_documented(kind):
    assert published(kind) == {
        name: repr(setting).replace("'", '"') for name, setting in kind.PUBLISHED.items()
    }
