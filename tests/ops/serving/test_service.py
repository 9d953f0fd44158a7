"""The service as clients see it: a real process, accessed over HTTP."""

import http.client
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack

import numpy as np
import pytest

from driftlearn import __version__
from driftlearn import io as persist
from driftlearn.ops.checkpoint import SavedModel
from driftlearn.ops.checkpoint.learn_run import LearnRun
from tests.services import (
    answers,
    any_bodies,
    ask,
    ended,
    make_state,
    metric,
    post,
    service,
    some_rows,
    until,
    write_csv,
)

pytest.importorskip("uvicorn", reason="driftlearn serve needs it")
resource = pytest.importorskip("resource", reason="limits of a process are of POSIX")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
SECRET = "a-token-that-nobody-guesses"


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    """A state folder that tests copy but never change."""
    folder = tmp_path_factory.mktemp("made") / "model"
    return make_state(folder, learner="adwin-bagging:n_estimators=3")


@pytest.fixture
def own(state, tmp_path):
    return shutil.copytree(state, tmp_path / "own")


@pytest.fixture(scope="module")
def shared(state, tmp_path_factory):
    """A service for tests that do not change its state."""
    folder = shutil.copytree(state, tmp_path_factory.mktemp("served") / "model")
    with service(folder, "--rows", "50", "--body", "0.02") as process:
        process.folder = folder
        yield process


def bits(folder):
    return (folder / "model.npz").read_bytes()


def test_predictions_are_those_of_the_model(shared, state):
    rows = some_rows(20, seed=5, labels=False)
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    kept = SavedModel.open(state)
    arrays = {name: np.array(values, dtype=object) for name, values in columns.items()}
    probas = kept.model.predict_proba(arrays)
    status, found = post(shared.port, "/predict", rows)
    assert status == 200
    predicted = [[each["probabilities"][label] for label in ("no", "yes")]
            for each in found["predictions"]]  # fmt: skip
    assert np.array_equal(predicted, probas)
    assert [each["label"] for each in found["predictions"]] == kept.model.predict(arrays).tolist()
    assert post(shared.port, "/predict", columns)[1]["predictions"] == found["predictions"]
    assert post(shared.port, "/predict", rows[0])[1]["predictions"] == found["predictions"][:1]
    labelled = [{**row, "label": "no"} for row in rows]
    assert post(shared.port, "/predict", labelled)[1]["predictions"] == found["predictions"]


def test_votes(shared):
    status, found = post(shared.port, "/predict", {"rows": some_rows(3), "votes": True})
    assert status == 200
    for each in found["predictions"]:
        assert each["votes"] and sum(each["votes"].values()) <= 1 + 1e-9


def test_rows_are_learned_as_from_a_file(own, tmp_path):
    """Requests of any size give the model of a file; each row is predicted before it is learned."""
    rows = some_rows(130, seed=3)
    write_csv(tmp_path / "more.csv", rows)
    copy = shutil.copytree(own, tmp_path / "copy")
    LearnRun(copy, [str(tmp_path / "more.csv")], {}).run()
    before = int(SavedModel.open(own).record.right.sum())
    right = 0
    with service(own) as process:
        for begin, end in ((0, 1), (1, 120), (120, 121), (121, 130)):
            status, found = post(process.port, "/learn", rows[begin:end])
            assert status == 200 and found["learned"] == found["rows"] == end - begin
            predicted = [each["label"] for each in found["predictions"]]
            truth = [row["label"] for row in rows[begin:end]]
            assert found["right"] == sum(a == b for a, b in zip(predicted, truth))
            right += found["right"]
        until(lambda: ask(process.port, "GET", "/health")[2]["rows"] == 430)
        assert ended(process) == 0
    served, learned = SavedModel.open(own), SavedModel.open(copy)
    assert persist.dumps(served.learner) == persist.dumps(learned.learner)
    assert served.record.right.sum() == learned.record.right.sum() == before + right
    assert np.array_equal(served.record.confusion, learned.record.confusion)
    assert served.record.where(300) == {"file": "/learn", "row": 0, "time": None}


