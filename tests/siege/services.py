"""Attacks on ``driftlearn serve``: kills, slow clients, many connections, many requests."""

import contextlib
import http.client
import io
import json
import os
import shutil
import socket
import threading
import time
from collections import Counter

from driftlearn.ops.serving import app, limits, server, write_ahead_log
from tests.ops.serving import killing
from tests.services import (
    JSON,
    ask,
    ended,
    make_state,
    post,
    service,
    some_rows,
)

CLIENTS = 16
SLOW, TIMEOUT, PATIENCE = 1_000, 2, 30  # slow clients; seconds that they have, that we wait
AT_A_TIME = 500  # connections that are open while others come
GROWN = 16 << 20  # bytes by which the memory of a service may grow after a warm-up


def killed(siege):
    """Kill the service of a single model."""
    _killed(siege, [*killing.WAYS])


def killed_keyed(siege):
    """Kill the service of keyed models."""
    _killed(siege, [*killing.KEYED_WAYS])


def _killed(siege, ways):
    k = 0
    while not siege.is_over:
        way, kills = ways[k % len(ways)], 1
        n_requests = max(15, min(60, siege.count))
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                kills = killing.main(1, n_requests, CLIENTS, siege.seed + k, [way])
            except AssertionError as problem:
                siege.problems.append(f"{way}, seed {siege.seed + k}: {problem}")
        siege.tried += kills
        k += 1


def acknowledge_before_writing():
    """Plant a defect: requests are acknowledged that are not in the log."""

    def append(log, requests):
        log.sequence += len(requests)
        return log.sequence - len(requests) + 1

    write_ahead_log.WriteAheadLog.append = append


def slow(siege):
    """Send and read requests a byte at a time, in many connections; others must be served."""
    state = make_state(siege.fresh("slow"), learner="naive-bayes")
    rows = some_rows(3, labels=False)
    n = min(SLOW, siege.count)
    words = "--timeout", str(TIMEOUT), "--connections", str(n + 50), "--rate", "0"
    with service(state, *words, program=siege.program) as running:
        before = post(running.port, "/predict", rows)[1]
        while not siege.is_over:
            n_before = _descriptors(running.pid)
            clients = [SlowClient(running.port, k % 3) for k in range(n)]
            end = time.monotonic() + PATIENCE
            left = n  # the service may not have accepted them yet
            while time.monotonic() < end and (
                left > 0 or any(not each.is_closed for each in clients if each.kind < 2)
            ):
                left = _descriptors(running.pid) - n_before
                for each in clients:
                    each.step()
                with siege.attempt("a request beside slow clients", n=0):
                    status, found = post(running.port, "/predict", rows)
                    assert status == 200 and found == before, found
                time.sleep(0.2)
            with siege.attempt("slow clients", n=n):
                kinds = [sum(not each.is_closed for each in clients[k::3]) for k in range(2)]
                assert left <= 0, f"{left} of {n} connections are open, {kinds} of two kinds"
            for each in clients:
                each.close()
        ended(running)


class SlowClient:
    """Connection that sends headers (0) or a body (1) slowly, or reads no responses (2)."""

    HEAD = b"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    PAGE = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    def __init__(self, port, kind):
        self.kind, self.is_closed = kind, False
        self.socket = socket.socket()
        if kind == 2:  # small buffers, so that the service has to wait
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        self.socket.settimeout(30)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setblocking(False)
        start = (self.HEAD, self.HEAD + b"Content-Length: 1000\r\n\r\n", self.PAGE * 500)[kind]
        with contextlib.suppress(OSError):
            self.socket.send(start)

    def step(self):
        """Send a byte; notice whether the service has closed the connection."""
        if self.is_closed or self.kind == 2:
            return
        try:
            self.socket.send(b"x")
            if not self.socket.recv(4_096):
                self.close()
        except BlockingIOError:
            pass
        except OSError:
            self.close()

    def close(self):
        self.is_closed = True
        self.socket.close()


def keep_slow_connections():
    """Plant a defect: no connection has a deadline."""
    plain = server._protocol

    def _protocol(given):
        found = plain(given)
        found._too_slow = lambda self: None
        return found

    server._protocol = _protocol


def connections(siege):
    """Open many connections above the limit; descriptors and a client's service must stay."""
    state = make_state(siege.fresh("many"), learner="naive-bayes")
    rows = some_rows(1, labels=False)
    with service(state, "--rate", "0", program=siege.program) as running:
        port, answers = running.port, Counter()
        kept = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        before = _descriptors(running.pid)
        while not siege.is_over:
            opened = []
            kept.close()
            kept.connect()
            for _ in range(min(AT_A_TIME, siege.count)):
                each = socket.socket()
                each.settimeout(60)
                each.connect(("127.0.0.1", port))
                each.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                opened.append(each)
            with siege.attempt("a connection that was open before", n=0):
                kept.request("POST", "/predict", json.dumps(rows[0]), JSON)
                response = kept.getresponse()
                response.read()
                assert response.status == 200, response.status
            for each in opened:
                with siege.attempt("a connection"):
                    status = each.recv(64).split(b" ")[1:2]
                    answers[status[0] if status else b""] += 1
                    assert status in ([b"200"], [b"503"]), status
                each.close()
        kept.close()
        with siege.attempt("descriptors", n=0):
            end = time.monotonic() + PATIENCE
            while (now := _descriptors(running.pid)) > before + 3 and time.monotonic() < end:
                time.sleep(0.1)
            assert now <= before + 3, f"{before} descriptors before, {now} after, {dict(answers)}"
            assert post(port, "/predict", rows)[0] == 200
        ended(running)


