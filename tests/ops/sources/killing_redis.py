"""Kill a Redis server repeatedly under ``driftlearn learn``; compare with an undisturbed run.

The server writes every command to disk before it replies, is ended by SIGKILL at random moments,
and is started again. The run waits and continues, as do its predictions, which are written to the
same server. If a run ends before the required number of kills, another run learns other rows.

    python tests/ops/sources/killing_redis.py --kills 20
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from pathlib import Path

from driftlearn.ops.checkpoint import SavedModel
from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.ops.sources import log_source

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.servers import RedisServer, fill, rows_of

GIVEN = {"target": "label", "learner": "hoeffding:grace_period=50"}


def child(state, name):
    """Run the command in a child process; return its pid."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        log_source.ROWS = log_source.SLICE = 20  # so that requests to the server are frequent
        log_source.WAITS = (0.1,) * 100
        out = f"{name}-{Path(state).name}" if name.startswith("redis") else None
        LearnRun(state, [name], GIVEN, out=out, save_seconds=0.01).run()
        status = 0
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(status)


def ended(pid):
    """Return whether a process has finished without an error."""
    found, status = os.waitpid(pid, os.WNOHANG)
    assert not found or os.waitstatus_to_exitcode(status) == 0, "the run failed"
    return bool(found)


def disturbed(running, state, name, rng, most):
    """Kill the server until the run is done or the limit is reached; return the number of kills."""
    kills, pid = 0, child(state, name)
    try:
        while not ended(pid):
            if kills < most and Path(state, "log.jsonl").exists():  # it has connected to the server
                time.sleep(rng.uniform(0, 0.3))
                if ended(pid):
                    break
                running.kill()
                kills += 1
                time.sleep(rng.uniform(0, 0.2))
                running.start()
            else:
                time.sleep(0.02)
    except BaseException:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        raise
    return kills


def _predictions(client, name, state):
    """Return the predictions that a run has written."""
    return [fields for _, fields in client.xrange(f"{name.rpartition('/')[2]}-{Path(state).name}")]


def main(kills, n_rows, seed):
    rng = random.Random(seed)
    total = runs = 0
    with tempfile.TemporaryDirectory() as place, RedisServer(place) as running:
        while total < kills:
            name, reference, cut = (
                str(Path(place, f"{each}{runs}")) for each in ("s", "reference", "cut")
            )
            name = running.url(Path(name).name)
            with running.client() as client:
                fill(client, name.rpartition("/")[2], rows_of(n_rows, seed=runs))
            assert os.waitstatus_to_exitcode(os.waitpid(child(reference, name), 0)[1]) == 0
            total += disturbed(running, cut, name, rng, kills - total)
            assert SavedModel.open(cut).record.n_rows == n_rows, "rows were lost or learned twice"
            same = Path(cut, "model.npz").read_bytes() == Path(reference, "model.npz").read_bytes()
            assert same, "the saved models differ"
            with running.client() as client:
                predicted = [_predictions(client, name, state) for state in (reference, cut)]
            assert predicted[0] == predicted[1], "the predictions differ"
            assert [int(each[b"row"]) for each in predicted[1]] == [*range(n_rows)]
            runs += 1
    print(f"{total} kills over {runs} runs: no row lost, none twice, the same bytes")
    return total


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--rows", type=int, default=6_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    sys.exit(main(given.kills, given.rows, given.seed) < given.kills)
