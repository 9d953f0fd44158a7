"""Inheritance of parameter and attribute descriptions from the base class."""

import re
from inspect import cleandoc
from textwrap import indent
from typing import TypeVar

Class = TypeVar("Class", bound=type)


def inherit_docs(cls: Class) -> Class:
    '''Insert descriptions from the base class into the docstring of a class; return the class.

    A line ``%(name)s`` is replaced by the description of this parameter or attribute in the
    docstring of the base class, at the indentation of the line. ``%(other_parameters)s`` and
    ``%(other_attributes)s`` are replaced by all remaining descriptions. The name of the base class
    is replaced by the name of the class. `help`, Sphinx and doctest thus see the complete
    docstring.

    Examples
    --------
    >>> class Base:
    ...     """A base class.
    ...
    ...     Parameters
    ...     ----------
    ...     seed : int, optional
    ...     """
    >>> @inherit_docs
    ... class Learner(Base):
    ...     """A learner.
    ...
    ...     Parameters
    ...     ----------
    ...     %(seed)s
    ...     """
    >>> "seed : int" in Learner.__doc__
    True
    '''
    base = cls.__mro__[1]
    if cls.__doc__ is None or base.__doc__ is None:  # docstrings are removed with python -OO
        return cls
    texts: dict[str, str] = {}
    for section in ("Parameters", "Attributes"):
        entries, own = _entries(base.__doc__, section), _entries(cls.__doc__, section)
        absent = [name for name in entries if not {name, f"%({name})s"} & own.keys()]
        others = "\n".join(entries[name] for name in absent)
        texts |= {**entries, f"other_{section.lower()}": others}
    cls.__doc__ = re.sub(
        r"^( *)%\((\w+)\)s$",
        lambda line: indent(texts[line[2]], line[1]).replace(base.__name__, cls.__name__),
        cls.__doc__,
        flags=re.MULTILINE,
    )
    return cls


def _entries(docstring: str, section: str) -> dict[str, str]:
    """Return the entries of a section by the first word of each."""
    _, _, rest = cleandoc(docstring).partition(f"{section}\n{'-' * len(section)}\n")
    entries = re.split(r"\n(?=\S)", re.split(r"\n\n\w+\n-+\n", rest)[0].rstrip())
    return {re.split("[ ,]", entry)[0]: entry.rstrip() for entry in entries}
