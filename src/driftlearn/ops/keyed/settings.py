"""What keys of a state folder were asked to be, which must stay the same from run to run."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from driftlearn.ops.checkpoint.kept import MODEL
from driftlearn.ops.checkpoint.show import Show
from driftlearn.ops.keyed.clock import idle_of
from driftlearn.ops.keyed.keyed_learner import LEARNER
from driftlearn.ops.keyed.keyed_models import MEMORY
from driftlearn.utils.arguments import meant

STORE = "keyed.sqlite"
#: Options that are remembered, with their defaults.
DEFAULTS: dict[str, Any] = {
    "target": None,
    "key": None,
    "learner": LEARNER,
    "chunk": None,
    "time": None,
    "idle": None,
    "sep": None,
    "encoding": "utf-8",
    "missing": [],
    "kinds": {},
}
#: Where keys can learn: what the word begins with, and the function that does it.
PLACES = {
    "local": "driftlearn.ops.keyed.local:run",
    "bytewax": "driftlearn.ops.keyed.supervisor:run",
    "spark": "driftlearn.ops.keyed.spark_run:run",
    "tcp": "driftlearn.ops.keyed.dask:run",
    "tls": "driftlearn.ops.keyed.dask:run",
}
#: The engine of each place, after which the folder of a run is called.
ENGINES = {"bytewax": "bytewax", "spark": "spark", "tcp": "dask", "tls": "dask"}
UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


@dataclass
class Request:
    """What ``driftlearn learn --key`` is asked to do.

    Attributes
    ----------
    folder : Path
        The state folder.
    files : list of str
        Files, folders, globs, ``"-"``.
    given : dict
        The settings that were given; those of a state folder need not be.
    on : str
        Where keys learn.
    memory : int
        Bytes that states in memory may take.
    out : str or None
        A CSV file of predictions.
    forget : sequence of str
        Files that are to be read as if they were new.
    skip, follow : bool
        Whether broken lines are passed over, and whether to wait for more.
    show : Show
        Tells somebody who watches.
    """

    folder: Path
    files: list[str]
    given: dict[str, Any]
    on: str = "local"
    memory: int = MEMORY
    out: str | None = None
    forget: tuple[str, ...] = ()
    skip: bool = False
    follow: bool = False
    show: Show = field(default_factory=Show)


def run(request: Request) -> Any:
    """Have keys learn where it is asked for."""
    place = request.on.partition(":")[0]
    if place not in PLACES:
        near = meant(place, [*PLACES])
        raise ValueError(
            f"--on {request.on}: there is no such place{near}; there are local, bytewax:2, "
            "spark://host:7077 and tcp://host:8786"
        )
    from driftlearn.ops.keyed.engine_run import check_others

    check_others(request.folder, ENGINES.get(place, ""))
    module, _, name = PLACES[place].partition(":")
    work: Callable[[Request], Any] = getattr(import_module(module), name)
    return work(request)


def is_keyed(folder: str | os.PathLike[str]) -> bool:
    """Tell whether a state folder has a model for each key."""
    return Path(folder, STORE).is_file()


def begun(given: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the settings of a new state folder; raise ValueError if they do not fit together."""
    if Path(folder, MODEL).is_file():
        raise ValueError(
            f"{folder} has one model for all rows: begin another --state for a model for each key"
        )
    found = {**DEFAULTS, **{name: value for name, value in given.items() if value is not None}}
    for name, what in (("target", "labels"), ("key", "keys")):
        if found[name] is None:
            raise ValueError(
                f"there are no models in {folder} yet: name the column of {what}, as --{name} "
                f"{'label' if name == 'target' else 'device'}"
            )
    roles = [found[name] for name in ("target", "key", "time") if found[name] is not None]
    if len({*roles}) < len(roles):
        raise ValueError("labels, keys and times are in columns of their own: one is named twice")
    by_time = found["idle"] is not None and idle_of(found["idle"])[1]
    if found["time"] is not None and not by_time:
        raise ValueError("--time is for keys that expire: say --idle 30d, for example, too")
    if by_time and found["time"] is None:
        raise ValueError(
            f"--idle {found['idle']} needs the column of times: --time COLUMN; or say --idle "
            "1000000 for so many rows of the stream"
        )
    return found


def bytes_of(text: str) -> int:
    """Return how many bytes a text says.

    Examples
    --------
    >>> bytes_of("1GB"), bytes_of("500 mb")
    (1073741824, 524288000)
    """
    plain = text.replace("_", "").replace(" ", "").lower()
    digits = plain.rstrip("kmgtb")
    unit = plain[len(digits) :]
    try:
        n = int(float(digits) * UNITS[unit.removesuffix("b")])
    except (ValueError, KeyError, OverflowError):
        n = 0
    if n <= 0:
        raise ValueError(f"memory is a number of bytes, as 500MB or 2GB; got {text!r:.50}")
    return n
