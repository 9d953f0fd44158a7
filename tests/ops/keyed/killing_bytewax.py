"""Kill processes of a run on Bytewax, one or all of them, at random moments; compare with peace.

By turns one worker is killed, which has its supervisor start all of them again, and the supervisor,
with which all end, so that the run is begun again. Rows that are read at a time, and seconds from
one save to the next, are others in every life. Compared are the bytes of every state, the
population, whose answers were heard, counts, positions, rows put aside, expired keys, and the
predictions, line by line.

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
        return subprocess.Popen([sys.executable, __file__, "--life", *how], stdout=log, stderr=log)


def live(state, data, way, n, batch, seconds):
    """Be the supervisor of a run."""
    given = {"target": "label", "key": "device", **WAYS[way]}
    request = Request(Path(state), [data], given, on=f"bytewax:{n}", out=f"{state}.out")
    BytewaxRun(request, batch=int(batch), save_seconds=float(seconds)).run()


def workers_of(pid):
    """Return the processes that a process has started."""
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
    # the name of a run is by chance, and a command that is given once more is another run
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
            data, peace, cut = (Path(place, f"{name}{runs}") for name in ("data", "peace", "cut"))
            data.mkdir()
            write_files(data, n_rows, seed + runs)
            begin = time.monotonic()
            first = start(peace, data, way, 3 - n)
            assert first.wait() == 0, Path(f"{peace}.log").read_text()
            longest = time.monotonic() - begin
            some = min(kills - total, max(2, kills // len(ways)))
            total += kill_until_done(cut, data, way, n, rng, some, longest)
            one, other = stored(peace), stored(cut)
            for name in one:
                unlike = [pair for pair in zip(one[name], other[name]) if pair[0] != pair[1]]
                assert one[name] == other[name], f"{way}: {name} differ: {unlike!r:.600}"
            assert predicted(peace) == predicted(cut), f"{way}: the predictions differ"
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
    parser.add_argument("--life", nargs=6, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.life:
        live(*given.life)
        sys.exit()
    sys.exit(main(given.kills, given.rows, given.seed, given.ways) < given.kills)
