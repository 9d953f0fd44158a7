"""Conditions of alerts: each is reported once, and once more when it has ended."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import timedelta

import pytest

from driftlearn.ops.alerts import alarm, delivery
from driftlearn.ops.alerts.alarm import Alarm, AlarmClock, Status
from driftlearn.ops.alerts.rules import Rules, read_rules
from tests import services
from tests.ops.alerts.days import Clock, column, flipped, learned, orders, renamed, run, write
from tests.ops.alerts.receiver import Receiver


@pytest.fixture
def receiver():
    with Receiver() as found:
        yield found


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(delivery, "BACKOFF", (0.01, 0.02))
    return Clock(monkeypatch)


class Job:
    """The daily job of a state folder, with alerts that are sent to a receiver."""

    def __init__(self, tmp_path, clock, receiver, *rules, n=8, words=()):
        self.days, self.clock, self.receiver, self.next = tmp_path / "days", clock, receiver, n
        self.state = learned(self.days, n, *words)
        done = run("alerts", self.state, "--webhook", receiver.url, *rules)
        assert done.exit_code == 0, done.output

    def day(self, change=None, *words, file=True):
        """Run a day; return the result, and kind and status of each alert."""
        self.clock.forward(days=1)
        self.receiver.alerts.clear()
        if file:
            write(self.days, self.next, change)
        self.next += 1
        done = run("learn", self.days, "--state", self.state, "-q", *words)
        return done, self.receiver.kinds()


def test_a_schema_change_is_reported_once(tmp_path, clock, receiver):
    job = Job(tmp_path, clock, receiver, "--on", "schema")
    assert job.day()[1] == []
    assert job.day(renamed("price", "Price"))[1] == [("schema", "new")]
    assert job.day(renamed("price", "Price"))[1] == []
    assert job.day(file=False)[1] == [], "without a file it is not known whether it has ended"
    done, found = job.day(column("pieces", "{} pcs".format))
    assert sorted(found) == [("schema", "new"), ("schema", "resolved")]
    assert "pieces" in receiver.alerts[0]["text"] and done.exit_code == 4
    assert job.day()[1] == [("schema", "resolved")] and job.day()[1] == []


def test_a_stopped_run(tmp_path, clock, receiver):
    job = Job(tmp_path, clock, receiver, "--files-every", "1d",
              words=["--on-schema-change", "stop"])  # fmt: skip
    done, found = job.day(renamed("price", "Price"))
    assert done.exit_code == 5 and found == [("schema", "new")]
    job.next -= 1
    done, found = job.day(renamed("price", "Price"))
    assert done.exit_code == 5 and found == []
    job.next -= 1
    assert job.day()[1] == [("schema", "resolved")]


def test_a_failed_run(tmp_path, clock, receiver):
    job = Job(tmp_path, clock, receiver)
    done, found = job.day(renamed("label", "target"), "--log-line")
    assert done.exit_code == 2 and found == [("failure", "new")]
    assert "label" in receiver.alerts[0]["text"] and '"alerts": [' in done.stderr
    job.next -= 1
    assert job.day(renamed("label", "target"))[1] == []
    job.next -= 1
    assert job.day()[1] == [("failure", "resolved")]


def test_a_drift_is_reported_once(tmp_path, clock, receiver):
    job = Job(tmp_path, clock, receiver, "--on", "drift", n=14)
    shift = column("price", lambda text: f"{float(text) + 12:.2f}")
    found = [job.day(shift)[1] for _ in range(10)]
    days = [day for day, kinds in enumerate(found) if ("drift", "new") in kinds]
    assert days[0] <= 2 and len(days) <= 2, "feature and target may be found on different days"
    before = json.loads((job.state / "alerts.json").read_text())["drifts"]
    assert {"feature price"} <= {*before}
    back = [each for _ in range(4) for each in job.day()[1]]
    assert ("drift", "resolved") in back and ("drift", "new") not in back


def test_old_drifts_are_not_reported(tmp_path, clock, receiver):
    shift = column("price", lambda text: f"{float(text) + 12:.2f}")
    for day in range(12, 20):
        write(tmp_path / "days", day, shift)
    job = Job(tmp_path, clock, receiver, "--on", "drift", n=12)
    known = json.loads((job.state / "alerts.json").read_text())["drifts"]
    assert "feature price" in known
    job.next = 20
    assert job.day(shift)[1] == []


def test_below_the_majority_class(tmp_path, clock, receiver):
    job = Job(tmp_path, clock, receiver, "--on", "baseline")
    assert job.day(flipped)[1] == [("baseline", "new")]
    assert "are its labels correct?" in receiver.alerts[0]["text"]
    assert job.day()[1] == [("baseline", "resolved")]

    def random_labels(head, rows):
        return head, [[*row[:-1], "yes" if int(row[2]) % 3 else "no"] for row in rows]

    found = [each for _ in range(14) for each in job.day(random_labels)[1]]
    assert found.count(("baseline", "new")) <= 2 and ("baseline", "new") in found


def test_files_stop_coming(tmp_path, clock, receiver):
    job = Job(tmp_path, clock, receiver, "--files-every", "2d", "--exit-on", "files")
    assert [job.day()[1] for _ in range(3)] == [[]] * 3
    assert job.day(file=False)[1] == []
    done, found = job.day(file=False)
    assert found == [("files", "new")] and done.exit_code == 6
    assert "48 h 0 min" in receiver.alerts[0]["text"]
    done, found = job.day(file=False)
    assert found == [] and done.exit_code == 0
    assert job.day()[1] == [("files", "resolved")]


def test_cron_that_starts_a_little_early(tmp_path, clock, receiver):
    job = Job(tmp_path, clock, receiver, "--files-every", "1d")
    clock.now -= timedelta(seconds=70)
    assert job.day(file=False)[1] == [("files", "new")]
    clock.forward(seconds=70)
    assert job.day()[1] == [("files", "resolved")]


def test_labels_stop_coming(tmp_path, clock, receiver):
    job = Job(tmp_path, clock, receiver, "--labels-every", "1d", "--on", "none")
    assert job.day()[1] == []
    assert job.day(column("label", lambda text: ""))[1] == [("labels", "new")]
    assert job.day(column("label", lambda text: ""))[1] == []
    assert job.day()[1] == [("labels", "resolved")]
    assert [job.day(file=False)[1] for _ in range(3)] == [[]] * 3, "no rows, so no labels"


def test_label_files_stop_coming(tmp_path, clock, receiver):
    labels = tmp_path / "labels"
    labels.mkdir()

    def write_labels(day):
        lines = [f"{row[0]},{row[-1]}" for row in orders(day)[1]]
        (labels / f"{day:02}.csv").write_text("\n".join(["id,label", *lines]) + "\n")

    def unlabelled(head, rows):
        return head[:-1], [row[:-1] for row in rows]

    for day in range(4):
        write(tmp_path / "days", day, unlabelled)
        write_labels(day)
    state = tmp_path / "model"
    run("learn", tmp_path / "days", "--target", "label", "--state", state, "-l", "naive-bayes",
        "--labels", labels, "--by", "id", "-q")  # fmt: skip
    run("alerts", state, "--webhook", receiver.url, "--labels-every", "2d", "--on", "none")
    found = []
    for day in range(4, 10):
        clock.forward(days=1)
        receiver.alerts.clear()
        write(tmp_path / "days", day, unlabelled)
        if day not in (6, 7, 8):
            write_labels(day)
        run("learn", tmp_path / "days", "--state", state, "-q")
        found.append(receiver.kinds())
    assert found == [[], [], [], [("labels", "new")], [], [("labels", "resolved")]]


def test_exit_codes_and_json(tmp_path, clock, receiver):
    job = Job(tmp_path, clock, receiver, "--exit-on", "drift")
    assert job.day(renamed("color", "Color"))[0].exit_code in (4, 6)
    run("alerts", job.state, "--on", "schema", "--exit-on", "schema,files")
    done, _ = job.day(column("pieces", "{} pcs".format), "--json")
    found = json.loads(done.stdout)
    assert done.exit_code == found["exit code"] == 6 and "pieces" in found["alerts"][0]
    done, _ = job.day(column("pieces", "{} pcs".format), "--json")
    assert done.exit_code == json.loads(done.stdout)["exit code"] == 4


def test_a_dry_run_sends_nothing(tmp_path, clock, receiver):
    job = Job(tmp_path, clock, receiver)
    before = (job.state / "alerts.json").read_bytes()
    done, found = job.day(renamed("price", "Price"), "--dry-run")
    assert found == [] and "alert: " not in done.stderr and done.exit_code == 4
    assert (job.state / "alerts.json").read_bytes() == before


def test_without_rules_nothing_changes(tmp_path):
    state = learned(tmp_path / "days")
    names = {path.name for path in state.iterdir()}
    write(tmp_path / "days", 4, renamed("price", "Price"))
    done = run("learn", tmp_path / "days", "--state", state, "--json", "-q")
    assert done.exit_code == 4 and "alerts" not in json.loads(done.stdout)
    assert {path.name for path in state.iterdir()} == names


KILLED = """
import os, signal, sys
from driftlearn.ops.alerts import alarm
from driftlearn.cli import main
from driftlearn.ops.checkpoint.learn_run import LearnRun
name, count = sys.argv.pop(1).rsplit(":", 1)
owner, method = {"check": (alarm.Alarm, "check"), "send": (alarm.Alarm, "send"),
                 "settle": (alarm.Alarm, "_settle"), "save": (LearnRun, "_save")}[name]
