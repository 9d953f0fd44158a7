"""A cell of a grid: one learner on one stream with one seed, as a description and a function."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import sklearn
from sklearn.base import clone

from driftlearn import io as persist
from driftlearn.bench.workbench._code_digest import code_digest
from driftlearn.bench.workbench.machine import machine_card
from driftlearn.bench.workbench.records import pack, unpack
from driftlearn.ensemble.history import WeightHistory
from driftlearn.evaluate._evaluation import Evaluation
from driftlearn.evaluate._json import to_json
from driftlearn.evaluate._members import MemberLog
from driftlearn.evaluate._run import Step
from driftlearn.specs.plugin_code import DIGITS, plugin_digests
from driftlearn.specs.spec import Spec
from driftlearn.utils.safe_text import printable

LEARNER = "learner"  # what the one learner of a cell is called in its result
CHECKPOINT_SECONDS = 5.0  # what a kill may cost; saving takes some hundredths of that


@dataclass(frozen=True)
class Cell:
    """What is evaluated, wholly described by values that JSON knows.

    So a cell can be stored, sent to another machine and recognised: equal work has an equal
    `key`, whatever it is called and whichever table it belongs to.

    Attributes
    ----------
    stream, learner : str
        What they are called in tables; not part of the `key`.
    seed : int
        The repetition.
    protocol : str
        One of `driftlearn.evaluate.ROUNDS`.
    options : dict
        Its options.
    descriptions : dict
        How ``"stream"`` and ``"learner"`` are made.
    """

    stream: str
    learner: str
    seed: int
    protocol: str
    options: dict[str, Any] = field(default_factory=dict)
    descriptions: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        stream_name: str,
        stream: Any,
        learner_name: str,
        learner: Any,
        seed: int,
        protocol: str = "prequential",
        options: Mapping[str, Any] | None = None,
    ) -> Cell:
        """Describe a learner and a stream; where no `random_state` was given, it is the seed.

        Examples
        --------
        >>> from driftlearn import DTELClassifier
        >>> from driftlearn.streams import SEA
        >>> cell = Cell.of("sea", SEA(n_rows=1000, random_state=3), "dtel", DTELClassifier(), 3)
        >>> cell.descriptions["learner"]["params"]
        {'random_state': 3}
        """
        learner = clone(learner)
        if learner.get_params(deep=False).get("random_state", 0) is None:
            learner.set_params(random_state=seed)
        made = {"stream": Spec.of(stream).json(), "learner": Spec.of(learner).json()}
        return cls(stream_name, learner_name, seed, protocol, dict(options or {}), made)

    @cached_property
    def description(self) -> str:
        """All that the outcome depends on, as canonical JSON."""
        content = {
            **self.descriptions,
            "seed": self.seed,
            "protocol": self.protocol,
            "options": self.options,
            "library": code_digest(),
        }
        classes = re.findall(r'"class": "([\w.:]+)', json.dumps(self.descriptions))
        if any(path.startswith("sklearn.") for path in classes):
            content["scikit-learn"] = sklearn.__version__
        code = plugin_digests(classes)
        return json.dumps(content | ({"code": code} if code else {}), sort_keys=True)

    @cached_property
    def key(self) -> str:
        """The name of this work in the store."""
        return hashlib.sha256(self.description.encode()).hexdigest()[:DIGITS]

    def evaluation(self) -> Evaluation:
        """Make learner and stream, ready to begin."""
        learner, stream = (
            Spec.of_json(self.descriptions[part]).make() for part in ("learner", "stream")
        )
        return Evaluation.start(self.protocol, {LEARNER: learner}, stream, **self.options)

    def __str__(self) -> str:
        return printable(f"{self.learner} on {self.stream}, seed {self.seed}")


def cells_of(
    streams: Mapping[str, Callable[[int], Any]],
    learners: Mapping[str, Any],
    seeds: Iterable[int],
    protocol: str = "prequential",
    options: Mapping[str, Any] | None = None,
) -> list[Cell]:
    """Return every learner on every stream with every seed.

    Parameters
    ----------
    streams : mapping of str to callable
        For each stream a function of the seed that makes it.
    learners : mapping of str to estimator
        The learners.
    seeds : iterable of int
        The repetitions.
    protocol, options
        As in `Cell`.
    """
    return [
        Cell.of(name, stream, label, learner, seed, protocol, options)
        for name, make in streams.items()
        for seed in seeds
        for stream in [make(seed)]  # once for all learners: one may be read from a file
        for label, learner in learners.items()
    ]


class Order(NamedTuple):
    """A cell, and where its checkpoints go: every so many seconds; None for none."""

    cell: Cell
    checkpoint: Path | None = None
    interval: float = CHECKPOINT_SECONDS


class Begun(NamedTuple):
    """A worker's first word on a cell: how many rows there are, and what was done before."""

    n_rows: int | None
    steps: list[Step]