def _descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def keep_connections():
    """Plant a defect: connections are never closed."""
    plain = server._protocol

    def _protocol(given):
        found, kept = plain(given), []
        made = found.connection_made

        def connection_made(self, transport):
            kept.append(os.dup(transport.get_extra_info("socket").fileno()))
            made(self, transport)

        found.connection_made = connection_made
        return found

    server._protocol = _protocol


def requests(siege):
    """Send many requests of all kinds; memory must not grow after a quarter of them."""
    state = make_state(siege.fresh("requests"), learner="naive-bayes")
    n_clients = 4
    bodies = [
        ("/predict", json.dumps(some_rows(1, labels=False)).encode(), 200),
        ("/predict", json.dumps(some_rows(20, labels=False)).encode(), 200),
        ("/learn", json.dumps(some_rows(3)).encode(), 200),
        ("/learn", b'{"x": ', 400),
        ("/predict", b'{"nothing": 1}', 422),
        ("/none", b"{}", 404),
    ]
    with service(state, "--rate", "0", program=siege.program) as running:

        def client(k):
            connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=300)
            for i in range(siege.count // n_clients):
                if time.monotonic() > siege.end:
                    break
                path, body, expected = bodies[(k + i) % len(bodies)]
                with siege.attempt(f"{path} {body[:40]!r}"):
                    key = {"Idempotency-Key": f"{k}-{i}"} if path == "/learn" else {}
                    connection.request("POST", path, body, JSON | key)
                    response = connection.getresponse()
                    response.read()
                    assert response.status == expected, response.status
            connection.close()

        begun = time.monotonic()
        workers = [threading.Thread(target=client, args=(k,)) for k in range(n_clients)]
        for each in workers:
            each.start()
        sizes = []
        while any(each.is_alive() for each in workers):
            time.sleep(0.05)
            share = max(siege.tried / siege.count, (time.monotonic() - begun) / (siege.end - begun))
            sizes.append((share, _resident(running.pid)))
        early = max(size for share, size in sizes if share < 0.5)
        late = max(size for _, size in sizes)
        with siege.attempt("memory", n=0):
            assert late - early < GROWN, f"{early / 2**20:.0f} MB at first, {late / 2**20:.0f} MB"
        ended(running)


def _resident(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def leak():
    """Plant a defect: each request leaves 400 kB behind."""
    plain, kept = app.Metrics.count_request, []

    def count_request(self, *arguments):
        kept.append(bytes(400_000))
        return plain(self, *arguments)

    app.Metrics.count_request = count_request


def vanish(siege):
    """Remove the state folder under a service; nothing may be acknowledged until it is back."""
    for name in ("single", "keyed"):
        make = make_state if name == "single" else killing.make_keyed_state
        make(siege.folder / name, learner="naive-bayes")
    while not siege.is_over:
        name = ("single", "keyed")[siege.tried % 2]
        rows = killing.keyed_rows if name == "keyed" else some_rows
        copy = shutil.copytree(siege.folder / name, siege.fresh(name))
        how = ("moved", "removed", "emptied")[siege.tried // 2 % 3]
        with (
            siege.attempt(f"{name} state folder {how}"),
            service(copy, "--rate", "0", program=siege.program) as running,
        ):
            status, found = post(running.port, "/learn", rows(5, 1), Idempotency_Key="a")
            assert status == 200, found
            away = copy.with_name(copy.name + "-away")
            copy.rename(away)
            if how == "emptied":
                copy.mkdir()
            elif how == "removed":
                shutil.rmtree(away)
            status, found = post(running.port, "/learn", rows(5, 2), Idempotency_Key="b")
            assert status in (503, 507), f"/learn without a state folder: {status}, {found}"
            status = post(running.port, "/predict", rows(2, 3, labels=False))[0]
            assert status == 200 or (name == "keyed" and status == 503), status
            if how == "removed":
                ended(running)
                continue
            if how == "emptied":
                shutil.rmtree(copy)
            away.rename(copy)
            status, found = post(running.port, "/learn", rows(5, 2), Idempotency_Key="b")
            assert status == 200 and not found["repeated"], found
            running.kill()
            running.wait()
            with service(copy, "--rate", "0", program=siege.program) as again:
                for key, seed in (("a", 1), ("b", 2)):
                    found = post(again.port, "/learn", rows(5, seed), Idempotency_Key=key)[1]
                    assert found.get("repeated"), f"request {key} is not there: {found}"
                assert ask(again.port, "GET", "/health")[2]["rows"] == 310
                assert ended(again) == 0


def write_to_removed_files():
    """Plant a defect: the log does not notice that its file was removed."""
    write_ahead_log.WriteAheadLog.check = lambda self: None


def clock(siege):
    """Move the time of day by years while clients learn; results must not change."""
    from tests.siege import faults

    life = killing.life

    def jumping(state, port, memory):
        def jump():
            while True:
                faults.set_clock(siege.rng.choice([0, 1, -1, 3_600, 10**8, -(10**8)]))
                time.sleep(0.02)

        threading.Thread(target=jump, daemon=True).start()
        limit = limits.Limits(rate=5_000)
        killing.serve(state, "127.0.0.1", port, limit, lambda text: None, killing.SAVE, memory)

    killing.life = jumping
    try:
        _killed(siege, ["rows", "idle", "times"])
    finally:
        killing.life = life


def use_time_of_day():
    """Plant a defect: the rate limit uses the time of day."""
    plain = limits.Rate.__init__

    def __init__(self, rate, clock=time.time):
        plain(self, rate, clock)

    limits.Rate.__init__ = __init__
