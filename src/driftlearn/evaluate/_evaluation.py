"""Evaluation of learners on a stream that can be interrupted and continued."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np

from driftlearn.evaluate._concept_rounds import concept_rounds
from driftlearn.evaluate._drawable import BASELINES
from driftlearn.evaluate._gather import gather
from driftlearn.evaluate._result import Result
from driftlearn.evaluate._rounds import delayed_rounds, holdout_rounds, prequential_rounds
from driftlearn.evaluate._row_progress import Progress
from driftlearn.evaluate._run import Learners, Round, Run, Step, named
from driftlearn.utils.arguments import choose

OnStep = Callable[[Step], Any] | Iterable[Callable[[Step], Any]] | None

ROUNDS: dict[str, Callable[..., Iterator[Round]]] = {
    "prequential": prequential_rounds,
    "holdout": holdout_rounds,
    "delayed": delayed_rounds,
    "concepts": concept_rounds,
}


@dataclass
class Evaluation:
    """Evaluation of learners on a stream by a protocol.

    `prequential`, `holdout`, `delayed` and `concepts` start and finish an evaluation in one call.
    Use this class to stop and continue one. Its changing state is in `run`.

    Attributes
    ----------
    run : Run
        Learners, position and records.
    stream : stream or iterable
        Source of the rows.
    settings : dict
        Protocol and its options.

    Examples
    --------
    >>> from driftlearn.streams import SEA
    >>> from sklearn.naive_bayes import GaussianNB
    >>> stream = SEA(n_rows=500, random_state=0)
    >>> evaluation = Evaluation.start("prequential", GaussianNB(), stream, chunk_size=100)
    >>> len(list(evaluation.steps()))
    5
    """

    run: Run
    stream: Iterable[Any]
    settings: dict[str, Any]

    @classmethod
    def start(
        cls,
        protocol: str,
        learners: Learners,
        stream: Iterable[Any],
        *,
        classes: Any = None,
        log_loss: bool = True,
        memory_every: int | None = None,
        baselines: bool = False,
        **options: Any,
    ) -> Evaluation:
        """Return an evaluation of copies of the learners; `options` are those of the protocol."""
        choose("protocol", protocol, ROUNDS)
        run = new_run(
            learners, stream, classes, baselines, log_loss=log_loss, memory_every=memory_every
        )
        return cls(run, stream, {"protocol": protocol, **options})

    def rounds(self) -> Iterator[Round]:
        """Return all rounds, including those already processed."""
        options = dict(self.settings)
        return ROUNDS[options.pop("protocol")](self.stream, **options)

    def steps(self) -> Iterator[Step]:
        """Process the remaining rounds and yield a record for each round and learner."""
        return self.run.steps(self.rounds())

    def result(self, keep_learners: bool = False) -> Result:
        """Return the result of the records so far."""
        if not self.run.records:
            raise ValueError("the stream has no rows")
        fields = gather(self.run, self.stream, self.settings)
        return Result(**fields, fitted=self.run.learners if keep_learners else None)

    def finish(
        self, on_step: OnStep = None, progress: bool = False, keep_learners: bool = False
    ) -> Result:
        """Process the remaining rounds, call `on_step` with every record, and return the result."""
        sinks = [on_step] if callable(on_step) else list(on_step or ())
        with ExitStack() as stack:
            if progress:
                n_rows = getattr(self.stream, "n_rows", None)
                sinks.append(stack.enter_context(Progress(n_rows)))
            for step in self.steps():
                for sink in sinks:
                    sink(step)
        result = self.result(keep_learners)
        self._warn_if_untested(result)
        return result

    def _warn_if_untested(self, result: Result) -> None:
        """Warn with the reason if no row was tested."""
        if any(result.confusion(name).any() for name in result.names):
            return
        stops = result.rows(result.names[0])
        if self.settings["protocol"] == "prequential" and len(stops) == 1:
            why = (
                f"all {stops[-1]:,} rows are one chunk, and the first chunk is only trained on. "
                "Use a smaller chunk_size."
            )
        else:
            why = (
                "no learner had been trained when it was tested. Use more rows, a smaller delay, "
                "or learners with a smaller chunk_size."
            )
        warnings.warn(f"no row was tested: {why}", UserWarning, stacklevel=4)


def new_run(
    learners: Learners, stream: Iterable[Any], classes: Any, baselines: bool = False, **options: Any
) -> Run:
    """Return a new run of copies of the learners, and of the baselines not among them."""
    known = getattr(stream, "classes", None) if classes is None else classes
    labels = np.array([]) if known is None else np.unique(np.asarray(known))
    copies = named(learners)
    if baselines:
        there = {type(learner) for learner in copies.values()}
        for name, kind in BASELINES.items():
            if kind not in there:
                copies.setdefault(name, kind())
    return Run(copies, labels, **options)
