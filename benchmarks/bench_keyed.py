"""Keyed models: throughput, memory, bytes per key, and time to reopen, by rows and keys.

    python benchmarks/bench_keyed.py --keys 100000 --rows 100
    python benchmarks/bench_keyed.py --keys 100000 --rows 10 --memory 150MB --learner hoeffding
    python benchmarks/bench_keyed.py --keys 100000 --rows 100 --on bytewax:2 --kill 60
    python benchmarks/bench_keyed.py --sizes

Rows are read from a Parquet file, either interleaved (keys in random order) or sorted by key. The
run is that of ``driftlearn learn --key`` in a separate process; times are CPU seconds. With
``--kill`` another run is killed after this time, and the seconds until it continues are printed.

With ``--on`` the command runs on the given engine. CPU seconds and memory then include all of its
processes, and ``--kill`` kills all of them at once.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil
from comparison_worker import peak

from driftlearn.ops.checkpoint.saved_model import STORE
from driftlearn.ops.keyed import KeyedLearner, KeyStore
from driftlearn.ops.keyed.local_run import LocalRun
from driftlearn.ops.keyed.settings import ENGINES, Request, parse_bytes
from driftlearn.specs.catalogue import LEARNERS

FEATURES = ("a", "b", "c")
CHUNK = 50  # rows per chunk, for chunk learners
LOOK = 0.1  # seconds between two measurements of processes


def drawn(keys, n, seed=0):
    """Return rows with keys; the concept of half of the keys is inverted."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(len(FEATURES), n))
    yes = x[0] + np.where(keys % 2, 1, -1) * x[1] > 0.2 * rng.normal(size=n)
    return dict(zip(FEATURES, x)), np.where(yes, "yes", "no")


def write_rows(path, n_keys, n_rows, is_sorted):
    """Write the rows of all keys to a Parquet file, in row groups of 200,000."""
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(1)
    writer = None
    total = n_keys * n_rows
    for k, begin in enumerate(range(0, total, 200_000)):
        n = min(200_000, total - begin)
        keys = (np.arange(begin, begin + n) // n_rows if is_sorted
                else rng.integers(n_keys, size=n))  # fmt: skip
        table, labels = drawn(keys, n, seed=k)
        rows = pa.table({"device": [f"d{key}" for key in keys.tolist()], **table, "label": labels})
        writer = writer or parquet.ParquetWriter(path, rows.schema)
        writer.write_table(rows)
    writer.close()


def work(args):
    """Train on the file; print time and memory."""
    given = {"target": "label", "key": "device", "learner": args.learner}
    request = Request(Path(args.state), [args.file], given, memory=parse_bytes(args.memory))
    run = LocalRun(request, batch=args.batch)
    begun = time.process_time(), time.perf_counter()
    wait = os.environ.get("OPENED")
    if wait:
        plain = run._learn

        def opened(pieces):
            if not Path(wait).exists():
                Path(wait).write_text(str(time.process_time() - begun[0]))
            plain(pieces)

        run._learn = opened
    models = run.run()
    print(json.dumps({
        "cpu": time.process_time() - begun[0], "wall": time.perf_counter() - begun[1],
        "peak": peak() * 2**20,
        "rows": models.counts["learned"], "keys": len(models), "estimate": models.mean,
        "right": models.counts["right"] / max(models.counts["tested"], 1),
    }))  # fmt: skip


def measure(args):
    with tempfile.TemporaryDirectory() as place:
        file, state = f"{place}/rows.parquet", f"{place}/state"
        write_rows(file, args.keys, args.rows, args.sorted)
        words = [sys.executable, __file__, "--child", "--file", file, "--state", state,
                 "--learner", args.learner, "--memory", args.memory,
                 "--batch", str(args.batch)]  # fmt: skip
        if args.kill:
            process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
            time.sleep(args.kill)
            process.send_signal(signal.SIGKILL)
            process.wait()
        environment = {**os.environ, "OPENED": f"{place}/opened"} if args.kill else None
        done = subprocess.run(words, capture_output=True, text=True, check=True, env=environment)
        found = json.loads(done.stdout)
        store = KeyStore(Path(state, STORE), read_only=True)
        sizes = [each.size for each in store.keys("key")]
        disk = sum(path.stat().st_size for path in Path(state).iterdir())
        print(
            f"{args.learner}, {args.keys:,} keys x {args.rows} rows, "
            f"{'sorted' if args.sorted else 'interleaved'}, memory {args.memory}"
        )
        n = found["rows"]
        print(
            f"  {n / found['cpu']:,.0f} rows/s of CPU time ({found['cpu']:,.1f} s; "
            f"wall {found['wall']:,.1f} s), right {found['right']:.3f}"
        )
        print(
            f"  peak memory {found['peak'] / 2**20:,.0f} MB, estimated {found['estimate']:,.0f} "
            "bytes a state in memory"
        )
        print(f"  {np.mean(sizes):,.0f} bytes a state, {disk / len(sizes):,.0f} a key on disk")
        if args.kill:
            print(f"  {float(Path(place, 'opened').read_text()):.2f} CPU s to go on after a kill")