class Note(NamedTuple):
    """Something that a person should know about a cell."""

    text: str


class Finished(NamedTuple):
    """What stands beside the records of a cell: the rest of its `Result`, times, and where."""

    summary: dict[str, Any]
    histories: dict[str, WeightHistory]
    n_chunks: int
    wall: float
    cpu: float
    machine: dict[str, str]


def work(order: Order, emit: Callable[[Any], Any]) -> Finished:
    """Go through a cell, from its checkpoint if there is one, and emit a record a chunk."""
    cell, path, interval = order
    evaluation = cell.evaluation()
    spent = _resume(cell, evaluation, path, emit)
    wall, cpu = time.perf_counter() - spent[0], time.process_time() - spent[1]
    emit(Begun(getattr(evaluation.stream, "n_rows", None), list(evaluation.run.records)))
    saved = time.perf_counter()
    told = False
    for step in evaluation.steps():
        emit(step)
        if path is not None and time.perf_counter() - saved >= interval:
            times = time.perf_counter() - wall, time.process_time() - cpu
            problem = _save(_state(cell, evaluation, times), path, _packages(cell))
            if problem is not None and not told:
                told = True
                emit(Note(f"{cell}: goes on without checkpoints: {problem}"))
            saved = time.perf_counter()
    result = evaluation.result()
    result.seed = cell.seed
    histories = result.histories
    result.data, result.histories = {}, {}
    return Finished(
        to_json(result),
        histories,
        len(evaluation.run.records),
        time.perf_counter() - wall,
        time.process_time() - cpu,
        machine_card(),
    )


def _state(cell: Cell, evaluation: Evaluation, times: tuple[float, float]) -> dict[str, Any]:
    run = evaluation.run
    return {
        "cell": cell.description,
        "learners": run.learners,
        "classes": run.classes,
        "position": run.position,
        "records": pack(run.records),
        "member_logs": {name: each.state() for name, each in run.member_logs.items()},
        "times": times,
    }


def _save(state: dict[str, Any], path: Path, allow: tuple[str, ...]) -> Exception | None:
    """Write a checkpoint; return what stands against it.

    A learner may be of any make and hold anything: whatever happens while it is written down is no
    failure of its cell.
    """
    try:
        persist.save(state, path, allow=allow)
    except Exception as problem:
        return problem
    return None


def _resume(
    cell: Cell, evaluation: Evaluation, path: Path | None, emit: Callable[[Any], Any]
) -> tuple[float, float]:
    """Put a run where its checkpoint left it; return the wall and CPU seconds that it had."""
    if path is None or not path.exists():
        return 0.0, 0.0
    try:
        state = persist.load(path, allow=_packages(cell), max_work=sys.maxsize)
        if state["cell"] != cell.description:
            raise persist.CorruptFile(f"{path} belongs to other work")
        records = unpack(LEARNER, state["records"])
        logs = state.get("member_logs", {})
        member_logs = {name: MemberLog.of(each) for name, each in logs.items()}
        wall, cpu = state["times"]
    except Exception as problem:  # of damage, or of a class that cannot be made again
        emit(Note(f"{cell}: the checkpoint cannot be used, so it starts again: {problem}"))
        return 0.0, 0.0
    run = evaluation.run
    run.learners, run.classes = state["learners"], state["classes"]
    run.position, run.records, run.member_logs = state["position"], records, member_logs
    return wall, cpu


def _packages(cell: Cell) -> tuple[str, ...]:
    """Return the packages of the learner and its parameters, but for those always allowed."""
    found = re.findall(r'"class": "(\w+)', json.dumps(cell.descriptions["learner"]))
    return tuple(sorted({*found} - {"driftlearn", "numpy"}))
