"""Plans: which learners on which streams with which seeds; written in TOML or as options.

::

    seeds = 10                       # 0 to 9; or a list; 1 if it is not said
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

from driftlearn.specs.catalogue import REQUIRED, check_name, defaults, find, near
from driftlearn.specs.grammar import check, read
from driftlearn.specs.spec import Spec, check_option, inside
from driftlearn.specs.toml import line_of, read_toml
from driftlearn.utils.arguments import check_positive, check_seed

KEYS = ("title", "seeds", "protocol", "options", "baselines", "streams", "learners")
NOT_IN_PLANS = ("learners", "stream", "on_step", "progress", "keep_learners", "baselines")


@dataclass(frozen=True)
class Plan:
    """A grid of learners, streams and seeds, all of which can be made.

    Attributes
    ----------
    streams, learners : dict of str to Spec
        By their labels.
    seeds : tuple of int
        The repetitions.
    protocol : str
        The name of one of `driftlearn.evaluate`'s protocols.
    options : dict
        Its options.
    title : str
        What it is about; may be empty.
    baselines : bool
        Whether the baselines run beside the learners.
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
        """The learners, and the baselines that are not among them yet."""
        from driftlearn.evaluate._baselines import BASELINES

        if not self.baselines:
            return self.learners
        there = {*self.learners, *(each.name for each in self.learners.values())}
        more = {name: Spec("learner", name, {}) for name in BASELINES if name not in there}
        return {**self.learners, **more}


class Mistake(ValueError):
    """What is wrong in a plan, and under which keys."""

    def __init__(self, problem: str, *keys: str) -> None:
        super().__init__(problem)
        self.keys = keys


def read_plan(path: str | Path) -> Plan:
    """Read a plan from a TOML file, and check all of it.

    Raises
    ------
    ValueError
        With the file, the line and the nearest right name.
    """
    content, text = read_toml(path)
    try:
        for key in content:
            if key not in KEYS:
                raise Mistake(f"unknown key {key!r}{near(key, KEYS)}", key)
        return plan_of(**{"streams": {}, "learners": {}, **content})
    except Mistake as mistake:
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
    """Make a plan and check all of it, by making each learner and each stream once.

    Data sets that are not there yet are downloaded now, and not by all workers at a time.

    Parameters
    ----------
    streams, learners : iterable of str, or mapping of str to str or mapping
        Texts that `read` reads; or, by label, such a text or a mapping of a name and options.
    seeds : int or iterable of int
        The seeds; a number n stands for 0 to n - 1.
    protocol : {"prequential", "holdout", "delayed", "concepts"}
        How they are evaluated.
    options : mapping, optional
        Options of the protocol.
    title : str, optional
        What it is about.
    baselines : bool
        Whether the baselines run beside the learners.

    Examples
    --------
    >>> plan = plan_of(["sea:n_rows=1000"], ["dtel", "bayes=naive-bayes"], seeds=2)
    >>> plan.seeds, list(plan.learners)
    ((0, 1), ['dtel', 'bayes'])
    >>> plan.streams["sea:n_rows=1000"].make(seed=1)
    SEA(n_rows=1000, random_state=1)
    """
    if not isinstance(title, str | None):
        raise Mistake(f"the title must be a text; got {title!r}", "title")
    if not isinstance(baselines, bool):
        raise Mistake(f"baselines must be true or false; got {baselines!r}", "baselines")
    for kind, given in (("stream", streams), ("learner", learners)):
        _check_names(kind, given)
    from driftlearn.evaluate._concept_rounds import periods

    numbers = _seeds(seeds)
    chosen = _options(protocol, {} if options is None else options)
    specs = {"stream": _specs("stream", streams), "learner": _specs("learner", learners)}
    for kind, group in specs.items():
        for label, each in group.items():
            with _under(f"{kind}s", label, among=each.params):
                made = each.make(numbers[0])
                if kind == "learner" and not hasattr(made, "partial_fit"):
                    raise ValueError(
                        f"{each.name} cannot go on learning, it has no partial_fit; it can be the "
                        f"base of an ensemble, as in learn++.nse:estimator={each.name}"
                    )
                if kind == "stream" and protocol == "holdout":
                    made.test_set(0, chosen.get("test_size"))
                if kind == "stream" and protocol == "concepts":
                    periods(made)
    return Plan(
        specs["stream"], specs["learner"], numbers, protocol, chosen, title or "", baselines
    )