def test_nothing_is_learned_of_what_is_refused(own):
    good = some_rows(3)
    bad = [
        ([*good, {**good[0], "x": "much"}], 422, "row 3: column 'x' holds 'much', which is not"),
        ([*good, {**good[0], "day": "2024-02-31"}], 422, "row 3: column 'day' .* not a date"),
        ([*good, {**good[0], "label": None}], 422, "Row 3 has no label in column 'label'"),
        ([*good, {**good[0], "label": ""}], 422, "Row 3 has no label"),
        ([*good, {**good[0], "label": "a\0"}], 422, "Row 3: a label must not contain a null"),
        ([*good, {**good[0], "label": "a" * 2_000}], 422, "1,000 characters"),
        ([{**row, "colr": 1} for row in good], 422, "has no column 'colr' .did you mean"),
        ([{"x": 1.0, "label": "yes"}], 422, "have no column 'size'. Write null"),
        ([{"label": "yes"}], 422, "no feature columns"),
        (some_rows(3, labels=False), 422, "no column 'label' for the labels"),
        (b'{"x": 1e400, "size": 1, "colour": "red", "day": null, "label": "no"}', 422, "holds inf"),
        ({**good[0], "x": 10**400}, 422, "column 'x' holds"),
        (b"[", 400, "not valid JSON"),
        ([], 400, "The request has no rows"),
        ({"rows": good, "id": "x" * 300}, 400, "An idempotency key must be a string"),
    ]
    before = bits(own)
    with service(own) as process:
        for body, status, predicted in bad:
            found = post(process.port, "/learn", body)
            assert found[0] == status and re.search(predicted, found[1]["error"]), found
            assert [*found[1]] == ["error"]
        found = post(process.port, "/learn", {"rows": good, "id": "a"}, Idempotency_Key="b")
        assert found[0] == 400 and "differ" in found[1]["error"]
        assert ended(process) == 0
    assert bits(own) == before


def test_a_request_is_learned_once(own):
    rows = some_rows(3)
    with service(own) as process:
        first = post(process.port, "/learn", rows, Idempotency_Key="a")[1]
        again = post(process.port, "/learn", rows, Idempotency_Key="a")[1]
        assert again == {"sequence": first["sequence"], "rows": 3, "repeated": True}
        assert ended(process) == 0
    with service(own) as process:
        assert post(process.port, "/learn", rows, Idempotency_Key="a")[1] == again
        status, found = post(process.port, "/learn", some_rows(4), Idempotency_Key="a")
        assert status == 422 and "used for a different request" in found["error"]
        body = {"rows": rows, "id": "b"}
        assert not post(process.port, "/learn", body)[1]["repeated"]
        assert post(process.port, "/learn", body)[1]["repeated"]
        assert ended(process) == 0
    assert SavedModel.open(own).record.n_rows == 306


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_clean_shutdown(own, number):
    """Pending requests get a response, and learned rows are saved."""
    with service(own, "--save", "1000") as process:
        answers = []
        work = threading.Thread(
            target=lambda: answers.append(post(process.port, "/learn", some_rows(2_000)))
        )
        work.start()
        until(lambda: (own / "write-ahead.log").stat().st_size > 0)
        assert ended(process, number) == 0
        work.join()
    assert answers[0][0] == 200 and answers[0][1]["learned"] == 2_000
    assert SavedModel.open(own).record.n_rows == 2_300
    assert (own / "write-ahead.log").stat().st_size == 0


def test_a_kill_and_a_cut_log(own):
    """After a kill the log is replayed; an incomplete last frame is dropped and reported."""
    with service(own, "--save", "1000") as process:
        assert post(process.port, "/learn", some_rows(5))[0] == 200
        process.kill()
        process.wait()
    assert SavedModel.open(own).record.n_rows == 300
    with open(own / "write-ahead.log", "ab") as file:
        file.write((own / "write-ahead.log").read_bytes()[:50])
    with service(own) as process:
        assert any("incomplete request" in line for line in process.lines)
        assert any("1 requests from the log were learned again" in line for line in process.lines)
        assert ask(process.port, "GET", "/health")[2]["rows"] == 305
        assert ended(process) == 0
    assert SavedModel.open(own).record.n_rows == 305


