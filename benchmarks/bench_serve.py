"""Load test of ``driftlearn serve``: requests per second, latency and CPU time.

    python benchmarks/bench_serve.py [--seconds 5] [--learner hoeffding] [--learner auto]
    python benchmarks/bench_serve.py --keys 1000

The service runs in a separate process. A client in another process holds several connections via
127.0.0.1 and sends the next request on each when the previous one is answered. Latencies are
measured by the client; on a busy machine, the CPU time of the service is more reliable. With
``--keys`` there is one model per key, and the keys of rows are random.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from driftlearn.utils.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.services import ended, keyed_rows, make_keyed_state, make_state, service, some_rows

TICK = os.sysconf("SC_CLK_TCK")
WAYS = [  # request, rows per request, connections, and further connections that train meanwhile
    ("/predict", 1, 1, 0),
    ("/predict", 1, 16, 0),
    ("/predict", 100, 4, 0),
    ("/learn", 1, 1, 0),
    ("/learn", 1, 16, 0),
    ("/learn", 1, 64, 0),
    ("/learn", 100, 4, 0),
    ("/predict", 1, 16, 1),
    ("/predict", 1, 16, 16),
]


def request_of(path, n, seed, keys):
    labels = path == "/learn"
    rows = keyed_rows(n, seed, labels, keys) if keys else some_rows(n, seed, labels)
    body = json.dumps(rows).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def one(port, requests, end, found):
    """Send requests on one connection until the time is up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    k = 0
    while time.perf_counter() < end:
        begun = time.perf_counter()
        writer.write(requests[k % len(requests)])
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        content = await reader.readexactly(length)
        found.append(time.perf_counter() - begun)
        assert head.startswith(b"HTTP/1.1 200 "), content
        k += 1
    writer.close()


def ask(port, path, n, connections, seconds, keys):
    """Return the latencies of all requests within some seconds."""
    several = 500 if keys else 20  # enough rows for most keys to occur
    requests = [request_of(path, n, seed, keys) for seed in range(several)]
    found = []

    async def all_of_them():
        end = time.perf_counter() + seconds
        parts = [requests[k::connections] for k in range(connections)]
        await asyncio.gather(*(one(port, part or requests, end, found) for part in parts))

    asyncio.run(all_of_them())
    return found


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def main(learners, seconds, keys):
    for learner in learners:
        found = []
        with tempfile.TemporaryDirectory() as place:
            if keys:
                state = make_keyed_state(Path(place, "models"), 10 * keys, keys, learner=learner)
            else:
                state = make_state(Path(place, "model"), n=3_000, learner=learner)
            with service(state, "--rate", "0") as process, get_context("spawn").Pool(2) as pool:
                for path, n, connections, beside in WAYS:
                    before = cpu_seconds(process.pid)
                    learning = pool.apply_async(
                        ask, (process.port, "/learn", 1, beside, seconds, keys)
                    ) if beside else None  # fmt: skip
                    took = np.array(
                        pool.apply(ask, (process.port, path, n, connections, seconds, keys))
                    )
                    learned = len(learning.get()) if learning else 0
                    cpu = (cpu_seconds(process.pid) - before) / (len(took) + learned)
                    found.append([path, n, connections, beside, len(took) / seconds,
                                  *(1e3 * np.quantile(took, [0.5, 0.99])), 1e3 * cpu,
                                  learned / seconds])  # fmt: skip
                assert ended(process) == 0
        names = ["asked", "rows", "connections", "learning beside", "requests/s", "p50 ms",
                 "p99 ms", "CPU ms", "learned/s"]  # fmt: skip
        print(f"\n{learner}{f', {keys:,} keys' if keys else ''}, {seconds:g} s each")
        print(Table(dict(zip(names, zip(*found)))).text())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--learner", action="append")
    parser.add_argument("--keys", type=int, default=0)
    given = parser.parse_args()
    main(given.learner or (["hoeffding"] if given.keys else ["hoeffding", "auto"]), given.seconds,
         given.keys)  # fmt: skip