class Tree:
    """The command in separate processes, with their total memory and CPU seconds so far.

    CPU seconds are those of the last measurement of each process, since processes that a JVM starts
    cannot be waited for.
    """

    def __init__(self, words):
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(words, start_new_session=True)
        self.peak, self.most = 0, 0
        self._used = {}
        self._watch = threading.Thread(target=self._measure, daemon=True)
        self._watch.start()

    def _measure(self):
        while self.process.poll() is None:
            sizes = self.args(lambda each: each.memory_info().rss)
            self.peak, self.most = max(self.peak, sum(sizes)), max(self.most, len(sizes))
            self._used.update(self.args(lambda each: (each.pid, sum(each.cpu_times()[:2]))))
            time.sleep(LOOK)

    def args(self, what):
        """Measure all running processes; processes that end meanwhile are skipped."""
        found = []
        try:
            first = psutil.Process(self.process.pid)
            everyone = [first, *first.children(recursive=True)]
        except psutil.Error:
            return found
        for each in everyone:
            try:
                found.append(what(each))
            except psutil.Error:
                continue
        return found

    def cpu(self):
        """Return the CPU seconds of all processes so far."""
        return sum(self._used.values())

    def kill(self):
        """Kill all processes at once."""
        found = self.args(lambda each: (each.kill(), each)[1])
        self.process.wait()
        psutil.wait_procs(found)

    def wait(self):
        if self.process.wait():
            sys.exit("the command failed")
        self._watch.join()


def progress(state, on):
    """Return a value that changes whenever more rows have been learned."""
    engine, *_ = ENGINES.get(on.partition(":")[0], ("",))
    here = Path(state, engine)
    if engine == "bytewax":
        from driftlearn.ops.keyed.bytewax_run import _n_learned

        return _n_learned(here)
    if not engine:
        return None if not (here / STORE).exists() else (here / STORE).stat().st_mtime_ns
    return sorted(str(path) for path in here.rglob("*"))


def measure_on(args):
    """Run the command on an engine; print time and memory."""
    with tempfile.TemporaryDirectory() as place:
        file, state = f"{place}/rows.parquet", f"{place}/state"
        write_rows(file, args.keys, args.rows, args.sorted)
        words = [sys.executable, "-m", "driftlearn", "learn", file, "--target=label",
                 "--key=device", f"--learner={args.learner}", f"--memory={args.memory}",
                 f"--on={args.on}", "--quiet"]  # fmt: skip
        tree = Tree([*words, f"--state={state}"])
        tree.wait()
        wall, cpu = time.perf_counter() - tree.begun, tree.cpu()
        store = KeyStore(Path(state, STORE), read_only=True)
        sizes = [each.size for each in store.keys("key")]
        disk = sum(path.stat().st_size for path in Path(state).rglob("*") if path.is_file())
        counts = json.loads(store.about("stream"))["counts"]
        print(
            f"{args.learner}, {args.keys:,} keys x {args.rows} rows, "
            f"{'sorted' if args.sorted else 'interleaved'}, memory {args.memory}, on {args.on}"
        )
        n = counts["learned"]
        print(
            f"  {n / cpu:,.0f} rows/s of CPU time ({cpu:,.1f} s of all processes), "
            f"{n / wall:,.0f} rows/s by the clock ({wall:,.1f} s), "
            f"right {counts['right'] / max(counts['tested'], 1):.3f}"
        )
        print(f"  peak memory {tree.peak / 2**20:,.0f} MB in {tree.most} processes")
        print(
            f"  {np.mean(sizes):,.0f} bytes a state, {disk / len(sizes):,.0f} a key on disk",
            flush=True,
        )
        if args.kill:
            print_recovery([*words, f"--state={place}/killed"], f"{place}/killed", args)


def print_recovery(words, state, args):
    """Kill another run; print the seconds until it has learned more rows after a restart."""
    tree = Tree(words)
    time.sleep(args.kill)
    if tree.process.poll() is not None:
        print(f"  it was done before {args.kill:g} s had passed: kill it sooner")
        return
    tree.kill()
    known = progress(state, args.on)
    tree = Tree(words)
    while tree.process.poll() is None and progress(state, args.on) == known:
        time.sleep(LOOK)
    took, cpu = time.perf_counter() - tree.begun, tree.cpu()
    tree.kill()
    print(f"  {took:.1f} s ({cpu:.1f} s of CPU time) after a kill until more was learned")


def print_sizes():
    """Print the bytes per key of each learner, after several numbers of rows."""
    print(f"{'learner':28}{'new':>8}{'100 rows':>10}{'1,000 rows':>12}")
    kinds = dict.fromkeys(FEATURES, "number")
    for name in LEARNERS:
        try:
            learner = KeyedLearner(name, kinds=kinds)
        except ValueError as problem:
            if "chunks of rows" not in str(problem):
                continue
            learner = KeyedLearner(name, kinds=kinds, chunk=CHUNK)
        state = learner.new_state()
        sizes = [len(learner.dumps(state))]
        table, labels = drawn(np.zeros(1_000, dtype=int), 1_000)
        for begin, end in ((0, 100), (100, 1_000)):
            part = {column: values[begin:end] for column, values in table.items()}
            learner.learn(state, part, labels[begin:end].tolist())
            sizes.append(len(learner.dumps(state)))
        print(f"{name:28}{sizes[0]:8,}{sizes[1]:10,}{sizes[2]:12,}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keys", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=100, help="mean number of rows per key")
    parser.add_argument("--sorted", action="store_true")
    parser.add_argument("--learner", default="naive-bayes")
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--batch", type=int, default=200_000)
    parser.add_argument("--kill", type=float, help="kill another run after this many seconds")
    parser.add_argument("--on", help="engine, as for the command: bytewax:2")
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    parser.add_argument("--state", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        work(args)
    elif args.sizes:
        print_sizes()
    elif args.on:
        measure_on(args)
    else:
        measure(args)