def refused(*words):
    done = subprocess.run(
        [sys.executable, "-m", "driftlearn", *words], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr, done
    return done.stderr


def test_what_cannot_be_served(shared, own, tmp_path):
    served = ["serve", "--state"]
    assert "in use by process" in refused(*served, str(shared.folder), "--port", "0")
    assert "in use by process" in refused("learn", __file__, "--state", str(shared.folder))
    assert "no saved model" in refused(*served, str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()
    assert "DRIFTLEARN_TOKEN" in refused(*served, str(own), "--host", "0.0.0.0")
    port = str(shared.port)
    assert "Choose another --port" in refused(*served, str(own), "--port", port)
    (own / "write-ahead.log").write_bytes(b"")
    with service(own, "--save", "1000") as process:
        for seed in range(3):
            post(process.port, "/learn", some_rows(2, seed))
        process.kill()
        process.wait()
    content = bytearray((own / "write-ahead.log").read_bytes())
    content[30] ^= 1
    (own / "write-ahead.log").write_bytes(content)
    assert "is damaged at byte 0" in refused(*served, str(own), "--port", "0")


def test_token(own):
    right = {"Authorization": f"Bearer {SECRET}"}
    with service(own, env={"DRIFTLEARN_TOKEN": SECRET}) as process:
        for path in ("/predict", "/learn"):
            for headers in ({}, {"Authorization": "Bearer wrong"}):
                status, headers, found = ask(process.port, "POST", path, some_rows(1), **headers)
                assert status == 401 and headers["WWW-Authenticate"] == "Bearer" and found["error"]
            assert post(process.port, path, some_rows(1), **right)[0] == 200
        assert ask(process.port, "GET", "/metrics")[0] == ask(process.port, "GET", "/")[0] == 401
        assert ask(process.port, "GET", "/metrics", **right)[0] == 200
        assert ask(process.port, "GET", "/health")[0] == 200
        assert ended(process) == 0
        predicted = "".join(
            [*process.lines, process.stderr.read(), (own / "log.jsonl").read_text()]
        )
    assert SECRET not in predicted


def test_limits_of_a_request(shared):
    assert post(shared.port, "/predict", some_rows(51))[0] == 413
    status, headers, found = ask(shared.port, "POST", "/predict", b" " * 30_000)
    assert status == 413 and headers["Connection"] == "close" and "20,971 bytes" in found["error"]
    connection = http.client.HTTPConnection("127.0.0.1", shared.port, timeout=30)
    pieces = (b" " * 5_000 for _ in range(10))
    connection.request("POST", "/predict", pieces, {"Content-Type": "application/json"})
    assert connection.getresponse().status == 413
    connection.close()


@pytest.mark.parametrize(("host", "status"), [("localhost", 413), ("example.org", 403)])
def test_a_large_body_gets_a_response(shared, host, status):
    """A client that sends all of the body before it reads is not cut off."""
    body = b" " * (20 << 20)
    found = ask(shared.port, "POST", "/predict", body, Host=host)
    assert found[0] == status and found[1]["Connection"] == "close" and found[2]["error"]


def test_bytes_that_are_not_http(shared):
    with socket.create_connection(("127.0.0.1", shared.port), timeout=300) as connection:
        connection.sendall(b"GET nothing\r\n\r\n")
        with connection.makefile("rb") as response:
            head, _, body = response.read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert json.loads(body) == {"error": "The request is not valid HTTP."}


def test_what_else_is_refused(shared):
    assert ask(shared.port, "GET", "/nothing")[0] == 404
    status, headers, found = ask(shared.port, "GET", "/learn")
    assert status == 405 and headers["Allow"] == "POST" and "method POST" in found["error"]
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    assert post(shared.port, "/learn", b"x=1", **form)[0] == 415
    assert ask(shared.port, "GET", "/health", Host="example.org")[0] == 403


def test_rate(own):
    with service(own, "--rate", "0.002") as process:  # the next token after 500 seconds
        found = [ask(process.port, "GET", "/health") for _ in range(8)]
        assert [status for status, _, _ in found] == [200] + [429] * 7
        assert all(0 < int(headers["Retry-After"]) <= 500 for _, headers, _ in found[1:])


def test_rate_of_tokens(own):
    """Clients without a token do not use up the requests of one with a token."""
    env = {"DRIFTLEARN_TOKEN": f"{SECRET} {SECRET}-2"}
    with service(own, "--rate", "0.002", env=env) as process:

        def status(path="/metrics", method="GET", **headers):
            return ask(process.port, method, path, **headers)[0]

        assert [status() for _ in range(3)] == [401, 429, 429]
        assert status("/nothing") == status("/learn") == status("/predict/") == 429
        for token in (SECRET, f"{SECRET}-2"):
            right = {"Authorization": f"Bearer {token}"}
            assert [status(**right) for _ in range(2)] == [200, 429]
            assert status("/nothing", **right) == 429


def test_addresses_behind_a_proxy(own):
    """The rightmost address that no trusted proxy has is the client's."""

    def found(*words):
        with service(own, "--rate", "0.002", *words) as process:
            return [
                ask(process.port, "GET", "/health", **{"X-Forwarded-For": client})[0]
                for client in ("8.8.8.8", "8.8.4.4", "8.8.4.4", "1.1.1.1, 8.8.4.4, 10.1.2.3")
            ]

    assert found() == [200, 429, 429, 429]
    words = ["--trusted-proxy", "127.0.0.1", "--trusted-proxy", "10.0.0.0/8"]
    assert found(*words) == [200, 200, 429, 429]
    text = refused("serve", "--state", str(own), "--trusted-proxy", "proxy")
    assert "'proxy' does not appear to be an IPv4 or IPv6 network" in text


def test_slow_and_many_connections(own):
    with service(own, "--timeout", "1", "--connections", "3", "--rate", "0") as process:
        address = ("127.0.0.1", process.port)
        head = b"POST /learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for sent in (b"", b"GET /hea", head, head + b"Content-Length: 9\r\n\r\n[1"):
            with socket.create_connection(address, timeout=300) as slow:
                slow.sendall(sent)
                assert slow.recv(1_000).startswith(b"HTTP/1.1 408 ")
                assert slow.recv(1_000) == b"" or slow.recv(1_000) == b""

        def too_many():  # unless the first connections time out before the last one is opened
            held = [socket.create_connection(address, timeout=300) for _ in range(4)]
            predicted = held[-1].recv(1_000)
            for each in held:
                each.close()
            return predicted.startswith(b"HTTP/1.1 503 ")

        until(too_many)
        until(lambda: answers(process.port))
        assert ended(process) == 0


def test_responses_that_are_not_read(own):
    """The connection of a client that does not read is closed, and another one can be opened."""
    with service(own, "--timeout", "1", "--connections", "1", "--rate", "0") as process:
        with socket.socket() as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            deaf.connect(("127.0.0.1", process.port))
            deaf.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 500)
            until(lambda: answers(process.port), seconds=60)
        assert ended(process) == 0


def test_a_log_that_cannot_be_written(own):
    """A request is rejected if the log cannot be written; later requests are accepted."""
    most = 40_000
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limit[1]))
    try:
        with service(own, "--save", "1000") as process:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
            status, headers, found = ask(process.port, "POST", "/learn", some_rows(600))
            assert status == 503 and headers["Retry-After"] == "5"
            assert found["error"] == (
                "write-ahead.log cannot be written (File too large). Nothing was learned."
            )
            assert post(process.port, "/learn", some_rows(5))[1]["sequence"] == 1
            process.kill()
            process.wait()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    with service(own) as process:
        assert ended(process) == 0
    assert SavedModel.open(own).record.n_rows == 305


