"""Docstring sections that several classes share, written once."""

import re
from collections.abc import Callable
from textwrap import dedent, indent
from typing import TypeVar

Class = TypeVar("Class", bound=type)


def fill_docstring(**texts: str) -> Callable[[Class], Class]:
    '''Return a class decorator that inserts shared texts into the docstring.

    A line ``%(name)s`` is replaced by the text of that name, at the indentation of the line;
    ``{name}`` in a text becomes the name of the class. `help`, Sphinx and doctest thus see the
    complete docstring.

    Examples
    --------
    >>> @fill_docstring(seed="random_state : int, optional")
    ... class Learner:
    ...     """A learner.
    ...
    ...     %(seed)s
    ...     """
    >>> "random_state" in Learner.__doc__
    True
    '''

    def fill(cls: Class) -> Class:
        if cls.__doc__ is not None:  # absent with python -OO
            cls.__doc__ = re.sub(
                r"^( *)%\((\w+)\)s$",
                lambda line: indent(dedent(texts[line[2]]).strip(), line[1]).replace(
                    "{name}", cls.__name__
                ),
                cls.__doc__,
                flags=re.MULTILINE,
            )
        return cls

    return fill
