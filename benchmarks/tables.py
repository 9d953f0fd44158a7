"""Benchmark of tables: each table is predicted as a whole, then its labels arrive.

    python benchmarks/tables.py run                     sets that learners may be chosen by
    python benchmarks/tables.py run --set stops --learner AutoClassifier --delay 0
    python benchmarks/tables.py run --part final        once per release
    python benchmarks/tables.py sets                    what the sets contain
    python benchmarks/tables.py page                    write docs/tables.rst

Labels become known before the next table is predicted (delay 0), or one or five tables later.
`tables_sets.py` and `tables_learners.py` define what is run. Sets and learners whose package is not
installed are reported and omitted; ``make bench-tables`` installs them in the work folder. Each run
is a process with one thread, whose result is appended to ``results.jsonl`` there, with its
probabilities in a file beside it: repeating the command continues an interrupted benchmark.
"""

import argparse
import hashlib
import json
import os
import pickle
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError
from pathlib import Path

from tables_learners import LEARNERS, version_of
from tables_sets import PARTS, MissingData, overview

from driftlearn.io import atomic_write
from driftlearn.utils.table import Table

HERE = Path(__file__).parent
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
DELAYS = 0, 1, 5
KEY = "set", "data", "learner", "delay", "version"  # fields that identify a result
RECIPES = hashlib.sha256((HERE / "tables_sets.py").read_bytes()).hexdigest()[:8]


def file_of(name, recipe, work):
    """Return the file of a set, which is made once."""
    path = work / "sets" / f"{name}-{RECIPES}.pickle"
    if not path.exists():
        made = recipe()
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, pickle.dumps(made))
    return path


def found_sets(recipes, work):
    """Return the files of the sets whose data is there; report the others."""
    found = {}
    for name, recipe in recipes.items():
        try:
            found[name] = file_of(name, recipe, work)
        except MissingData as problem:
            print(f"{name} is left out: {problem}", flush=True)
    return found


def digest_of(file):
    """Return a digest of the labels and columns of a set; results for other data do not count."""
    made, digest = read_set(file), hashlib.sha256()
    for frame, y in made.tables:
        digest.update(repr((y.tolist(), [*frame])).encode())
    return digest.hexdigest()[:8]


def read_set(file):
    return pickle.loads(file.read_bytes())


def found_versions(names):
    """Return the versions of the learners that are installed; report the others."""
    found = {}
    for name in names:
        try:
            found[name] = version_of(name)
        except PackageNotFoundError as problem:
            print(f"{name} is left out: the package {problem.name} is not installed", flush=True)
    return found


def jobs(args, sets, versions):
    """Yield the runs; the most important ones are first."""
    digests = {name: digest_of(file) for name, file in sets.items()}
    for delay in args.delay or DELAYS:
        for learner, text in versions.items():
            for name in sets:
                yield dict(zip(KEY, (name, digests[name], learner, delay, text)))


def probabilities_of(job, work):
    """Return the file with the probabilities of a run."""
    digest = hashlib.sha256(json.dumps([job[name] for name in KEY]).encode()).hexdigest()[:16]
    return work / "probabilities" / f"{job['set']}-{digest}.npz"


def measure(job, file, args):
    """Run a job in a separate process; return its result or error."""
    given = {
        "set": str(file), "learner": job["learner"], "delay": job["delay"],
        "out": str(probabilities_of(job, args.work)), "path": [args.packages],
    }  # fmt: skip
    script = str(HERE / "tables_worker.py")
    words = [sys.executable, "-W", "ignore", script, json.dumps(given)]
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=60 * args.minutes,
            env={**os.environ, **ONE_THREAD},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"problem": f"not done after {args.minutes:g} minutes"}
    if done.returncode:
        return {"problem": (done.stderr.strip().splitlines() or ["no message"])[-1][:300]}
    return json.loads(done.stdout.splitlines()[-1])


def read_lines(path):
    """Return the newest result of each run; incomplete lines are skipped."""
    found = {}
    for text in path.read_text("utf-8").splitlines() if path.exists() else ():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        key = tuple(line[name] for name in KEY)
        found.pop(key, None)  # the newest is last
        found[key] = line
    return found


def summary_of(line):
    if "problem" in line:
        return line["problem"]
    found = line["scores"]
    return (
        f"log loss {found['log_loss']:.4f}, AUC {found['auc']:.4f}, "
        f"{line['seconds']:.1f} s, {line['memory']:.0f} MB"
    )


def time_left(seconds, n_left):
    """Return the time that the other runs will take if they are as long as these."""
    minutes = round(sum(seconds) / len(seconds) * n_left / 60)
    return f"about {minutes // 60} h {minutes % 60} min left"


def run(args):
    """Run what is not in the file of results yet."""
    path = args.work / "results.jsonl"
    (args.work / "probabilities").mkdir(parents=True, exist_ok=True)
    sets = found_sets(some(PARTS[args.part], args.set, "set"), args.work)
    versions = found_versions(some(LEARNERS, args.learner, "learner"))
    known = {} if args.again else read_lines(path)
    wanted = [job for job in jobs(args, sets, versions) if tuple(job.values()) not in known]
    seconds = []
    for k, job in enumerate(wanted, start=1):
        begun = time.perf_counter()
        line = {**job, "part": args.part, **measure(job, sets[job["set"]], args)}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        seconds.append(time.perf_counter() - begun)
        where = f"[{k}/{len(wanted)}] {job['set']}, delay {job['delay']}, {job['learner']}"
        left = time_left(seconds, len(wanted) - k)
        print(f"{where}: {summary_of(line)}; {left}", flush=True)


def some(named, wanted, word):
    for name in wanted or ():
        if name not in named:
            sys.exit(f"{name!r} is not a {word} of the benchmark. Expected one of: "
                     f"{', '.join(named)}")  # fmt: skip
    return {name: named[name] for name in wanted or named}


def print_sets(args):
    for part, recipes in PARTS.items():
        found = found_sets(recipes, args.work)
        rows = [overview(name, read_set(file)) for name, file in found.items()]
        if rows:
            print(f"\n{part}\n")
            print(Table({name: [row[name] for row in rows] for name in rows[0]}).text())


def page(args):
    from tables_page import write_page

    lines = read_lines(args.work / "results.jsonl").values()
    for line in lines:
        line["probabilities"] = probabilities_of(line, args.work)
    write_page(args.out, lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="run what is missing")
    runs.add_argument("--part", choices=PARTS, default="choosing")
    runs.add_argument("--set", action="append")
    runs.add_argument("--learner", action="append")
    runs.add_argument("--delay", action="append", type=int, choices=DELAYS)
    runs.add_argument("--minutes", type=float, default=60.0, help="time limit of a run")
    runs.add_argument("--again", action="store_true", help="repeat stored results")
    shown = commands.add_parser("sets", help="print what the sets contain")
    pages = commands.add_parser("page", help="write the page, without running anything")
    pages.add_argument("--out", type=Path, default=Path("docs/tables.rst"))
    for command in (runs, shown, pages):
        command.add_argument(
            "--work", type=Path, default=Path(".bench/tables"), help="folder of the results"
        )
    args = parser.parse_args()
    args.packages = str((args.work / "packages").absolute())
    sys.path.append(args.packages)
    try:
        {"run": run, "sets": print_sets, "page": page}[args.command](args)
    except KeyboardInterrupt:
        sys.exit("\nstopped; the same command continues from here")


if __name__ == "__main__":
    main()