def test_metrics_and_page(shared):
    status, headers, text = ask(shared.port, "GET", "/metrics")
    assert status == 200 and headers["Content-Type"].startswith("text/plain")
    names = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    assert names >= {f"driftlearn_{name}" for name in (
        "requests_total", "request_seconds", "rows_total", "accuracy", "model_rows", "model_bytes",
        "log_bytes", "snapshot_age_seconds", "saved_age_seconds", "drifts", "events", "ready",
    )}  # fmt: skip
    kept = SavedModel.open(shared.folder)
    assert metric(shared.port, "driftlearn_model_rows") == kept.record.n_rows
    share = kept.record.accuracy()["no change"]
    assert metric(shared.port, 'driftlearn_accuracy{source="no change",window="all"}') == share
    size = (shared.folder / "model.npz").stat().st_size
    assert metric(shared.port, "driftlearn_model_bytes") == size
    before = metric(shared.port, 'driftlearn_rows_total{operation="predicted"}')
    post(shared.port, "/predict", some_rows(7))
    assert metric(shared.port, 'driftlearn_rows_total{operation="predicted"}') == before + 7
    assert metric(shared.port, 'driftlearn_request_seconds_count{route="/predict"}') >= 1
    status, _, html = ask(shared.port, "GET", "/")
    assert status == 200 and "adwin-bagging" in html and "POST /learn" in html
    assert "/predict: 99% below" in html and "connect-src 'self'" in html
    found = ask(shared.port, "GET", "/live")[2]
    assert ask(shared.port, "GET", "/keys?search=x")[2]["shown"] == "no keys"
    assert "Accuracy now" in found["html"] and len(found["version"]) == 16
    assert ask(shared.port, "GET", "/health")[2] == {
        "alive": True, "ready": True, "rows": 300, "version": __version__, "trouble": None,
    }  # fmt: skip


