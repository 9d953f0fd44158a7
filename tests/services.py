"""Start ``driftlearn serve`` in a separate process, and a client for it."""

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from pathlib import Path

from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.ops.checkpoint.saved_model import STORE
from driftlearn.ops.keyed import KeyStore
from driftlearn.ops.keyed.local_run import LocalRun
from driftlearn.ops.keyed.settings import Request
from driftlearn.ops.serving.keyed_model import SERVED

JSON = {"Content-Type": "application/json"}


def some_rows(n, seed=0, labels=True):
    """Return rows with words, dates and gaps; a number and a word determine the label."""
    rng = random.Random(seed)
    found = []
    for i in range(n):
        x, colour = rng.gauss(0, 1), rng.choice(["red", "blue", "green"])
        size = None if rng.random() < 0.1 else round(rng.gauss(0, 1), 3)
        row = {"x": x, "size": size, "colour": colour, "day": f"2024-01-{1 + i % 28:02}"}
        if labels:
            row["label"] = "yes" if x + (colour == "red") > 0.3 else "no"
        found.append(row)
    return found


def keyed_rows(n, seed=0, labels=True, n_keys=7):
    """Return the same rows for several devices; devices with odd numbers have inverted labels."""
    rng = random.Random(f"{seed} keys")
    found = []
    for row in some_rows(n, seed, labels):
        k = rng.randrange(n_keys)
        if labels and k % 2:
            row["label"] = "no" if row["label"] == "yes" else "yes"
        found.append({"device": f"d{k}", **row})
    return found


def write_csv(path, rows):
    lines = [",".join(rows[0])] + [
        ",".join("" if value is None else str(value) for value in row.values()) for row in rows
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def make_state(folder, n=300, challenger=None, **settings):
    """Return a state folder with a model trained on some rows."""
    folder = Path(folder)
    path = write_csv(folder.with_suffix(".csv"), some_rows(n, seed=99))
    chunk = None if "every" in settings else 1
    given = {"target": "label", "learner": "hoeffding", "chunk": chunk, **settings}
    LearnRun(folder, [str(path)], given, challenger=challenger).run()
    return folder


def make_keyed_state(folder, n=300, n_keys=7, **settings):
    """Return a state folder with a model for each device, trained on some rows."""
    folder = Path(folder)
    path = write_csv(folder.with_suffix(".csv"), keyed_rows(n, seed=99, n_keys=n_keys))
    learn_keyed(folder, path, **settings)
    return folder


def learn_keyed(folder, path, **settings):
    """Train like ``driftlearn learn --key device``."""
    given = {"target": "label", "key": "device", **settings}
    LocalRun(Request(Path(folder), [str(path)], given)).run().store.close()


def stored(folder, but=(SERVED,)):
    """Return the content of a store of keys except positions in files and the names in `but`."""
    with closing(KeyStore(Path(folder, STORE), read_only=True)) as store:
        found = {name: store._all(f"SELECT * FROM {name} ORDER BY 1")
                 for name in ("about", "states", "expired", "quarantine")}  # fmt: skip
    found["about"] = [row for row in found["about"] if row[0] not in but]
    return found


def any_bodies(rows, names, n=300):
    """Yield routes and bodies: random combinations of valid parts, and arbitrary bytes."""
    rng, good = random.Random(0), json.dumps(rows).encode()
    values = [None, True, -0.0, 1e308, 10**300, 10**3_000, 2.5, 3, "", "red", "\x00", "\u2028",
              [], {}, [1], "1e999", "2024-01-01"]  # fmt: skip
    for i in range(n):
        if i % 2:
            body = bytearray(good)
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(body))
                body[at : at + rng.choice([0, 1, 5])] = rng.randbytes(rng.choice([0, 1, 2]))
            body = bytes(body)
        else:
            row = {**rows[0], rng.choice(names): rng.choice(values)}
            for name in rng.sample([*row], rng.choice([0, 0, 1])):
                del row[name]
            body = json.dumps(rng.choice([row, [row], {"rows": row}, [row, row]])).encode()
        yield rng.choice(["/predict", "/learn"]), body


def ask(port, method, path, body=None, **headers):
    """Return status, headers and body of a response; JSON is decoded."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    try:
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        sent = {**JSON, **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection.request(method, path, body, sent if body is not None else headers)
        response = connection.getresponse()
        content = response.read()
        kind = response.headers.get("Content-Type", "")
        found = json.loads(content) if kind.startswith("application/json") else content.decode()
        return response.status, response.headers, found
    finally:
        connection.close()


def post(port, path, body, **headers):
    """Return status and body of the response to a request with rows."""
    status, _, found = ask(port, "POST", path, body, **headers)
    return status, found


def metric(port, name):
    """Return the value of a metric in /metrics."""
    for line in ask(port, "GET", "/metrics")[2].splitlines():
        if line.startswith(f"{name} "):
            return float(line.rpartition(" ")[2])
    raise AssertionError(f"no {name}")


@contextmanager
def service(state, *words, env=None, program=(sys.executable, "-m", "driftlearn")):
    """Run ``driftlearn serve``; yield its process, with the attribute ``port``."""
    process = subprocess.Popen(
        [*program, "serve", "--state", str(state), "--port", "0", *words],
        stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})},
    )  # fmt: skip
    process.lines = []
    try:
        for line in process.stderr:
            process.lines.append(line)
            if "Ctrl-C" in line:
                process.port = int(line.split("/ serves")[0].rpartition(":")[2])
                break
        else:
            raise AssertionError(f"the service did not start: {process.lines}")
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stderr.close()


def ended(process, number=signal.SIGTERM):
    """Send a signal to a service; return its exit code."""
    process.send_signal(number)
    return process.wait(300)


def answers(port):
    """Return whether a service responds."""
    try:
        return ask(port, "GET", "/health")[0] == 200
    except (OSError, http.client.HTTPException):
        return False


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def until(true, seconds=300):
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "timeout"
        time.sleep(0.02)
