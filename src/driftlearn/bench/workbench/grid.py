"""Grid runner: runs missing cells and resumes interrupted cells."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from driftlearn import io as persist
from driftlearn.bench.workbench import executors
from driftlearn.bench.workbench.cell import CHECKPOINT_SECONDS, Begun, Cell, Order, work
from driftlearn.bench.workbench.machine import machine_card
from driftlearn.bench.workbench.progress import Display
from driftlearn.bench.workbench.store import Store, run_lock
from driftlearn.bench.workbench.store_rows import LEARNER
from driftlearn.evaluate import RepeatedResult, Result, Step
from driftlearn.utils.locks import Locks


@dataclass
class GridResult:
    """Result of a grid run.

    Attributes
    ----------
    run : int
        Number of the run in the store.
    cells : list of Cell
        All cells of the run.
    store : Store
        The store with the results.
    failures : dict of str to str
        The errors of the cells that failed, by key.
    """

    run: int
    cells: list[Cell]
    store: Store
    failures: dict[str, str] = field(default_factory=dict)

    def failed(self) -> list[str]:
        """Return one line per failed cell."""
        names = {cell.key: str(cell) for cell in self.cells}
        return [f"failed: {names[key]}: {error}" for key, error in self.failures.items()]

    def results(self) -> dict[str, RepeatedResult]:
        """Return the results of each stream, without learners with a failed cell."""
        return results(self.store, self.cells, set(self.failures))


class Grid:
    """Runs cells and stores their results.

    Parameters
    ----------
    store : Store, optional
        Store of the results, by default in memory. Cells that are finished in the store are not run
        again.
    executor : Executor or str
        Executor of the cells, as an argument of `make_executor`; "auto" uses one process per core
        if there are several cells to run.
    display : Display, optional
        Progress display.
    fresh : bool
        Whether to run finished cells again.
    checkpoint_seconds : float
        Seconds between two checkpoints of a running cell.

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
        executor: executors.Executor | str = "serial",
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
        """Run the cells that are not in the store.

        Errors of cells are listed in `failures` of the result and do not affect other cells. After
        an interrupt, the same call continues the run.
        """
        cells = list(cells)
        if not cells:
            raise ValueError("'cells' must contain at least one cell. Got an empty sequence.")
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
            self.store.remove_cells(wanted)
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
        """Remove partial files, locks and old checkpoints of killed processes."""
        if locks.folder is None:
            return
        persist.sweep(locks.folder)
        for key in {path.stem for path in locks.folder.glob("[!.]*.*")}:
            if locks.take(key):
                if not key.startswith(run_lock("")) and self.store.is_done(key):
                    (locks.folder / f"{key}.npz").unlink(missing_ok=True)
                locks.drop(key)


@dataclass
class _GridRun:
    """One run of a grid: passes cells to an executor, stores and displays their events."""

    grid: Grid
    executor: executors.Executor
    locks: Locks
    missing: dict[str, Cell]
    outcome: GridResult

    def __post_init__(self) -> None:
        self.store, self.display = self.grid.store, self.grid.display

    def orders(self) -> Iterator[tuple[str, Order] | None]:
        """Yield cells that no other process runs; None while all remaining cells are taken."""
        waiting = list(self.missing)
        reported = False
        while waiting:
            left = []
            for key in waiting:
                if self.store.is_done(key):
                    self.display.cell_done(key)
                elif self.locks.take(key):
                    if self.store.is_done(key):  # another process has finished it in the meantime
                        self.locks.drop(key)
                        self.display.cell_done(key)
                        continue
                    cell = self.missing[key]
                    self.store.begin_cell(cell)
                    checkpoint = self._checkpoint(key)
                    yield key, Order(cell, checkpoint, self.grid.checkpoint_seconds)
                else:
                    left.append(key)
            if left:
                if not reported and len(left) == len(waiting):
                    reported = True
                    self.display.note(
                        f"process {self.locks.owner(left[0])} is working on {len(left)} of these "
                        "cells; waiting for it"
                    )
                yield None
            waiting = left

    def handle(self, event: executors.Event) -> None:
        """Store and display an event."""
        if isinstance(event, executors.Notice):
            self.display.note(event.text)
            return
        key = event.key
        cell = self.missing[key]
        if isinstance(event, executors.Started):
            self.display.cell_started(key, str(cell))
        elif isinstance(event, executors.Message):
            self._receive(key, event.payload)
        elif isinstance(event, executors.Done):
            self.store.finish_cell(key, event.result)
            self._tidy(key)
            self.display.cell_done(key)
        elif isinstance(event, executors.Failed):
            # Learners have the same name in every cell, so the label of the cell is shown instead.
            error = event.error.removeprefix(f"RuntimeError: learner {LEARNER!r} failed ")
            self.store.fail_cell(key, f"{error}\n{event.traceback}".strip())
            self.outcome.failures[key] = error
            self._tidy(key)
            self.display.cell_failed(key)
        else:
            self.display.note(f"{cell}: {event.reason}; trying again")

    def _receive(self, key: str, message: Any) -> None:
        if isinstance(message, Step):
            self.store.add_steps(key, [message])
            self.display.cell_at(key, message.stop)
        elif isinstance(message, Begun):
            self.store.add_steps(key, message.steps)
            done = message.steps[-1].stop if message.steps else 0
            self.display.cell_begun(key, message.n_rows, done)
        else:
            self.display.note(message)

    def _checkpoint(self, key: str) -> Path | None:
        folder = self.locks.folder if self.executor.shares_files else None
        return None if folder is None else folder / f"{key}.npz"

    def _tidy(self, key: str) -> None:
        """Remove the checkpoint and the lock of a cell that has ended."""
        path = self._checkpoint(key)
        if path is not None:
            path.unlink(missing_ok=True)
        self.locks.drop(key)


def _executor(given: executors.Executor | str, n_cells: int) -> executors.Executor:
    if given == "auto":
        n_workers = min(os.cpu_count() or 1, n_cells)
        given = "serial" if n_workers == 1 else f"processes:{n_workers}"
    return executors.make_executor(given) if isinstance(given, str) else given


def results(store: Store, cells: Sequence[Any], left_out: set[str]) -> dict[str, RepeatedResult]:
    """Return the results of cells by stream, without learners that lack a cell."""
    by_stream: dict[str, dict[str, dict[int, str]]] = {}
    for cell in cells:
        by_stream.setdefault(cell.stream, {}).setdefault(cell.learner, {})[cell.seed] = cell.key
    found = {}
    for stream, learners in by_stream.items():
        complete = {name: by for name, by in learners.items() if not left_out & {*by.values()}}
        if not complete:
            continue
        seeds = sorted(set.intersection(*({*keys} for keys in complete.values())))
        parts = [
            Result.joined({name: store.result(keys[seed]) for name, keys in complete.items()})
            for seed in seeds
        ]
        found[stream] = RepeatedResult(seeds, parts)
    return found
