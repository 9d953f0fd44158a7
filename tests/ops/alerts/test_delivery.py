"""Webhooks: a receiver that is down, slow, broken or redirects, and addresses that are invalid."""

import json
import socket
import time

import pytest

from driftlearn.ops.alerts import alarm, delivery
from tests.ops.alerts.days import Clock, learned, renamed, run, write
from tests.ops.alerts.receiver import Receiver


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(delivery, "BACKOFF", (0.01, 0.02))
    monkeypatch.setattr(delivery, "TIMEOUT", 0.3)


@pytest.fixture
def receiver():
    with Receiver() as found:
        yield found


def changed(tmp_path, day=4):
    """Learn a file without a column."""
    write(tmp_path / "days", day, renamed("price", "Price"))
    return run("learn", tmp_path / "days", "--state", tmp_path / "model", "-q")


def test_a_receiver_that_is_down_then_up(tmp_path, receiver):
    state = learned(tmp_path / "days")
    assert run("alerts", state, "--webhook", receiver.url, "--on", "schema").exit_code == 0
    receiver.stop()
    done = changed(tmp_path)
    assert done.exit_code == 4 and "alert: " in done.stderr
    assert "warning: 1 alerts were not delivered to http://127.0.0.1" in done.stderr
    assert "Connection refused" in done.stderr and "SECRET" not in done.output
    shown = run("alerts", state)
    assert "not delivered: " in shown.stdout and "SECRET" not in shown.output
    receiver.start()
    write(tmp_path / "days", 5)
    done = run("learn", tmp_path / "days", "--state", state, "-q")
    assert receiver.kinds() == [("schema", "new"), ("schema", "resolved")]
    assert done.stderr.count("alert: ") == 1, "an alert is printed once"
    assert run("learn", tmp_path / "days", "--state", state, "-q").exit_code == 0
    assert len(receiver.alerts) == 2 and "not delivered" not in run("alerts", state).stdout


@pytest.mark.parametrize(
    ("status", "attempts", "problem"),
    [
        (500, 3, "the answer is 500 instead of 200"),
        (503, 3, "the answer is 503"),
        (429, 3, "the answer is 429"),
        (404, 1, "the answer is 404"),
        (302, 1, "the answer is 302, a redirect"),
        (307, 1, "the answer is 307, a redirect"),
    ],
)
def test_answers(tmp_path, receiver, status, attempts, problem):
    state = learned(tmp_path / "days", 1)
    run("alerts", state, "--webhook", receiver.url)
    receiver.status = status
    done = run("alerts", state, "--test")
    assert done.exit_code == 2 and problem in done.stderr and receiver.attempts == attempts
    assert "SECRET" not in done.output
    receiver.status = 200
    done = run("alerts", state, "--test")
    assert done.exit_code == 0 and "was delivered" in done.stderr
    assert receiver.kinds() == [("test", "test")]


def test_a_slow_receiver(tmp_path, receiver, monkeypatch):
    state = learned(tmp_path / "days")
    run("alerts", state, "--webhook", receiver.url, "--on", "schema")
    receiver.seconds = 1.0
    done = changed(tmp_path)
    assert done.exit_code == 4 and "no answer within 0.3 s" in done.stderr
    # a receiver that never ends its header
    with socket.create_server(("127.0.0.1", 0)) as endless:
        port = endless.getsockname()[1]
        run("alerts", state, "--webhook", f"http://127.0.0.1:{port}/SECRET")
        monkeypatch.setattr(alarm, "LONGEST", 0.1)
        begun = time.monotonic()
        done = run("learn", tmp_path / "days", "--state", state, "-q")
        assert "no answer within 0.1 s" in done.stderr and time.monotonic() - begun < 20
    assert json.loads((state / "alerts.json").read_text())["waiting"]


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("file:///etc/passwd", "it begins with 'file'"),
        ("ftp://example.org/SECRET", "it begins with 'ftp'"),
        ("javascript:SECRET", "it begins with 'javascript'"),
        ("example.org/SECRET", "it is no address"),
        ("http:///SECRET", "expected an address"),
        ("https://user:SECRET@example.org/", "user and password"),
        ("https://example.org:SECRET/", "it is no address"),
        ("https://example.org/a b", "expected an address"),
        ("https://example.org/\nHost: SECRET", "expected an address"),
    ],
)
def test_invalid_addresses(tmp_path, url, problem):
    state = learned(tmp_path / "days", 1)
    done = run("alerts", state, "--webhook", url)
    assert done.exit_code == 2 and "Invalid --webhook" in done.stderr and problem in done.stderr
    assert "SECRET" not in done.output and not (state / "alerts.toml").exists()
    # written by hand: the model is trained all the same
    (state / "alerts.toml").write_text(f"webhook = {json.dumps(url)}\n")
    done = changed(tmp_path)
    assert done.exit_code == 4 and "warning: " in done.stderr and problem in done.stderr
    assert "SECRET" not in done.output


def test_a_host_that_does_not_exist(tmp_path):
    state = learned(tmp_path / "days", 1)
    run("alerts", state, "--webhook", "https://host.invalid/SECRET")
    done = run("alerts", state, "--test")
    assert done.exit_code == 2 and "was not delivered: " in done.stderr
    assert "SECRET" not in done.output


def test_secrets_are_in_the_rules_only(tmp_path, receiver):
    state = learned(tmp_path / "days")
    run("alerts", state, "--webhook", "-", "--file", tmp_path / "a.log", input=receiver.url + "\n")
    assert (state / "alerts.toml").stat().st_mode & 0o077 == 0
    done = changed(tmp_path)
    outputs = [done.output, run("alerts", state).output, run("alerts", state, "--json").output,
               (tmp_path / "a.log").read_text(), json.dumps(receiver.alerts)]  # fmt: skip
    outputs += [path.read_text() for path in state.iterdir() if path.suffix in (".json", ".jsonl")]
    assert receiver.alerts and not any("SECRET" in each for each in outputs)


def test_the_payload(tmp_path, receiver, monkeypatch):
    Clock(monkeypatch)
    state = learned(tmp_path / "days")
    run("alerts", state, "--webhook", receiver.url, "--on", "schema")
    changed(tmp_path)
    (found,) = receiver.alerts
    assert {*found} == {"id", "alert", "status", "time", "host", "state", "text", "details"}
    assert found["alert"] == "schema" and found["status"] == "new"
    assert found["time"].startswith("2024-03-04T07:00:00") and found["state"] == str(state)
    assert "no column 'price'" in found["details"][0] and found["details"][0] in found["text"]
