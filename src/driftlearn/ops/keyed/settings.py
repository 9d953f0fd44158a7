"""Settings of a state folder with keyed models, and the arguments of a run."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from driftlearn.ops.checkpoint import learn_run
from driftlearn.ops.checkpoint.saved_model import MODEL
from driftlearn.ops.keyed.key_cache import MEMORY
from driftlearn.ops.keyed.keyed_learner import LEARNER
from driftlearn.ops.keyed.reader import parse_idle
from driftlearn.utils.arguments import meant
from driftlearn.utils.optional import needed

#: Settings that must not change between runs, with their defaults.
DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(("target", "key", "chunk", "time", "idle", "sep", "on_schema_change")),
    "new_label_rows": 5,
    "learner": LEARNER,
    "encoding": "utf-8",
    "missing": [],
    "kinds": {},
}
DASK = "dask", "dask:DaskRun", ("distributed", "pyarrow")
#: By prefix of --on: the name of the engine, after which the folder of a run is named; the module
#: and class of the run; and the packages that the module requires.
ENGINES: dict[str, tuple[str, str, Sequence[str]]] = {
    "local": ("", "local_run:LocalRun", ()),
    "bytewax": ("bytewax", "bytewax_run:BytewaxRun", ("bytewax",)),
    "spark": ("spark", "spark_run:SparkRun", ("pyspark", "pandas", "pyarrow", "google.protobuf")),
    "tcp": DASK,
    "tls": DASK,
}
UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


@dataclass(eq=False)
class Request(learn_run.Request):
    """Arguments of ``driftlearn learn --key``.

    Attributes
    ----------
    on : str
        Where to train: in this process or on an engine.
    memory : int
        Memory limit for states, in bytes.
    notes : list of str
        The messages of the run, which are added to it.
    """

    on: str = "local"
    memory: int = MEMORY
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Display a message."""
        self.notes.append(text)
        self.progress.note(text)


def run(request: Request) -> Any:
    """Train on all new rows with the engine of `--on`; return the models."""
    prefix = request.on.partition(":")[0]
    if prefix not in ENGINES:
        raise ValueError(
            f"Invalid --on {request.on!r}{meant(prefix, [*ENGINES])}: expected local, bytewax:N, "
            "spark://HOST:PORT or tcp://HOST:PORT."
        )
    from driftlearn.ops.keyed.engine_run import check_others

    engine, path, packages = ENGINES[prefix]
    check_others(request.folder, engine)
    for package in packages:
        needed(package, f"--on {request.on}")
    module, _, name = path.partition(":")
    return getattr(import_module(f"driftlearn.ops.keyed.{module}"), name)(request).run()


def new_settings(given: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the settings of a new state folder; raise ValueError if they are inconsistent."""
    if Path(folder, MODEL).is_file():
        raise ValueError(
            f"{folder} contains a single model. Use a different --state folder for one model per "
            "key."
        )
    found = {**DEFAULTS, **{name: value for name, value in given.items() if value is not None}}
    for name, what, example in (("target", "labels", "label"), ("key", "keys", "device")):
        if found[name] is None:
            raise ValueError(
                f"{folder} has no models yet: set the column of {what}, e.g. --{name} {example}."
            )
    roles = [found[name] for name in ("target", "key", "time") if found[name] is not None]
    if len({*roles}) < len(roles):
        text = "--target, --key and --time must be different columns. Got "
        raise ValueError(f"{text}{', '.join(map(repr, roles))}.")
    by_time = found["idle"] is not None and parse_idle(found["idle"])[1]
    if found["time"] is not None and not by_time:
        raise ValueError("--time requires --idle with a time span, e.g. --idle 30d.")
    if by_time and found["time"] is None:
        raise ValueError(
            f"--idle {found['idle']} requires --time COLUMN. To expire keys after a number of "
            "rows of the stream, use e.g. --idle 1000000."
        )
    return found


def parse_bytes(text: str) -> int:
    """Parse a memory size; return the number of bytes.

    Examples
    --------
    >>> parse_bytes("1GB"), parse_bytes("500 mb")
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
        raise ValueError(
            f"Invalid --memory {text!r:.50}: expected a number of bytes, e.g. 500MB or 2GB."
        )
    return n