def _seeds(seeds: Any) -> tuple[int, ...]:
    with _under("seeds"):
        if isinstance(seeds, str | bool | float | Mapping):
            raise ValueError(f"seeds must be a number of seeds or a list of them; got {seeds!r}")
        found = tuple(range(seeds) if isinstance(seeds, int) else seeds)
        for seed in found:
            if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
                raise ValueError(f"a seed must be a whole number, 0 or more; got {seed!r}")
        if not found:
            raise ValueError(f"there must be a seed at least; got {seeds!r}")
        if len(set(found)) < len(found):
            raise ValueError(f"the seeds must differ; got {list(found)}")
        return found


def _options(protocol: Any, options: Any) -> dict[str, Any]:
    """Check the protocol and what is asked of it."""
    from driftlearn import evaluate

    if not isinstance(protocol, str) or protocol not in evaluate.ROUNDS:
        raise Mistake(f"unknown protocol {protocol!r}{near(protocol, evaluate.ROUNDS)}", "protocol")
    if not isinstance(options, Mapping):
        raise Mistake(f"options must be a table; got {options!r}", "options")
    known = defaults(getattr(evaluate, protocol))
    known = {key: value for key, value in known.items() if key not in NOT_IN_PLANS}
    missing = [key for key, value in known.items() if value is REQUIRED and key not in options]
    if missing:
        raise Mistake(f"the protocol {protocol} needs the option {missing[0]!r}", "protocol")
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
            raise ValueError(f"classes must be a list of labels; got {value!r}")
        return list(value)
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ValueError(f"{key} must be true or false; got {value!r}")
    elif key == "delay":
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            raise ValueError(f"delay must be a number of rows, 0 or more; got {value!r}")
    elif key == "random_state":
        return check_seed(value)
    elif value is not None or default is not None:
        return check_positive(key, value)
    return value


def _check_names(kind: str, given: Any) -> None:
    """Raise if a name is unknown, before anything is imported: a slip is told at once."""
    tables = given if isinstance(given, Mapping) else {}
    for entry in given if isinstance(given, Iterable) and not isinstance(given, str) else ():
        each = tables.get(entry, entry)
        with _under(f"{kind}s", *([entry] if tables else [])):
            if isinstance(each, str):
                check(each, kind)
        name = each.get("name") if isinstance(each, Mapping) else None
        with _under(f"{kind}s", entry, "name"):
            if isinstance(name, str):
                check_name(kind, name)


def _specs(kind: str, given: Any) -> dict[str, Spec]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise Mistake(f"{kind}s must be a table of label = text; got {given!r}", f"{kind}s")
    specs: dict[str, Spec] = {}
    with _under(f"{kind}s"):
        for entry in given:
            if isinstance(given, Mapping):
                found = replace(_spec(kind, given[entry], f"{kind}s", entry), label=entry)
            else:
                found = read(str(entry), kind)
            if found.label in specs:
                raise ValueError(
                    f"two {kind}s are called {found.label!r}; write another=... before one"
                )
            specs[found.label] = found
        if not specs:
            raise ValueError(f"there is no {kind} in the plan; it needs one at least")
    return specs


def _spec(kind: str, given: Any, *keys: str) -> Spec:
    """Read a text, or a table of a name and options, in which other texts and tables may be."""
    with _under(*keys):
        if isinstance(given, str):
            return read(given, kind)
        if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
            raise ValueError(f"{keys[-1]} must be a text, or a table with a name; got {given!r}")
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
    """Read the value of an option under which things of a kind may stand, alone or in lists."""
    if kind and isinstance(given, list | tuple):
        return tuple(_value(kind, item, *keys) for item in given)
    if kind and isinstance(given, str | Mapping):
        return replace(_spec(kind, given, *keys), label="")
    return given


@contextmanager
def _under(*keys: str, among: Iterable[str] = ()) -> Iterator[None]:
    """Tell under which keys something went wrong, and the one `among` them that is spoken of."""
    try:
        yield
    except Mistake:
        raise
    except (ValueError, OSError, ImportError) as error:
        named = [key for key in among if re.search(rf"\b{key}\b", str(error))]
        raise Mistake(str(error), *keys, *named[:1]) from error
