"""Real servers that are killed in the middle of `driftlearn learn`."""

import contextlib
import io
import json
import os
from pathlib import Path

from driftlearn.ops.checkpoint import SavedModel
from driftlearn.ops.sources.log_source import LogSource
from driftlearn.utils.optional import needed
from tests.ops.sources import killing_redis
from tests.servers import NatsServer, RedisServer, rows_of

ROWS = 1_500


def no_redis():
    return _missing(RedisServer, "redis", "redis-server")


def no_nats():
    return _missing(NatsServer, "nats", "nats-server")


def _missing(server, package, program):
    if not server.is_installed():
        return f"{program} is not installed"
    try:
        needed(package, "this attack")
    except ImportError as problem:
        return str(problem)
    return ""


def redis(siege):
    """Kill a Redis server during a run; compare with an undisturbed run."""
    runs = 0
    while not siege.is_over:
        kills = 1
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                kills = killing_redis.main(3, ROWS, siege.seed + runs)
            except AssertionError as problem:
                siege.problems.append(f"seed {siege.seed + runs}: {problem}")
        siege.tried += kills
        runs += 1


def nats(siege):
    """Kill a NATS server during a run; compare with an undisturbed run."""
    with NatsServer(siege.folder) as running:
        while not siege.is_over:
            stream = f"s{siege.tried}"
            running.add(map(json.dumps, rows_of(ROWS, seed=siege.tried)), stream)
            name = running.url(stream)
            reference, cut = (str(siege.fresh(each)) for each in ("reference", "cut"))
            with siege.attempt(stream):
                pid = killing_redis.child(reference, name)
                assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
                siege.tried += killing_redis.disturbed(running, cut, name, siege.rng, 5)
                assert SavedModel.open(cut).record.n_rows == ROWS, "rows were lost or learned twice"
                found = [Path(state, "model.npz").read_bytes() for state in (reference, cut)]
                assert found[0] == found[1], "the saved models differ"


def forget_rows():
    """Plant a defect: the first message of each request to the server is lost."""
    plain = LogSource._fetch
    LogSource._fetch = lambda self, log, at: plain(self, log, at)[1:]
