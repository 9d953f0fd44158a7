"""Work through the cells of a grid: only what is missing, and nothing is lost on the way."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from driftlearn import io as persist
from driftlearn.bench.workbench import executors
from driftlearn.bench.workbench.cell import (
    CHECKPOINT_SECONDS,
    Begun,
    Cell,
    Note,
    Order,
    work,
)
from driftlearn.bench.workbench.executors import Executor, make_executor
from driftlearn.bench.workbench.machine import machine_card
from driftlearn.bench.workbench.progress import Display
from driftlearn.bench.workbench.store import Store, run_lock
from driftlearn.bench.workbench.store_rows import LEARNER
from driftlearn.evaluate._repeat import RepeatedResult
from driftlearn.evaluate._result import Result
from driftlearn.evaluate._run import Step
from driftlearn.utils.locks import Locks


@dataclass
class GridResult:
    """What came out of a grid.

    Attributes
    ----------
    run : int
        Its number in the store.
    cells : list of Cell
        All that was asked for.
    store : Store
        Where the results are.
    failures : dict of str to str
        For each cell that failed, by its key, why.
    """

    run: int
    cells: list[Cell]
    store: Store
    failures: dict[str, str] = field(default_factory=dict)

    def failed(self) -> list[str]:
        """Return a line for each cell that failed."""
        names = {cell.key: str(cell) for cell in self.cells}
        return [f"failed: {names[key]}: {error}" for key, error in self.failures.items()]

    def results(self) -> dict[str, RepeatedResult]:
        """Return the results of each stream, of the learners that got through all of it."""
        return results(self.store, self.cells, set(self.failures))


class Grid:
    """Runs cells and keeps what they give.

    Parameters
    ----------
    store : Store, optional
        Where results go, and where those that are there already come from; in memory, if none.
    executor : Executor or str
        Where cells run; a str is handed to `make_executor`, but for "auto", which is all cores
        where there is more than one cell to run.
    display : Display, optional
        Shows how far it is.
    fresh : bool
        Run again what the store has.
    checkpoint_seconds : float
        How often a cell under way is saved.

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier
    >>> from driftlearn.streams import SEA
    >>> cells = [
    ...     Cell.of("sea", SEA(n_rows=500, random_state=seed), "nb", GaussianNBClassifier(), seed)
    ...     for seed in (0, 1)
    ... ]
    >>> Grid().run(cells).results()["sea"].scores("nb").shape
    (2, 2)
    """

    def __init__(
        self,
        store: Store | None = None,
        executor: Executor | str = "serial",
        display: Display | None = None,
        fresh: bool = False,
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
    ):
        self.store = Store(":memory:") if store is None else store
        self.executor = executor
        self.display = Display() if display is None else display
        self.fresh = fresh
        self.checkpoint_seconds = checkpoint_seconds

    def run(self, cells: Sequence[Cell], title: str = "", command: str = "") -> GridResult:
        """Run what is missing of some cells.

        A cell that fails does so alone and is in the outcome's `failures`. An interrupt ends the
        run; the same call goes on where it was.
        """
        cells = list(cells)
        if not cells:
            raise ValueError("there is no cell to run")
        with Locks(self.store.workplace) as locks:
            number = self.store.begin_run(title, command, machine_card(), cells)
            locks.take(run_lock(number))
            outcome = GridResult(number, cells, self.store)
            status = "stopped"
            try:
                self._work(outcome, locks)
                status = "failed" if outcome.failures else "done"
            finally:
                self.store.end_run(number, status)
        return outcome

    def _work(self, outcome: GridResult, locks: Locks) -> None:
        wanted = {cell.key: cell for cell in outcome.cells}
        if self.fresh:
            self.store.forget(wanted)
        missing = {key: cell for key, cell in wanted.items() if not self.store.is_done(key)}
        with self.display as display:
            self._sweep(locks)
            display.begin(outcome.run, len(wanted), len(wanted) - len(missing))
            if not missing:
                return
            with _executor(self.executor, len(missing)) as executor:
                run = _GridRun(self, executor, locks, missing, outcome)
                executor.run(work, run.orders(), run.handle)

    def _sweep(self, locks: Locks) -> None:
        """Remove what processes left that were killed: half files, locks, done checkpoints."""
        if locks.folder is None:
            return
        persist.sweep(locks.folder)
        for key in {path.stem for path in locks.folder.glob("[!.]*.*")}:
            if locks.take(key):
                if not key.startswith(run_lock("")) and self.store.is_done(key):
                    (locks.folder / f"{key}.npz").unlink(missing_ok=True)
                locks.drop(key)


class _GridRun:
    """Hands out the cells of one run and takes in what comes back."""

    def __init__(
        self,
        grid: Grid,
        executor: Executor,
        locks: Locks,
        missing: dict[str, Cell],
        outcome: GridResult,
    ):
        self.store, self.display = grid.store, grid.display
        self.interval = grid.checkpoint_seconds
        self.folder = locks.folder if executor.shares_files else None
        self.locks, self.missing, self.outcome = locks, missing, outcome

    def orders(self) -> Iterator[tuple[str, Order] | None]:
        """Yield what nobody else is working on; None while there is only what others have."""
        waiting = list(self.missing)
        told = False
        while waiting:
            left = []
            for key in waiting:
                if self.store.is_done(key):
                    self.display.cell_done(key)
                elif self.locks.take(key):
                    if self.store.is_done(key):  # finished between the two questions
                        self.locks.drop(key)
                        self.display.cell_done(key)
                        continue
                    self.store.begin_cell(self.missing[key])
                    yield key, Order(self.missing[key], self._checkpoint(key), self.interval)
                else:
                    left.append(key)
            if left:
                if not told and len(left) == len(waiting):
                    told = True
                    self.display.note(
                        f"process {self.locks.owner(left[0])} is working on {len(left)} of these "
                        "cells; waiting for it"
                    )
                yield None
            waiting = left

    def handle(self, event: executors.Event) -> None:
        """Store what a worker says, and show it."""
        if isinstance(event, executors.Told):
            self.display.note(event.text)
            return
        key = event.key
        cell = self.missing[key]
        if isinstance(event, executors.Started):
            self.display.cell_started(key, str(cell))
        elif isinstance(event, executors.Message):
            self._heard(key, event.payload)
        elif isinstance(event, executors.Done):
            self.store.finish_cell(key, event.result)
            self._tidy(key)
            self.display.cell_done(key)
        elif isinstance(event, executors.Failed):
            # In its cell a learner has no name of its own; the cell's is told beside the error.
            error = event.error.removeprefix(f"RuntimeError: learner {LEARNER!r} failed ")
            self.store.fail_cell(key, f"{error}\n{event.traceback}".strip())
            self.outcome.failures[key] = error
            self._tidy(key)
            self.display.cell_failed(key)
        else:
            self.display.note(f"{cell}: {event.reason}; trying again")

    def _heard(self, key: str, message: Any) -> None:
        if isinstance(message, Step):
            self.store.add_steps(key, [message])
            self.display.cell_at(key, message.stop)
        elif isinstance(message, Begun):
            self.store.add_steps(key, message.steps)
            done = message.steps[-1].stop if message.steps else 0
            self.display.cell_begun(key, message.n_rows, done)
        elif isinstance(message, Note):
            self.display.note(message.text)

    def _checkpoint(self, key: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{key}.npz"

    def _tidy(self, key: str) -> None:
        """Remove a checkpoint that nobody needs any more, and let go of the cell."""
        path = self._checkpoint(key)
        if path is not None:
            path.unlink(missing_ok=True)
        self.locks.drop(key)


def _executor(given: Executor | str, n_cells: int) -> Executor:
    if given == "auto":
        n_workers = min(os.cpu_count() or 1, n_cells)
        given = "serial" if n_workers == 1 else f"processes:{n_workers}"
    return make_executor(given) if isinstance(given, str) else given


def results(store: Store, cells: Sequence[Any], left_out: set[str]) -> dict[str, RepeatedResult]:
    """Put the results of cells together: for each stream, all seeds and learners that are whole."""
    by_stream: dict[str, dict[str, dict[int, str]]] = {}
    for cell in cells:
        by_stream.setdefault(cell.stream, {}).setdefault(cell.learner, {})[cell.seed] = cell.key
    found = {}
    for stream, learners in by_stream.items():
        whole = {name: keys for name, keys in learners.items() if not left_out & {*keys.values()}}
        if not whole:
            continue
        seeds = sorted(set.intersection(*({*keys} for keys in whole.values())))
        parts = [
            Result.joined({name: store.result(keys[seed]) for name, keys in whole.items()})
            for seed in seeds
        ]
        found[stream] = RepeatedResult(seeds, parts)
    return found
