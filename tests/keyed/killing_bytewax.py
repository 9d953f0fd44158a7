"""Kill processes of a run on Bytewax, one or all of them, at random moments; compare with peace.

By turns one worker is killed, which has its supervisor start all of them again, and the supervisor,
with which all end, so that the command is given again. Compared are the bytes of every state,
positions, rows put aside, expired keys, and the predictions, line by line.

    python tests/keyed/killing_bytewax.py --kills 50
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

sys.path.insert(0, str(Path(__file__).parent))
from killing import WAYS, content, write_files


def start(state, data, way, n):
    options = [f"--{name}={value}" for name, value in WAYS[way].items()]
    words = [sys.executable, "-m", "driftlearn", "learn", str(data), "--target=label",
             "--key=device", f"--state={state}", f"--on=bytewax:{n}", f"--out={state}.out",
             "--quiet", *options]  # fmt: skip
    with open(f"{state}.log", "ab") as log:
        return subprocess.Popen(words, stdout=log, stderr=log)


def workers_of(pid):
    """Return the processes that a process has started."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(text) for text in task.read_text().split()]
        except OSError:
            continue
    return found


def said(state):
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
    process = start(state, data, way, n)
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
            process = start(state, data, way, n)
    if process.wait() == -signal.SIGKILL:
        process = start(state, data, way, n)
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
            longest = 1.5 * (time.monotonic() - begin)
            some = min(kills - total, max(2, kills // len(ways)))
            total += kill_until_done(cut, data, way, n, rng, some, longest)
            one, other = stored(peace), stored(cut)
            for name in one:
                unlike = [pair for pair in zip(one[name], other[name]) if pair[0] != pair[1]]
                assert one[name] == other[name], f"{way}: {name} differ: {unlike!r:.600}"
            assert said(peace) == said(cut), f"{way}: the predictions differ"
            assert one["states"] and one["aside"], way
            runs += 1
    print(f"{total} kills over {runs} runs: no row lost, none twice, the same bytes")
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=[*WAYS])
    given = parser.parse_args()
    sys.exit(main(given.kills, given.rows, given.seed, given.ways) < given.kills)
