"""The libraries of other people, when they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def needed(package: str, extra: str) -> Any:
    """Return a module; raise ImportError with what to do if it is not there."""
    try:
        return import_module(package)
    except ImportError as error:
        name = package.partition(".")[0]
        raise ImportError(f'this needs {name}: pip install "driftlearn[{extra}]"') from error
