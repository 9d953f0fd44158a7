"""Overhead of executors per cell, and cells per minute.

    python benchmarks/bench_executors.py [tcp://host:8786 ...]

For the executors on this machine and for the given clusters: seconds until each worker has finished
its first cell (start, imports), milliseconds of an empty task, and cells per minute (DTEL on 20,000
rows of SEA, 80 records per cell). The fastest of five rounds counts; executors run in turn.
"""

import operator
import sys
import time
from contextlib import ExitStack

from _timing import best_in_turn

from driftlearn import DTELClassifier
from driftlearn.bench.workbench.cell import Cell, Order, work
from driftlearn.bench.workbench.executors import Done, Started, make_executor
from driftlearn.streams import SEA
from driftlearn.utils.table import Table

NAMES = ("serial", "processes:1", "processes:2", "local:1", "local:2")
EMPTY = 300
CELLS = 3


def cells(number):
    """Return this many cells, which differ in their seeds."""
    for seed in range(number):
        stream = SEA(n_rows=20_000, random_state=seed)
        cell = Cell.of("sea", stream, "dtel", DTELClassifier(), seed, options={"chunk_size": 250})
        yield str(seed), Order(cell)


def run(executor, function, tasks):
    """Run tasks; raise an error if one fails."""
    started, done = set(), set()

    def handle(event):
        if isinstance(event, Started):
            started.add(event.key)
        elif isinstance(event, Done):
            done.add(event.key)

    executor.run(function, tasks, handle)
    assert done == started


def main():
    rows = []
    with ExitStack() as stack:
        executors, starts = {}, {}
        for name in (*NAMES, *sys.argv[1:]):
            begin = time.perf_counter()
            executor = executors[name] = stack.enter_context(make_executor(name))
            run(executor, work, cells(executor.workers))
            starts[name] = time.perf_counter() - begin
        empty = best_in_turn(
            {
                name: lambda executor=executor: run(
                    executor, operator.is_, ((str(i), i) for i in range(EMPTY))
                )
                for name, executor in executors.items()
            },
            rounds=5,
        )
        full = best_in_turn(
            {
                name: lambda executor=executor: run(
                    executor, work, cells(CELLS * max(1, executor.workers))
                )
                for name, executor in executors.items()
            },
            rounds=5,
        )
        for name, executor in executors.items():
            number = CELLS * max(1, executor.workers)
            rows.append(
                (
                    name,
                    executor.workers,
                    round(starts[name], 1),
                    round(1e3 * empty[name] / EMPTY, 2),
                    round(60 * number / full[name]),
                )
            )
    names = ("executor", "workers", "start s", "ms an empty task", "cells a minute")
    print(Table(dict(zip(names, zip(*rows)))))


if __name__ == "__main__":
    main()
