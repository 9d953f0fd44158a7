"""Plans of learners, streams, seeds and a protocol, from a TOML file or from options.

::

    seeds = 10                       # 0 to 9; or a list; by default 1
    protocol = "prequential"         # or "holdout", "delayed", "concepts"
    options = {chunk_size = 250}     # of the protocol
    baselines = true                 # no-change and majority beside the learners; or false

    [streams]
    sea = "sea:noise=0.1"            # label = "name:options", or a table
    hard = {name = "sea", noise = 0.2}

    [learners]                       # or, at the top, learners = ["dtel", "learn++.nse"]
    dtel = "dtel"
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from driftlearn.specs.catalogue import REQUIRED, defaults, find, near
from driftlearn.specs.grammar import read
from driftlearn.specs.spec import Spec, check_option, inside
from driftlearn.specs.toml import line_of, read_toml
from driftlearn.utils.arguments import check_integer, check_positive, check_seed

KEYS = ("title", "seeds", "protocol", "options", "baselines", "streams", "learners")
NOT_IN_PLANS = ("learners", "stream", "on_step", "progress", "keep_learners", "baselines")


@dataclass(frozen=True)
class Plan:
    """A grid of learners, streams and seeds.

    Attributes
    ----------
    streams, learners : dict of str to Spec
        The specs by label.
    seeds : tuple of int
        The seeds, one per repetition.
    protocol : str
        The name of a protocol of `driftlearn.evaluate`.
    options : dict
        The options of the protocol.
    title : str
        The title; may be empty.
    baselines : bool
        Whether to add the baselines to the learners.
    """

    streams: dict[str, Spec]
    learners: dict[str, Spec]
    seeds: tuple[int, ...]
    protocol: str
    options: dict[str, Any]
    title: str = ""
    baselines: bool = True

    @property
    def entrants(self) -> dict[str, Spec]:
        """The learners, with baselines that are not already among them."""
        from driftlearn.evaluate._drawable import BASELINES

        if not self.baselines:
            return self.learners
        there = {*self.learners, *(each.name for each in self.learners.values())}
        more = {name: Spec("learner", name, {}) for name in BASELINES if name not in there}
        return {**self.learners, **more}


class PlanError(ValueError):
    """Error in a plan; `keys` locates the invalid value."""

    def __init__(self, problem: str, *keys: str) -> None:
        super().__init__(problem)
        self.keys = keys


def read_plan(path: str | Path) -> Plan:
    """Return a plan from a TOML file.

    Raises
    ------
    ValueError
        For any error in the plan; the message contains file, line and the most similar valid name.
    """
    content, text = read_toml(path)
    try:
        if unknown := [key for key in content if key not in KEYS]:
            raise PlanError(f"unknown key {unknown[0]!r}{near(unknown[0], KEYS)}", unknown[0])
        return plan_of(**{"streams": {}, "learners": {}, **content})
    except PlanError as mistake:
        line = line_of(mistake.keys, text)
        raise ValueError(f"{path}, line {line}: {mistake}") from mistake


def plan_of(
    streams: Iterable[str] | Mapping[str, Any],
    learners: Iterable[str] | Mapping[str, Any],
    seeds: int | Iterable[int] = 1,
    protocol: str = "prequential",
    options: Mapping[str, Any] | None = None,
    title: str | None = None,
    baselines: bool = True,
) -> Plan:
    """Return a plan after creating each learner and each stream once to check it.

    Missing data sets are downloaded here, so that the workers do not all download them at once.

    Parameters
    ----------
    streams, learners : iterable of str, or mapping of str to str or mapping
        Spec strings (see `read`), or a mapping from label to a spec string or to a mapping with a
        name and options.
    seeds : int or iterable of int
        The seeds; a number n stands for 0 to n - 1.
    protocol : {"prequential", "holdout", "delayed", "concepts"}
        The protocol.
    options : mapping, optional
        Options of the protocol.
    title : str, optional
        The title.
    baselines : bool
        Whether to add the baselines to the learners.

    Examples
    --------
    >>> plan = plan_of(["sea:n_rows=1000"], ["dtel", "bayes=naive-bayes"], seeds=2)
    >>> plan.seeds, list(plan.learners)
    ((0, 1), ['dtel', 'bayes'])
    >>> plan.streams["sea:n_rows=1000"].make(seed=1)
    SEA(n_rows=1000, random_state=1)
    """
    if not isinstance(title, str | None):
        raise PlanError(_wrong("title", "a string", title), "title")
    if not isinstance(baselines, bool):
        raise PlanError(_wrong("baselines", "true or false", baselines), "baselines")
    from driftlearn.evaluate._rounds import periods

    numbers = _seeds(seeds)
    chosen = _options(protocol, {} if options is None else options)
    # In the order of the parameters of `Plan`.
    specs = {"stream": _specs("stream", streams), "learner": _specs("learner", learners)}
    for kind, group in specs.items():
        for label, each in group.items():
            with _under(f"{kind}s", label, among=each.params):
                thing = each.make(numbers[0])
                if kind == "learner" and not hasattr(thing, "partial_fit"):
                    raise ValueError(
                        f"{each.name} has no partial_fit, so it cannot be updated. Use it as the "
                        f"base learner of an ensemble, e.g. learn++.nse:estimator={each.name}"
                    )
                if kind == "stream" and protocol == "holdout":
                    thing.test_set(0, chosen.get("test_size"))
                if kind == "stream" and protocol == "concepts":
                    periods(thing)
    grid = specs["stream"], specs["learner"], numbers
    return Plan(*grid, protocol, chosen, title or "", baselines)


def _seeds(seeds: Any) -> tuple[int, ...]:
    with _under("seeds"):
        if isinstance(seeds, str | bool | float | Mapping):
            wanted = "an int (the number of seeds) or a list of ints"
            raise ValueError(_wrong("seeds", wanted, seeds))
        found = tuple(range(seeds) if isinstance(seeds, int) else seeds)
        for seed in found:
            check_integer("a seed", seed, least=0)
        if not found:
            raise ValueError(f"'seeds' must contain at least one seed. Got {seeds!r} instead.")
        if len(set(found)) < len(found):
            raise ValueError(_wrong("seeds", "distinct", list(found)))
        return found


def _options(protocol: Any, options: Any) -> dict[str, Any]:
    """Return the options of the protocol after checking them."""
    from driftlearn import evaluate

    if not isinstance(protocol, str) or protocol not in evaluate.ROUNDS:
        raise PlanError(
            f"unknown protocol {protocol!r}{near(protocol, evaluate.ROUNDS)}", "protocol"
        )
    if not isinstance(options, Mapping):
        raise PlanError(_wrong("options", "a table", options), "options")
    every = defaults(getattr(evaluate, protocol))
    known = {key: value for key, value in every.items() if key not in NOT_IN_PLANS}
    missing = [key for key, value in known.items() if value is REQUIRED and key not in options]
    if missing:
        raise PlanError(f"protocol {protocol} requires the option {missing[0]!r}", "protocol")
    chosen = {}
    for key, value in options.items():
        with _under("options", key):
            if key not in known:
                raise ValueError(f"unknown option {key!r} of {protocol}{near(key, known)}")
            chosen[key] = _option(key, value, known[key])
    return chosen


def _option(key: str, value: Any, default: Any) -> Any:
    if key == "classes":
        if not isinstance(value, list | tuple):
            raise ValueError(_wrong(key, "a list of labels", value))
        return list(value)
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ValueError(_wrong(key, "true or false", value))
    elif key == "delay":
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            raise ValueError(_wrong(key, "a number of rows in the range [0, inf)", value))
    elif key == "random_state":
        return check_seed(value)
    elif value is not None or default is not None:
        return check_positive(key, value)
    return value


def _wrong(key: str, wanted: str, value: Any) -> str:
    """Return the message for a key with an invalid value."""
    return f"{key!r} must be {wanted}. Got {value!r} instead."


def _specs(kind: str, given: Any) -> dict[str, Spec]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        wanted = "a table of strings by label"
        raise PlanError(_wrong(f"{kind}s", wanted, given), f"{kind}s")
    specs: dict[str, Spec] = {}
    with _under(f"{kind}s"):
        for entry in given:
            if isinstance(given, Mapping):
                found = replace(_spec(kind, given[entry], f"{kind}s", entry), label=entry)
            else:
                found = read(str(entry), kind)
            if found.label in specs:
                raise ValueError(
                    f"two {kind}s have the label {found.label!r}. Give one of them a different "
                    f"label, e.g. 'other={found.name}'"
                )
            specs[found.label] = found
        if not specs:
            example = {"learner": "auto", "stream": "sea"}[kind]
            raise ValueError(
                f"There is no {kind}. Add at least one, for example --{kind} {example} "
                f"('driftlearn list {kind}s' shows all)."
            )
    return specs


def _spec(kind: str, given: Any, *keys: str) -> Spec:
    """Parse a spec: a string, or a mapping with a name and options, which may contain specs."""
    with _under(*keys):
        if isinstance(given, str):
            return read(given, kind)
        if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
            raise ValueError(_wrong(keys[-1], "a string, or a table with a 'name'", given))
    with _under(*keys, "name"):
        _, known = find(kind, given["name"])
    params: dict[str, Any] = {}
    for key, value in given.items():
        if key != "name":
            with _under(*keys, key):
                check_option(kind, given["name"], key, known)
                params[key] = _value(inside(key), value, *keys, key)
    return Spec(kind, given["name"], params)


def _value(kind: str, given: Any, *keys: str) -> Any:
    """Parse the value of an option; with a `kind`, it may be a spec or a list of specs."""
    if kind and isinstance(given, list | tuple):
        return tuple(_value(kind, item, *keys) for item in given)
    if kind and isinstance(given, str | Mapping):
        return replace(_spec(kind, given, *keys), label="")
    return given


@contextmanager
def _under(*keys: str, among: Iterable[str] = ()) -> Iterator[None]:
    """Re-raise errors as PlanError with these keys, and the key of `among` in the message."""
    try:
        yield
    except PlanError:
        raise
    except (ValueError, OSError, ImportError) as error:
        named = [key for key in among if re.search(rf"\b{key}\b", str(error))]
        raise PlanError(str(error), *keys, *named[:1]) from error