def test_events_announce_what_is_learned_and_end_with_the_service(own):
    with service(own, "--rate", "0") as process, ExitStack() as opened:
        answers = []
        for _ in range(33):
            connection = http.client.HTTPConnection("127.0.0.1", process.port)
            opened.callback(connection.close)
            connection.request("GET", "/events")
            answers.append(opened.enter_context(connection.getresponse()))
        assert [answer.status for answer in answers] == [200] * 32 + [503]
        first = answers[0].readline() + answers[0].readline()
        assert re.fullmatch(rb"data: [0-9a-f]{16}\n\n", first)
        post(process.port, "/learn", some_rows(5))  # threads are free although 32 pages are open
        assert re.match(b"data: ", answers[0].readline())
        assert ended(process) == 0


def test_readers_while_the_writer_learns(own):
    """Readers always get a response of a consistent model; its number of rows never decreases."""
    rows, problems, counts = some_rows(5, labels=False), [], []
    with service(own, "--save", "0.05", "--rate", "0") as process:
        done = threading.Event()

        def read():
            last = n = 0
            while not done.is_set():
                status, found = post(process.port, "/predict", rows)
                sums = [sum(each["probabilities"].values()) for each in found["predictions"]]
                if status != 200 or found["model_rows"] < last or not np.allclose(sums, 1):
                    problems.append(found)
                last, n = found["model_rows"], n + 1
            counts.append(n)

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for seed in range(30):
            assert post(process.port, "/learn", some_rows(100, seed))[0] == 200
        done.set()
        for thread in threads:
            thread.join()
        until(lambda: ask(process.port, "GET", "/health")[2]["rows"] == 3_300)
        assert ended(process) == 0
    assert not problems and min(counts) > 0
    assert SavedModel.open(own).record.n_rows == 3_300


def test_any_body_gets_a_response(own):
    """Random bodies, from parts of valid ones and other bytes, never cause an internal error."""
    seen = set()
    with service(own, "--rate", "0") as process:
        for route, body in any_bodies(some_rows(2), ["x", "size", "colour", "day", "label", "new"]):
            status, found = post(process.port, route, body)
            seen.add(status)
            assert status in (200, 400, 422), (body, found)
            if status != 200:
                assert [*found] == ["error"] and "\n" not in found["error"], (body, found)
        assert ask(process.port, "GET", "/health")[0] == 200
    assert seen == {200, 400, 422}
