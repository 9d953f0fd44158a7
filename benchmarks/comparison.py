"""Comparison with other libraries: shared algorithms on the same rows, one process at a time.

    python benchmarks/comparison.py                            run all missing jobs
    python benchmarks/comparison.py --stream electricity --learner "naive Bayes" --rounds 1
    python benchmarks/comparison.py --page docs/speed.rst      write the page, its figure and JSON
    make bench BEFORE=f0f2690                                  also run that commit of ours

`comparison_table.py` defines what is run. Each library has its own Python environment in the work
folder (created by ``make bench``); missing libraries are reported and omitted. Streams are
generated or read once and stored there as .npz and .arff. Each run is a process, whose result is
appended to ``field.jsonl``: repeating the command continues an interrupted comparison. A run of a
slow library ends after --seconds, at the end of a chunk; the page reports the number of rows and
compares the accuracy with ours on these rows.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import numpy as np
from comparison_table import (
    BEFORE,
    BY_CHUNKS,
    CHUNK,
    LEARNERS,
    ONCE,
    ONE_TABLE,
    OURS,
    STREAMS,
    TABLES,
    WAYS,
)  # fmt: skip

import driftlearn.streams
from driftlearn.bench.workbench._code_digest import code_digest
from driftlearn.io import atomic_write
from driftlearn.utils.version import __version__

HERE = Path(__file__).parent
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
# fields that identify a measurement
KEY = "stream", "asked", "learner", "library", "way", "text", "version", "round"
MODULES = {"scikit-learn": "sklearn", "stream-learn": "strlearn"}
VERSION_COMMANDS = {
    BEFORE: "from driftlearn.bench.workbench._code_digest import code_digest; print(code_digest())"
}
MINUTES = 30  # time limit of a process, in minutes


def libraries(work):
    """Return the Python and the version of each installed library; report missing libraries."""
    found = {OURS: (sys.executable, f"{__version__} ({code_digest()})")}
    for name in WAYS:
        if name == OURS:
            continue
        places = work / name / "bin" / "python", work / name / "Scripts" / "python.exe"
        python = next((str(place.absolute()) for place in places if place.exists()), None)
        if python is None:
            if name != BEFORE:
                print(f"{name} is left out: it is not installed in {work / name}")
        elif name == "capymoa" and shutil.which("java") is None:
            print(f"{name} is left out: there is no Java")
        else:
            words = [python, "-W", "ignore", "-c", VERSION_COMMANDS.get(name, version_of(name))]
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode:
                print(f"{name} is left out: {last_line(done.stderr)}")
            else:
                found[name] = python, last_line(done.stdout)
    return found


def version_of(name):
    """Return a program that imports a library and prints its version."""
    ask = f"import {MODULES.get(name, name)}; from importlib.metadata import version"
    return f"{ask}; print(version({name!r}))"


def last_line(text):
    return (text.strip().splitlines() or ["it says nothing"])[-1][:300]


def rows_of(stream, n_rows, folder):
    """Return the number of rows of a stream and its files, which are created once."""
    if stream in TABLES:
        n_rows, source = TABLES[stream]
    else:
        source = stream
    stem = folder / f"{''.join(c if c.isalnum() else '-' for c in source)}-{n_rows}"
    npz, arff = stem.with_suffix(".npz"), stem.with_suffix(".arff")
    if not arff.exists():
        drawn = eval(STREAMS[source], vars(driftlearn.streams))
        X, y = drawn.take(min(n_rows, drawn.n_rows))
        labels, y = np.unique(y, return_inverse=True)
        folder.mkdir(parents=True, exist_ok=True)
        content = BytesIO()
        np.savez(content, X=np.ascontiguousarray(X, dtype=float), y=y)
        atomic_write(npz, content.getvalue())
        atomic_write(arff, as_arff(X, y, len(labels)).encode())
    with np.load(npz) as file:
        return len(file["y"]), str(npz.absolute()), str(arff.absolute())


def as_arff(X, y, n_classes):
    lines = ["@relation rows", *(f"@attribute x{j} numeric" for j in range(X.shape[1]))]
    lines += [f"@attribute y {{{','.join(map(str, range(n_classes)))}}}", "@data"]
    rows = zip(X.astype(float).tolist(), y.tolist())
    return "\n".join([*lines, *(",".join([*map(repr, row), str(code)]) for row, code in rows), ""])


def ways_of(library, learner, stream):
    """Return the modes in which a library runs a learner on a stream or a table."""
    over_tables = {"fit", "kernel"}
    for way in WAYS[library]:
        if (way in over_tables) != (stream in TABLES):
            continue
        if way in over_tables and learner not in ONE_TABLE:
            continue
        in_chunks = learner in ONE_TABLE or learner.startswith(BY_CHUNKS)
        if library in (OURS, BEFORE) and in_chunks and way in ("rows", "calls"):
            continue
        yield way


def jobs(args, here):
    """Yield the measurements; those of one learner on one stream are consecutive."""
    for number in range(1, args.rounds + 1):
        for stream in args.stream or [*STREAMS, *TABLES]:
            for learner in args.learner or LEARNERS:
                for library, text in LEARNERS[learner].items():
                    if library not in here or (args.library and library not in args.library):
                        continue
                    for way in ways_of(library, learner, stream):
                        if number > 1 and (library, way) in ONCE:
                            continue
                        words = stream, args.rows, learner, library, way, text, here[library][1]
                        yield dict(zip(KEY, (*words, number)))


def measure(job, python, files, limit):
    """Run a job in a separate process; return its result or error."""
    n_rows, npz, arff = files
    given = {
        "text": job["text"], "way": job["way"], "rows": npz, "arff": arff, "n_rows": n_rows,
        "chunk": CHUNK, "every": CHUNK, "limit": limit, "one_table": job["learner"] in ONE_TABLE,
        "seed": job["round"] - 1,
    }  # fmt: skip
    worker = OURS if job["library"] == BEFORE else job["library"]
    script = HERE / f"comparison_{worker.replace('-', '_')}.py"
    words = [python, "-W", "ignore", str(script), json.dumps(given)]
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=60 * MINUTES,
            env={**os.environ, **ONE_THREAD},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"problem": f"not done after {MINUTES} minutes"}
    if done.returncode:
        return {"problem": last_line(done.stderr)}
    return json.loads(done.stdout.splitlines()[-1])


def read_lines(path):
    """Return the newest result of each measurement; incomplete lines are skipped."""
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
    rate = line["n_rows"] / line["seconds"]["own"]
    return f"{rate:,.0f} rows/s, accuracy {line['right'][-1] / max(line['tested'], 1):.4f}"


def run(args, here, path):
    """Run the measurements that are not in the file yet."""
    known = {} if args.again else read_lines(path)
    wanted = [job for job in jobs(args, here) if tuple(job.values()) not in known]
    missing = {}
    for k, job in enumerate(wanted, start=1):
        stream = job["stream"]
        if stream in missing:
            continue
        try:
            files = rows_of(stream, args.rows, args.work / "streams")
        except OSError as problem:
            missing[stream] = print(f"{stream} is left out: {problem}")
            continue
        limit = min(args.seconds, 2.0) if stream in TABLES else args.seconds
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
        line = {**job, "load": load, **measure(job, here[job["library"]][0], files, limit)}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        where = f"[{k}/{len(wanted)}] round {job['round']}, {stream}, {job['learner']}"
        print(f"{where}, {job['library']} {job['way']}: {summary_of(line)}", flush=True)


def check_names(args):
    for word, known in (("stream", [*STREAMS, *TABLES]), ("learner", LEARNERS), ("library", WAYS)):
        for name in getattr(args, word) or ():
            if name not in known:
                sys.exit(
                    f"{name!r} is not a {word} of the comparison: use one of {', '.join(known)}"
                )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--work", type=Path, default=Path(".bench"), help="folder of libraries and results"
    )
    parser.add_argument(
        "--rows", type=int, default=50_000, help="maximum number of rows of a stream"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="time limit of a run of a slow library"
    )
    parser.add_argument("--stream", action="append")
    parser.add_argument("--learner", action="append")
    parser.add_argument("--library", action="append")
    parser.add_argument("--again", action="store_true", help="repeat stored measurements")
    parser.add_argument("--page", type=Path, help="write the page without running anything")
    args = parser.parse_args()
    check_names(args)
    path = args.work / "field.jsonl"
    if args.page is not None:
        from comparison_page import write_page

        write_page(args.page, read_lines(path).values(), args.work / "limits.jsonl")
        return
    args.work.mkdir(parents=True, exist_ok=True)
    try:
        run(args, libraries(args.work), path)
    except KeyboardInterrupt:
        sys.exit("\nstopped; the same command goes on from here")


if __name__ == "__main__":
    main()
