"""Kill a run on Spark at random moments: the driver, its JVM, or both; compare with another run.

When only the driver is killed, its JVM runs on for a while; when the JVM is killed, the command
fails. Then the same command is run again. The runs must agree in the bytes of every state and of
the shared models, positions, counts, quarantined rows, and the lines of predictions.

    python tests/ops/keyed/killing_spark.py --kills 10
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))
from driftlearn import io as persist
from tests.ops.keyed.killing import write_files
from tests.ops.keyed.killing_bytewax import predicted, stored

WAYS = ("driver", "jvm", "all")
ON = "spark://local[2]"
FILES = 3  # written by write_files
IN_A_RUN = 4  # kills, at most: of more the most would come after the last micro-batch
DELAY = 4.0  # seconds, at most, from the end of a micro-batch to a kill


def start(state, data):
    """Start the command in its own process group; a micro-batch is one file."""
    words = [sys.executable, __file__, "--one-file-a-batch", "learn", str(data), "--target=label",
             "--key=device", "--kind=x=number", "--learner=naive-bayes", f"--state={state}",
             f"--on={ON}", f"--out={state}.out", "--quiet"]  # fmt: skip
    memory = {"PYSPARK_SUBMIT_ARGS": "--driver-memory 1g pyspark-shell"}
    with open(f"{state}.log", "ab") as log:
        return subprocess.Popen(
            words, stdout=log, stderr=log, start_new_session=True, env={**os.environ, **memory}
        )


def jvm_of(pid):
    """Return the JVM of a driver, or None if it has not started."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in task.read_text().split():
                if "java" in os.readlink(f"/proc/{child}/exe"):
                    return int(child)
    return None


def batches_of(state):
    """Return how many micro-batches a run has finished."""
    return len([*(state / "spark" / "checkpoint" / "commits").glob("[0-9]*")])


def strike(process, way):
    """Kill the process; return whether it was running."""
    try:
        if way == "all":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            victim = process.pid if way == "driver" else jvm_of(process.pid)
            if victim is None:
                return False
            os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def kill_until_done(state, data, rng, kills):
    """Start and kill; return which process was killed, and after how many micro-batches."""
    done = []
    process = start(state, data)
    wanted, delay = rng.randrange(FILES), rng.uniform(0, DELAY)
    while process.poll() is None:
        time.sleep(0.05)
        if len(done) >= kills or batches_of(state) < wanted:
            continue
        time.sleep(delay)
        way, at = WAYS[len(done) % len(WAYS)], batches_of(state)
        if strike(process, way):
            done.append(f"{way} after {at} micro-batches")
            process.wait()
            process = start(state, data)
            wanted, delay = rng.randint(min(at, FILES), FILES), rng.uniform(0, DELAY)
    assert process.wait() == 0, Path(f"{state}.log").read_text()[-3_000:]
    return done


def main(kills, n_rows, seed):
    rng = random.Random(seed)
    total = runs = 0
    with tempfile.TemporaryDirectory() as place:
        data, reference = Path(place, "data"), Path(place, "reference")
        data.mkdir()
        write_files(data, n_rows, seed)
        first = start(reference, data)
        assert first.wait() == 0, Path(f"{reference}.log").read_text()[-3_000:]
        while total < kills:
            cut = Path(place, f"cut{runs}")
            done = kill_until_done(cut, data, rng, min(kills - total, IN_A_RUN))
            one, other = stored(reference), stored(cut)
            for name in one:
                unlike = [pair for pair in zip(one[name], other[name]) if pair[0] != pair[1]]
                assert one[name] == other[name], f"{name} differ: {unlike!r:.600}"
            assert predicted(reference) == predicted(cut), "the predictions differ"
            assert one["states"] and one["quarantined"] and not (cut / "spark").exists()
            about = dict(one["about"])
            assert {"stream", "shared"} <= {*about}
            assert persist.loads(about["shared"]).n_rows, "the global model learned nothing"
            total += len(done)
            runs += 1
            print(f"run {runs}: killed {', '.join(done)}", flush=True)
    print(f"{total} kills over {runs} runs: no row lost, none twice, the same bytes")
    return total


if __name__ == "__main__":
    if "--one-file-a-batch" in sys.argv:
        from driftlearn.cli import main as command
        from driftlearn.ops.keyed import spark_run

        spark_run.BYTES = 1

        sys.argv.remove("--one-file-a-batch")
        sys.exit(command())
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--rows", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    sys.exit(main(given.kills, given.rows, given.seed) < given.kills)
