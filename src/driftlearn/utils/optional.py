"""The libraries of other people, when they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

INSTALLED_AS = {
    "confluent_kafka": "confluent-kafka",
    "imblearn": "imbalanced-learn",
    "nats": "nats-py",
}


def needed(module: str, what: str = "this") -> Any:
    """Return a module; raise ImportError with the command that installs it if it is not there.

    The command names the package itself and no extra of ours: so it works wherever driftlearn
    came from, an index, a wheel or a checkout.

    Examples
    --------
    >>> needed("pytables.core", "--out x.h5")
    Traceback (most recent call last):
    ...
    ModuleNotFoundError: --out x.h5 needs pytables: pip install pytables
    """
    try:
        return import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        package = INSTALLED_AS.get(name, name)
        said = f"{what} needs {package}: pip install {package}"
        raise type(error)(said, name=name) from error
