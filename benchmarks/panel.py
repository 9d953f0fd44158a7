"""The panel: every learner, the trivial ones and those of other libraries on every stream.

    python benchmarks/panel.py                            the choosing part, both protocols
    python benchmarks/panel.py --protocol rows --stream electricity --seeds 1
    python benchmarks/panel.py --part final               once, when a version is done
    python benchmarks/panel.py --page docs/panel.rst      the page and its pictures

What is run is in `panel.toml`. Results go to a store (--store), cell by cell: the same command
again goes on where it was stopped. Learners of river and MOA take part where they are installed.
"""

import argparse
import importlib.util
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from panel_page import METRICS, sorted_by, write_page

from driftlearn.bench.workbench.cell import cells_of
from driftlearn.bench.workbench.grid import Grid
from driftlearn.bench.workbench.plan import plan_of
from driftlearn.bench.workbench.progress import make_display
from driftlearn.bench.workbench.store import Store
from driftlearn.specs.toml import read_toml

HERE = Path(__file__).parent
PARTS, PROTOCOLS = ("choosing", "final"), ("chunks", "rows")
PACKAGES = {"river": "river", "moa": "capymoa"}


def plan(part, protocol, asked):
    """Return the plan of a part by a protocol, cut to what is asked for."""
    panel, _ = read_toml(HERE / "panel.toml")
    streams = {**panel[part]["streams"], **panel["generated"]}
    learners = {**panel["baselines"], **panel["learners"], **installed(panel["others"])}
    options = {"chunk_size": panel["chunk_size"]}
    if protocol == "chunks":
        learners |= panel["chunk_learners"]
    else:
        options = {"chunk_size": 1, "every": panel["every"]}
    seeds = panel[part]["seeds"][: asked.seeds]
    return plan_of(
        some(streams, asked.stream), some(learners, asked.learner), seeds, "prequential", options,
        f"panel, {part}, {protocol}",
    )  # fmt: skip


def installed(others):
    """Return the learners of other libraries that are here."""
    found = {}
    for name, text in others.items():
        if importlib.util.find_spec(PACKAGES[name.partition(":")[0]]):
            found[name] = text
    return found


def some(named, wanted):
    for name in wanted or ():
        if name not in named:
            raise SystemExit(f"{name!r} is not in the panel; there are {', '.join(named)}")
    return {name: named[name] for name in wanted or named}


def cells(part, protocol, asked):
    """Return the cells of a part by a protocol; those of other libraries with one seed."""
    wanted = plan(part, protocol, asked)
    streams = {name: spec.make for name, spec in wanted.streams.items()}
    learners = {name: spec.make() for name, spec in wanted.learners.items()}
    found = cells_of(streams, learners, wanted.seeds, wanted.protocol, wanted.options)
    return [cell for cell in found if not is_other(cell.learner) or cell.seed == wanted.seeds[0]]


def is_other(learner):
    return learner.partition(":")[0] in PACKAGES


def run(part, protocol, asked, store):
    grid = Grid(store, asked.on, make_display(quiet=False, verbose=False))
    outcome = grid.run(cells(part, protocol, asked), f"panel, {part}, {protocol}")
    for text in outcome.failed():
        print(text, file=sys.stderr)


def figures(part, protocol, asked, store):
    """Return for each stream and learner the mean of every metric over the seeds that are done."""
    found = defaultdict(lambda: defaultdict(list))
    for cell in cells(part, protocol, asked):
        if store.is_done(cell.key):
            summary = store.result(cell.key).summary("learner")
            found[cell.stream][cell.learner].append([summary.get(m, np.nan) for m in METRICS])
    return {stream: {name: dict(zip(METRICS, np.mean(rows, axis=0))) for name, rows in each.items()}
            for stream, each in found.items()}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=PARTS, default="choosing")
    parser.add_argument("--protocol", choices=PROTOCOLS, action="append")
    parser.add_argument("--stream", action="append")
    parser.add_argument("--learner", action="append")
    parser.add_argument("--seeds", type=int, help="only the first so many")
    parser.add_argument("--on", default="auto", help="as in driftlearn run")
    parser.add_argument("--store", type=Path, default=Path("panel.sqlite"))
    parser.add_argument("--page", type=Path, help="write the page, run nothing")
    asked = parser.parse_args()
    with Store(asked.store) as store:
        if asked.page is not None:
            panel, _ = read_toml(HERE / "panel.toml")
            panel["learners"] |= panel["chunk_learners"]
            found = {each: figures(asked.part, each, asked, store) for each in PROTOCOLS}
            write_page(asked.page, asked.part, panel, found, asked.seeds)
            return
        for protocol in asked.protocol or PROTOCOLS:
            run(asked.part, protocol, asked, store)
            for stream, learners in figures(asked.part, protocol, asked, store).items():
                print(f"\n{stream}, {protocol}")
                print(sorted_by("accuracy", learners))


if __name__ == "__main__":
    main()
