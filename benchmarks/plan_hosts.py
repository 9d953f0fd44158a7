"""Capacity plan for keyed models: the number of hosts for given keys, rows per second and learner.

    python benchmarks/plan_hosts.py --keys 1000000 --rate 10000 --learner hoeffding
    python benchmarks/plan_hosts.py --keys 1000000 --rate 10000 --cores 16 --memory 64GB --save 60
    python benchmarks/plan_hosts.py --check                 # prediction and measurement, 1,000 and 10,000 keys
    python benchmarks/plan_hosts.py --check --long          # and 100,000
    python benchmarks/plan_hosts.py --page                  # write all of it to docs/planning.rst

The costs of a learner are measured first, in CPU seconds and bytes (`plan_costs.py`). A simulation
(`plan_simulation.py`) generates rows of keys, some of which are more frequent than others, and
counts calls, loads and saves of states within the available memory; a process is killed between two
saves and replaced by another one. The check runs ``driftlearn learn --key`` and simulates the same
run.
"""  # noqa: E501

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_keyed import write_rows
from comparison_page import card, machine_rows
from plan_costs import LEARNERS, PATIENCE, costs_of
from plan_simulation import Process, all_at_once, plan

from driftlearn.io import atomic_write
from driftlearn.ops.keyed.settings import parse_bytes

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent / "docs" / "planning.rst"
CASES = ((10_000, 1_000), (100_000, 1_000), (1_000_000, 10_000), (10_000_000, 100_000))
CHECKS = ((1_000, 100, "4GB"), (10_000, 20, "4GB"), (10_000, 20, "40MB"))
LONG = ((100_000, 20, "4GB"), (100_000, 20, "400MB"))
CHECKED = ("naive-bayes", "hoeffding")
COSTS = ("learner", "a call", "a row in it", "a row of the stream", "load", "save", "bytes stored",
         "on disk", "in memory")  # fmt: skip
PLANS = ("learner", "keys", "rows/s", "hosts", "cores", "us a row", "in memory", "GB memory",
         "GB disk", "recovery", "rows again")  # fmt: skip
CHECKED_IN = ("learner", "keys", "rows", "memory", "rows/s", "predicted", "MB peak", "predicted",
              "MB disk", "predicted")  # fmt: skip


def host_of(args):
    """Resources of a host, and limits on their use."""
    return {"cores": args.cores,
            "memory": parse_bytes(args.memory), "disk": parse_bytes(args.disk),
            "busy": args.busy, "every": args.every, "save": args.save,
            "down": args.down}  # fmt: skip


def cost_row(costs):
    """Row of the table of costs, in microseconds and bytes."""
    times = (costs.call, costs.row, costs.stream, costs.load, costs.save)
    sizes = (costs.stored, costs.disk, costs.held)
    return [costs.learner, *(f"{1e6 * each:,.1f} us" for each in times),
            *(f"{each:,.0f}" for each in sizes)]  # fmt: skip


def plan_row(costs, keys, rate, host, zipf):
    """Row of the table of plans."""
    found = plan(costs, keys, rate, host, zipf)
    recovery = "-" if found["recovery"] is None else f"{found['recovery']:,.0f} s"
    return [costs.learner, f"{keys:,}", f"{rate:,}", f"{found['hosts']:,}",
            f"{found['processes']:,}", f"{1e6 * found['row']:,.0f}", f"{found['hits']:.0%}",
            f"{found['memory'] / 1e9:,.1f}", f"{found['disk'] / 1e9:,.1f}", recovery,
            f"{found['replayed']:,}"]  # fmt: skip


def check_row(costs, keys, rows, memory):
    """Run a file with this number of keys here, and predict the run; return both results."""
    process = Process(costs, keys, memory=parse_bytes(memory), known=False, seed=1)
    seconds, batch = all_at_once(process, keys * rows)
    held = process.most_held * costs.held
    peak = costs.process + held + batch * costs.row_bytes
    with tempfile.TemporaryDirectory() as place:
        file, state = f"{place}/rows.parquet", f"{place}/state"
        write_rows(file, keys, rows, is_sorted=False)
        words = [sys.executable, str(FOLDER / "bench_keyed.py"), "--child", "--file", file,
                 "--state", state, "--learner", costs.learner, "--memory", memory]  # fmt: skip
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
        found = json.loads(done.stdout)
        disk = sum(path.stat().st_size for path in Path(state).iterdir())
    n = found["rows"]
    return [costs.learner, f"{keys:,}", f"{n:,}", memory, f"{n / found['cpu']:,.0f}",
            f"{n / seconds:,.0f}", f"{found['peak'] / 1e6:,.0f}", f"{peak / 1e6:,.0f}",
            f"{disk / 1e6:,.1f}", f"{found['keys'] * costs.disk / 1e6:,.1f}"]  # fmt: skip


def table(head, rows):
    """Format rows as text, with columns below their names."""
    lines = [[*head], *rows]
    wide = [max(len(line[k]) for line in lines) for k in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(wide[k]) if k == 0 else cell.rjust(wide[k]) for k, cell in enumerate(line)
        )
        for line in lines
    )


def checks(args):
    """Return the rows of the table of predictions and measurements."""
    given = [(int(keys), int(rows), memory) for keys, rows, memory in args.size or ()]
    sizes = given or [*CHECKS, *(LONG if args.long else ())]
    ages = {rows for _, rows, _ in sizes}
    for learner in args.learner or CHECKED:
        costs = {rows: costs_of(learner, rows, args.patience) for rows in sorted(ages)}
        for keys, rows, memory in sizes:
            yield check_row(costs[rows], keys, rows, memory)


