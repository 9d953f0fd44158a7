"""Origins of the settings of experiments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from driftlearn.bench.papers.outcome import table_of
from driftlearn.bench.papers.paper import PAPERS
from driftlearn.specs.spec import Spec
from driftlearn.utils.table import Table

if TYPE_CHECKING:
    from driftlearn.bench.papers.experiment import Experiment

Origin = Literal["printed", "ours", "chosen"]
#: Origins of settings, with their descriptions.
ORIGINS: dict[Origin, str] = {
    "printed": "stated in the paper",
    "ours": "not stated in the paper; no other value was compared with the published numbers",
    "chosen": "not stated in the paper, or contradictory; its results come near the published "
    "numbers",
}
UNSTATED = "not stated"
LONGEST = 60  # maximum length of a value in the table


@dataclass(frozen=True)
class Setting:
    """Parameters of learners or streams and the origin of their values.

    Attributes
    ----------
    of : str
        The learner, or "stream" followed by the name of a stream; may be a prefix of several names.
    names : str
        The parameters, separated by commas. "estimator" covers all parameters of a base learner,
        "estimator.goal" only one of them.
    origin : str
        One of `ORIGINS`.
    why : str
        Where the value is published, or the reason for the value.
    """

    of: str
    names: str
    origin: Origin
    why: str = ""

    def fit(self, name: str, path: str) -> tuple[int, int] | None:
        """Return how specific the setting is for a parameter, or None if it does not apply."""
        found = [one for one in self.names.split(", ") if f"{path}.".startswith(f"{one}.")]
        return (max(map(len, found)), len(self.of)) if found and name.startswith(self.of) else None


def settings_of(paper: str) -> tuple[Setting, ...]:
    """Return the origins of the settings of a paper's experiments, or () for unknown papers."""
    return tuple(Setting(*fields) for fields in PAPERS[paper].settings) if paper in PAPERS else ()


def settings_table(experiment: Experiment) -> Table:
    """Return a table of the settings of streams and learners with values and origins.

    The table contains all parameters that differ from the defaults of the library, and all
    parameters with a stated origin.
    """
    known = settings_of(experiment.paper)
    rows: dict[tuple[str, str, str, str], list[str]] = {}
    streams = {f"stream {name}": make(0) for name, make in experiment.streams.items()}
    for name, made in {**streams, **experiment.learners}.items():
        given = dict(_flat(Spec.of(made).params))
        for path, value in {**_all(made), **given}.items():
            found = {fit: s for s in known if (fit := s.fit(name, path)) is not None}
            best = found[max(found)] if found else None
            stated = best is not None and path in best.names.split(", ")
            if path == "random_state" or not (stated or path in given):
                continue
            about = (best.of, path, best.origin, best.why) if best else (name, path, UNSTATED, "")
            values = rows.setdefault(about, [])
            if (text := _text(value)) not in values:
                values.append(text)
    cells = [(of, path, ", ".join(values), *origin) for (of, path, *origin), values in rows.items()]
    return table_of(("of", "setting", "value", "origin", "why"), cells)


def _flat(params: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield parameters by path; a base learner is followed by its own parameters."""
    for name, value in params.items():
        if isinstance(value, Spec):
            yield before + name, value.name.rpartition(":")[2]
            yield from _flat(value.params, f"{before}{name}.")
        else:
            yield before + name, value


def _all(made: Any) -> dict[str, Any]:
    """Return all parameters of a learner by path, or of a stream by name."""
    if hasattr(made, "get_params"):
        return {key.replace("__", "."): value for key, value in made.get_params().items()}
    return dict(made.params())


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 4] + " ..."
