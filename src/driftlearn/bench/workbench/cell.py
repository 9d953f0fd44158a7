"""Cells of a grid (one learner on one stream with one seed) and their computation."""

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

import numpy as np
import sklearn
from sklearn.base import clone

from driftlearn import io as persist
from driftlearn.bench.workbench._code_digest import code_digest
from driftlearn.bench.workbench.machine import machine_card
from driftlearn.bench.workbench.store_rows import LEARNER, SEALED, row_of, step_of
from driftlearn.ensemble.history import WeightHistory
from driftlearn.evaluate import Evaluation, Step
from driftlearn.evaluate._json import to_json
from driftlearn.evaluate._members import MemberLog
from driftlearn.specs.plugin_code import DIGITS, plugin_digests
from driftlearn.specs.spec import Spec
from driftlearn.utils.safe_text import printable

# seconds of work that a kill may lose; saving takes a few percent of this interval
CHECKPOINT_SECONDS = 5.0


@dataclass(frozen=True)
class Cell:
    """Learner, stream, seed and protocol, described by JSON values.

    A cell can be stored, sent to another machine and compared: equal computations have equal keys,
    independently of their names in tables.

    Attributes
    ----------
    stream, learner : str
        Names in tables, which are not part of the `key`.
    seed : int
        Seed of the repetition.
    protocol : str
        One of `driftlearn.evaluate.ROUNDS`.
    options : dict
        Options of the protocol.
    descriptions : dict
        The specs of ``"stream"`` and ``"learner"``.
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
        """Return a cell for a learner and a stream; a learner without `random_state` gets the seed.

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
        """All inputs on which the result depends, as canonical JSON."""
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
        """Key of this computation in the store."""
        return hashlib.sha256(self.description.encode()).hexdigest()[:DIGITS]

    def evaluation(self) -> Evaluation:
        """Create learner and stream and return their evaluation."""
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
    """Return the cells of every learner on every stream with every seed.

    Parameters
    ----------
    streams : mapping of str to callable
        Functions that create each stream for a seed.
    learners : mapping of str to estimator
        The learners.
    seeds : iterable of int
        The seeds.
    protocol, options
        As in `Cell`.
    """
    return [
        Cell.of(name, stream, label, learner, seed, protocol, options)
        for name, make in streams.items()
        for seed in seeds
        # created once for all learners, since it may be read from a file
        for stream in [make(seed)]
        for label, learner in learners.items()
    ]


class Order(NamedTuple):
    """A cell with the path of its checkpoints (None to disable) and the seconds between them."""

    cell: Cell
    checkpoint: Path | None = None
    interval: float = CHECKPOINT_SECONDS


class Begun(NamedTuple):
    """First message about a cell: its number of rows and the records in a checkpoint."""

    n_rows: int | None
    steps: list[Step]


class Finished(NamedTuple):
    """Result of a cell without its chunk records: summary, times and machine."""

    summary: dict[str, Any]
    histories: dict[str, WeightHistory]
    n_chunks: int
    wall: float
    cpu: float
    machine: dict[str, str]


def work(order: Order, emit: Callable[[Any], Any]) -> Finished:
    """Evaluate a cell, starting from its checkpoint if there is one.

    Emits a `Begun`, the record of each chunk as a `Step`, and messages to the user as strings.
    """
    cell, path, interval = order
    evaluation = cell.evaluation()
    run = evaluation.run
    spent = _resume(cell, evaluation, path, emit)
    wall, cpu = time.perf_counter() - spent[0], time.process_time() - spent[1]
    emit(Begun(getattr(evaluation.stream, "n_rows", None), list(run.records)))
    saved = time.perf_counter()
    rows: list[tuple[Any, ...]] = []  # the records so far as tuples, for checkpoints
    reported = False
    for step in evaluation.steps():
        emit(step)
        if path is not None and time.perf_counter() - saved >= interval:
            rows += [row_of(cell.key, each) for each in run.records[len(rows) :]]
            state = {
                "cell": cell.description,
                "learners": run.learners,
                "classes": run.classes,
                "position": run.position,
                "records": np.frombuffer(json.dumps(rows).encode(), dtype=np.uint8),
                "member_logs": {name: each.state() for name, each in run.member_logs.items()},
                "times": (time.perf_counter() - wall, time.process_time() - cpu),
            }
            try:
                persist.save(state, path, allow=_packages(cell))
            except Exception as problem:
                # the learner may not be picklable; the cell itself has not failed
                if not reported:
                    emit(f"{cell}: continues without checkpoints: {problem}")
                reported = True
            saved = time.perf_counter()
    result = evaluation.result()
    result.seed = cell.seed
    histories = result.histories
    result.data, result.histories = {}, {}
    times = time.perf_counter() - wall, time.process_time() - cpu
    return Finished(to_json(result), histories, len(run.records), *times, machine_card())


def _resume(
    cell: Cell, evaluation: Evaluation, path: Path | None, emit: Callable[[Any], Any]
) -> tuple[float, float]:
    """Restore a run from its checkpoint; return the wall and CPU seconds used so far."""
    if path is None or not path.exists():
        return 0.0, 0.0
    try:
        state = persist.load(path, allow=_packages(cell), max_work=sys.maxsize)
        if state["cell"] != cell.description:
            raise persist.CorruptFile(f"{path} belongs to another cell")
        rows = json.loads(state["records"].tobytes())
        records = [step_of(dict(zip(SEALED["chunks"], row))) for row in rows]
        logs = {name: MemberLog.of(each) for name, each in state["member_logs"].items()}
        wall, cpu = state["times"]
    except Exception as problem:  # the file may be damaged, or a class may be missing
        emit(f"{cell}: the checkpoint cannot be used, so the cell starts again: {problem}")
        return 0.0, 0.0
    run = evaluation.run
    run.learners, run.classes = state["learners"], state["classes"]
    run.position, run.records, run.member_logs = state["position"], records, logs
    return wall, cpu


def _packages(cell: Cell) -> tuple[str, ...]:
    """Return the packages of the learner and its parameters that are not always allowed."""
    found = re.findall(r'"class": "(\w+)', json.dumps(cell.descriptions["learner"]))
    return tuple(sorted({*found} - {"driftlearn", "numpy"}))