before, calls = getattr(owner, method), []
def killed(*some, **more):
    calls.append(1)
    if len(calls) == int(count):
        os.kill(os.getpid(), signal.SIGKILL)
    return before(*some, **more)
setattr(owner, method, killed)
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize(
    ("where", "n"),
    [("save:1", 1), ("check:1", 1), ("send:1", 1), ("settle:1", 1), ("settle:2", 2)],
)
def test_killed_between_learning_and_sending(tmp_path, receiver, where, n):
    """Nothing is lost; an alert that was sent but not yet removed is sent again, with its id."""
    state = learned(tmp_path / "days")
    run("alerts", state, "--webhook", receiver.url, "--on", "schema")
    write(tmp_path / "days", 4, renamed("price", "Price"))
    words = ["learn", str(tmp_path / "days"), "--state", str(state), "-q"]
    done = subprocess.run([sys.executable, "-c", KILLED, where, *words], check=False,
                          capture_output=True)  # fmt: skip
    assert done.returncode == -signal.SIGKILL
    assert run(*words).exit_code in (0, 4)
    assert receiver.kinds() == [("schema", "new")] * n
    assert len({each["id"] for each in receiver.alerts}) == 1


@contextmanager
def waited(condition, seconds=30):
    yield
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_the_clock_of_a_running_process(tmp_path, clock, receiver, monkeypatch):
    monkeypatch.setattr(alarm, "CHECK_SECONDS", 0.01)
    state = learned(tmp_path / "days", 1)
    run("alerts", state, "--webhook", receiver.url, "--files-every", "1h", "--labels-every", "1h")
    rows, lines = [100, 100], []
    watched = Alarm(state, lines.append)
    with AlarmClock(watched, lambda: Status(*rows, is_waiting=True)):
        with waited(lambda: watched.memory()["files"]["n"] == 100):
            pass
        clock.forward(minutes=61)
        time.sleep(0.1)
        assert receiver.alerts == [], "files may be a little late"
        with waited(lambda: len(receiver.alerts) == 2):
            clock.forward(minutes=5)
        with waited(lambda: len(receiver.alerts) == 4):
            rows[:] = 200, 200
        watched.rejected("Row 0 has no label.")
        with waited(lambda: ("schema", "new") in receiver.kinds()):
            pass
        with waited(lambda: ("schema", "resolved") in receiver.kinds()):
            clock.forward(minutes=61)
            rows[:] = 300, 300
    assert sum(line.startswith("alert: ") for line in lines) == len(receiver.alerts)


