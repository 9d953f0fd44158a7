"""Kill processes of a run on Bytewax at random moments; compare with an undisturbed run.

Kills alternate between one worker, after which the supervisor restarts all of them, and the
supervisor, whose workers end with it, after which the command is run again. The number of rows read
at a time and the seconds between saves differ between attempts. The runs must agree in the bytes of
every state, the shared models, accuracy by source, counts, positions, quarantined rows, expired
keys, and the lines of predictions.

    python tests/ops/keyed/killing_bytewax.py --kills 50
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from driftlearn.ops.keyed.bytewax_run import BytewaxRun
from driftlearn.ops.keyed.settings import Request
from tests.ops.keyed.killing import WAYS, content, write_files


def start(state, data, way, n, batch=20_000, seconds=2.0):
    how = [str(state), str(data), way, str(n), str(batch), str(seconds)]
    with open(f"{state}.log", "ab") as log:
        return subprocess.Popen(
            [sys.executable, __file__, "--attempt", *how], stdout=log, stderr=log
        )


def supervise(state, data, way, n, batch, seconds):
    """Run the supervisor."""
    given = {"target": "label", "key": "device", **WAYS[way]}
    request = Request(Path(state), [data], given, on=f"bytewax:{n}", out=f"{state}.out")
    BytewaxRun(request, batch=int(batch), save_seconds=float(seconds)).run()


def workers_of(pid):
    """Return the child processes of a process."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(text) for text in task.read_text().split()]
        except OSError:
            continue
    return found


def predicted(state):
    lines = []
    for path in Path(f"{state}.out").iterdir():
        lines += path.read_text().splitlines()[1:]
    return sorted(lines)


def stored(state):
    found = content(state)
    # the name of a run is random, and a repeated command counts as another run
    found["about"] = [row for row in found["about"] if row[0] not in ("run", "runs")]
    return found


def kill_until_done(state, data, way, n, rng, kills, longest):
    done = 0

    def begin():
        return start(state, data, way, n, rng.choice([200, 1_000, 5_000]), rng.choice([0.0, 0.3]))

    process = begin()
    while process.poll() is None:
        time.sleep(rng.uniform(0, longest))
        if done >= kills:
            break
        workers = workers_of(process.pid)
        alone = done % 2 == 0
        if alone and not workers:
            continue
        try:
            os.kill(rng.choice(workers) if alone else process.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
        done += 1
        if not alone:
            process.wait()
            process = begin()
    if process.wait() == -signal.SIGKILL:
        process = begin()
    assert process.wait() == 0, Path(f"{state}.log").read_text()
    return done


def main(kills, n_rows, seed, ways):
    rng = random.Random(seed)
    total = runs = 0
    with tempfile.TemporaryDirectory() as place:
        while total < kills:
            way, n = ways[runs % len(ways)], 1 + runs % 2
            data, reference, cut = (
                Path(place, f"{name}{runs}") for name in ("data", "reference", "cut")
            )
            data.mkdir()
            write_files(data, n_rows, seed + runs)
            begin = time.monotonic()
            first = start(reference, data, way, 3 - n)
            assert first.wait() == 0, Path(f"{reference}.log").read_text()
            longest = time.monotonic() - begin
            some = min(kills - total, max(2, kills // len(ways)))
            total += kill_until_done(cut, data, way, n, rng, some, longest)
            one, other = stored(reference), stored(cut)
            for name in one:
                unlike = [pair for pair in zip(one[name], other[name]) if pair[0] != pair[1]]
                assert one[name] == other[name], f"{way}: {name} differ: {unlike!r:.600}"
            assert predicted(reference) == predicted(cut), f"{way}: the predictions differ"
            assert one["states"] and one["quarantined"], way
            assert {"shared", "source_accuracy", "stream"} <= {name for name, _ in one["about"]}
            runs += 1
    print(f"{total} kills over {runs} runs: no row lost, none twice, the same bytes")
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=[*WAYS])
    parser.add_argument("--attempt", nargs=6, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.attempt:
        supervise(*given.attempt)
        sys.exit()
    sys.exit(main(given.kills, given.rows, given.seed, given.ways) < given.kills)