def page(args, host):
    """Return the whole page."""
    costs = [costs_of(name, args.rows, args.patience) for name in args.learner or LEARNERS]
    cases = [(args.keys, args.rate)] if args.keys else CASES
    plans = [plan_row(each, *case, host, args.zipf) for case in cases for each in costs]
    done = [*checks(args)]
    typed = " ".join(["python benchmarks/plan_hosts.py", *sys.argv[1:]])

    def shown(head, rows):
        return "\n".join(f"    {line}" for line in table(head, rows).splitlines())

    machine = "\n".join(f"* {name}: {value}" for name, value in machine_rows(card())[1:])
    return TEXT.format(
        typed=typed, machine=machine, costs=shown(COSTS, map(cost_row, costs)), rows=args.rows,
        plans=shown(PLANS, plans), checks=shown(CHECKED_IN, done), zipf=args.zipf,
        cores=args.cores, memory=args.memory, disk=args.disk, busy=f"{args.busy:.0%}",
        every=f"{args.every:g}", save=f"{args.save:g}", down=f"{args.down:g}",
    )  # fmt: skip


TEXT = """\
.. This page was written by a command, which is named on it: change benchmarks/plan_hosts.py.

Plan the number of machines
===========================

How many machines do models per key (:doc:`keyed`) need? The number of rows per second decides, rarely the number of keys: states are small, and unused ones are on disk. This page is generated by

::

    {typed}

which measures the cost of learners, simulates keys on machines, and compares the simulation with real runs. For your own numbers of keys and rows::

    python benchmarks/plan_hosts.py --keys 1000000 --rate 10000 --learner hoeffding --cores 16 --memory 64GB

{machine}

Cost of learners
----------------

CPU time of the own model of a key that has learned {rows} rows of three numbers: *a call* with n rows costs the first number plus n times *a row in it*. *A row of the stream* is the cost of each row for reading,
the global model, shared models, and sorting by key. *Load* and *save* of a state use SQLite. Then the bytes of a state as stored, of a key on disk, and in memory.

::

{costs}

Plans
-----

A host has {cores} cores, {memory} of memory and {disk} of disk; cores may be {busy} busy. Every core is a process with its share of the keys. The k-th key has a share of the rows proportional to
1 / k\\ :sup:`{zipf:g}`. Rows wait {every} s for a batch, and everything is saved every {save} s. *us a row* is the total CPU time per row, including loads and saves; *in memory* is the share of keys in a batch whose states were in memory. A
process fails shortly before a save; {down} s later another one starts on the same disk. *Recovery* is the time from the failure until it has learned the rows since the last save again (*rows again*) and
those that arrived in between.

::

{plans}

Not included: the network, the engine that distributes rows, slow disks, and copying the disk of a failed machine. A key is never on two cores: if a single key has more rows than a core can learn, more machines do not help.

Predicted and measured
----------------------

The simulation of ``driftlearn learn --key`` on a file of rows in random order, in one process, compared with the run: rows per second of CPU time, peak memory, and bytes on disk. If *memory* is less than the states need, they
are loaded and saved continuously.

::

{checks}
"""  # noqa: E501


def main(words=None):
    """Plan, check or write the page, as requested."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keys", type=int, help="number of keys; by default several")
    parser.add_argument("--rate", type=int, default=1_000, help="rows per second of all keys")
    parser.add_argument(
        "--learner", action="append", help="learner, as on the command line; repeatable"
    )
    parser.add_argument("--rows", type=int, default=100, help="training rows of a key")
    parser.add_argument(
        "--zipf",
        type=float,
        default=1.0,
        help="skewness of the key frequencies; 0 for equal frequencies",
    )
    parser.add_argument("--cores", type=int, default=8, help="cores of a host")
    parser.add_argument("--memory", default="32GB", help="memory of a host")
    parser.add_argument("--disk", default="500GB", help="disk of a host")
    parser.add_argument(
        "--busy", type=float, default=0.6, help="maximum load of a core, as a share"
    )
    parser.add_argument(
        "--every", type=float, default=5.0, help="seconds that rows of a batch wait"
    )
    parser.add_argument("--save", type=float, default=60.0, help="seconds between saves")
    parser.add_argument(
        "--down", type=float, default=10.0, help="seconds until a dead process is noticed"
    )
    parser.add_argument(
        "--patience", type=float, default=PATIENCE, help="CPU seconds per measurement"
    )
    parser.add_argument(
        "--check", action="store_true", help="predict runs on this machine, and run them"
    )
    parser.add_argument("--long", action="store_true", help="also with 100,000 keys")
    parser.add_argument("--page", nargs="?", type=Path, const=PAGE, help="write the page")
    parser.add_argument("--size", action="append", nargs=3, metavar=("KEYS", "ROWS", "MEMORY"),
                        help="number of keys for a check; repeatable")  # fmt: skip
    args = parser.parse_args(words)
    host = host_of(args)
    if args.page:
        atomic_write(args.page, page(args, host).encode())
        print(args.page)
    elif args.check:
        print(table(CHECKED_IN, checks(args)))
    else:
        costs = [costs_of(name, args.rows, args.patience) for name in args.learner or LEARNERS]
        print(table(COSTS, map(cost_row, costs)), "\n")
        cases = [(args.keys, args.rate)] if args.keys else CASES
        print(table(PLANS, [plan_row(each, *case, host, args.zipf) for case in cases
                            for each in costs]))  # fmt: skip


if __name__ == "__main__":
    main()