FOLLOWING = """
import sys
from driftlearn.cli import main
from driftlearn.ops.alerts import alarm
alarm.CHECK_SECONDS = 0.2
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="ends processes by signals")
def test_learn_reports_while_it_waits_for_files(tmp_path, receiver):
    days, state = tmp_path / "days", learned(tmp_path / "days", 2)
    run("alerts", state, "--webhook", receiver.url, "--on", "schema")
    words = ["learn", str(days), "--state", str(state), "-q", "--follow"]
    process = subprocess.Popen([sys.executable, "-c", FOLLOWING, *words],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        with waited(lambda: ("schema", "new") in receiver.kinds(), seconds=60):
            write(tmp_path / "new", 2, renamed("price", "Price"))
            (path,) = (tmp_path / "new").iterdir()
            path.rename(days / path.name)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
    assert receiver.kinds() == [("schema", "new")]


def overdue(state, url):
    """Write rules, as if the last rows had come long ago."""
    run("alerts", state, "--webhook", url, "--files-every", "1d")
    path = state / "alerts.json"
    memory = json.loads(path.read_text())
    memory["files"]["at"] -= 2 * 86_400
    path.write_text(json.dumps(memory))


@pytest.mark.skipif(sys.platform == "win32", reason="ends processes by signals")
@pytest.mark.parametrize("make", [services.make_state, services.make_keyed_state])
def test_watch_reports_that_files_stopped_coming(tmp_path, receiver, make):
    state = make(tmp_path / "model")
    overdue(state, receiver.url)
    process = subprocess.Popen([sys.executable, "-m", "driftlearn", "watch", str(state)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env=os.environ)  # fmt: skip
    try:
        with waited(lambda: receiver.alerts):
            pass
    finally:
        process.send_signal(signal.SIGINT)
        printed = process.communicate()[1]
    assert receiver.kinds() == [("files", "new")] and "alert: " in printed


@pytest.mark.skipif(sys.platform == "win32", reason="ends processes by signals")
def test_serve_reports_missing_rows_and_rejected_requests(tmp_path, receiver):
    for package in ("uvicorn", "starlette", "prometheus_client"):
        pytest.importorskip(package, reason="driftlearn serve needs it")
    state = services.make_state(tmp_path / "model")
    overdue(state, receiver.url)
    with services.service(state) as process:
        with waited(lambda: receiver.alerts):
            pass
        assert receiver.kinds() == [("files", "new")]
        status, _ = services.post(process.port, "/predict", {"y": 1})
        assert status == 422
        status, _ = services.post(process.port, "/learn", services.some_rows(20))
        assert status == 200
        assert services.ended(process) == 0
    assert sorted(receiver.kinds()[1:]) == [("files", "resolved"), ("schema", "new")]


def test_one_model_per_key(tmp_path, clock, receiver):
    days, state = tmp_path / "days", tmp_path / "models"
    write(days, 0)
    words = ["learn", days, "--state", state, "-q"]
    assert run(*words, "--target", "label", "--key", "color").exit_code == 0
    done = run("alerts", state, "--webhook", receiver.url, "--on", "drift,schema")
    assert done.exit_code == 2 and "one model per key" in done.stderr
    rules = ["--files-every", "1d", "--labels-every", "1d", "--exit-on", "schema"]
    assert run("alerts", state, "--webhook", receiver.url, *rules).exit_code == 0
    assert read_rules(state).on == ("schema", "failure")
    clock.forward(days=1)
    write(days, 1, renamed("price", "Price"))
    assert run(*words).exit_code == 6 and receiver.kinds() == [("schema", "new")]
    clock.forward(days=1)
    run(*words)
    assert receiver.kinds()[1:] == [("files", "new")]
    clock.forward(days=1)
    write(days, 2)
    found = json.loads(run(*words, "--json").stdout)
    assert sorted(receiver.kinds()[2:]) == [("files", "resolved"), ("schema", "resolved")]
    assert len(found["alerts"]) == 2 and found["exit code"] == 0


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--on", "drft"], "Invalid --on 'drft'"),
        (["--on", "files"], "Set --files-every or --labels-every"),
        (["--exit-on", "never"], "Invalid --exit-on 'never'"),
        (["--files-every", "daily"], "Invalid --files-every 'daily': expected a time"),
        (["--labels-every", "0d"], "Invalid --labels-every '0d'"),
    ],
)
def test_invalid_rules(tmp_path, words, problem):
    state = learned(tmp_path / "days", 1)
    done = run("alerts", state, *words)
    assert done.exit_code == 2 and problem in done.stderr
    assert "has no alerts" in run("alerts", state).stderr


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("webhok = ''", "unknown rule 'webhok' (did you mean 'webhook'?)"),
        ("on = 'schema'", "on must be a list of texts"),
        ("on = [1]", "on must be a list of texts"),
        ("webhook = 3", "webhook must be a text"),
        ("webhook", "alerts.toml, line 1"),
    ],
)
def test_rules_that_were_edited(tmp_path, text, problem):
    state = learned(tmp_path / "days", 1)
    (state / "alerts.toml").write_text(text + "\n")
    done = run("alerts", state)
    assert done.exit_code == 2 and problem in done.stderr
    write(tmp_path / "days", 1)
    done = run("learn", tmp_path / "days", "--state", state, "-q")
    assert done.exit_code == 0 and f"warning: {state}/alerts.toml" in done.stderr


def test_the_rules_file(tmp_path):
    state = learned(tmp_path / "days", 1)
    file = tmp_path / "alerts.log"
    run("alerts", state, "--file", file, "--on", "schema", "--files-every", "36h")
    assert read_rules(state) == Rules(file=str(file), on=("schema",), files_every="36h")
    run("alerts", state, "--files-every", "", "--exit-on", "all")
    text = (state / "alerts.toml").read_text()
    assert 'files_every = ""' in text and "# Longest time without new rows" in text
    done = run("alerts", state, "--test")
    assert done.exit_code == 0 and "this is a test" in file.read_text()
    assert "There is no saved model" in run("alerts", tmp_path / "none").stderr


def test_a_damaged_memory_is_a_warning(tmp_path, receiver):
    state = learned(tmp_path / "days", 1)
    run("alerts", state, "--webhook", receiver.url)
    (state / "alerts.json").write_text("{")
    write(tmp_path / "days", 1)
    done = run("learn", tmp_path / "days", "--state", state, "-q")
    assert done.exit_code == 0 and done.stderr.count("alerts.json is damaged. Remove it.") == 1
