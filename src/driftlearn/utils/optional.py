"""Import of optional dependencies."""

from importlib import import_module
from typing import Any

INSTALLED_AS = {
    "confluent_kafka": "confluent-kafka",
    "imblearn": "imbalanced-learn",
    "nats": "nats-py",
}


def needed(module: str, what: str = "this") -> Any:
    """Import a module; if it is missing, raise ImportError with the command that installs it.

    The command installs the package itself rather than an extra of driftlearn, so that it works for
    installations from an index, a wheel or a clone.

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
        text = f"{what} needs {package}: pip install {package}"
        raise type(error)(text, name=name) from error
