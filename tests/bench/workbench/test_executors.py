"""All executors emit the same events, and handle tasks and workers that die."""

import itertools
import os
import signal
import sys
import threading
import time
from importlib.util import find_spec

import pytest
from joblib import cpu_count

import tests.workbench_tasks as work
from driftlearn.bench.workbench import process_executor
from driftlearn.bench.workbench.executors import (
    Done,
    Failed,
    Message,
    Retried,
    SerialExecutor,
    Started,
    make_executor,
)
from driftlearn.bench.workbench.process_executor import ProcessExecutor

EACH = pytest.mark.parametrize("name", ["serial", "processes:2"])


def story(executor, function, tasks):
    """The events of each key, in order."""
    events = {}
    executor.run(function, tasks, lambda event: events.setdefault(event.key, []).append(event))
    return events


def alive(pid):
    """Return whether a process exists and is not a zombie."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen in 30 s")


@EACH
def test_every_task_emits_its_events(name):
    with make_executor(name) as executor:
        found = story(executor, work.double, [(str(i), i) for i in range(12)])
    assert found == {
        str(i): [
            Started(str(i)),
            *(Message(str(i), (i, step)) for step in range(3)),
            Done(str(i), 2 * i),
        ]
        for i in range(12)
    }


@EACH
def test_no_tasks(name):
    with make_executor(name) as executor:
        assert story(executor, work.double, []) == {}


@EACH
def test_tasks_are_pulled_on_demand(name):
    """There are never more running tasks than workers, even if one worker is slow."""
    out, most = set(), []

    def tasks():
        for i in range(10):
            out.add(str(i))
            most.append(len(out))
            yield str(i), 0.3 if i == 0 else 0.01

    def handle(event):
        if isinstance(event, Done):
            out.remove(event.key)

    with make_executor(name) as executor:
        executor.run(work.nap, tasks(), handle)
        assert max(most) == executor.workers
    assert not out and len(most) == 10


@EACH
def test_nothing_at_the_moment(name):
    """After a None the source is polled again, and may end afterwards."""
    with make_executor(name) as executor:
        found = story(executor, work.quick, iter([None, ("a", 1), None, ("b", 2), None]))
    assert [events[-1] for events in found.values()] == [Done("a", 1), Done("b", 2)]


def test_events_are_served_while_there_is_nothing():
    """The second task is pulled only after the client has seen the end of the first."""
    done = []

    def tasks():
        yield "first", 0.1
        while not done:
            yield None
        yield "second", 0

    def handle(event):
        if isinstance(event, Done):
            done.append(event.key)

    with make_executor("processes:2") as executor:
        executor.run(work.nap, tasks(), handle)
    assert done == ["first", "second"]


@EACH
def test_a_task_that_raises_fails_alone(name):
    with make_executor(name) as executor:
        found = story(executor, work.broken, [("a", 1), ("b", "bad"), ("c", 3)])
    assert found["a"][-1] == Done("a", 1) and found["c"][-1] == Done("c", 3)
    started, failed = found["b"]
    assert started == Started("b") and failed.error == "KeyError: 'no such thing'"
    assert 'raise KeyError("no such thing")' in failed.traceback


def test_what_cannot_be_sent():
    tasks = [("a", lambda: None), ("b", "message"), ("c", "result"), ("d", "fine")]
    with make_executor("processes:1") as executor:
        found = story(executor, work.unsendable, tasks)
        nowhere = story(executor, lambda payload, emit: None, [("e", 1)])
    assert all(found[key][-1].traceback for key in "abc") and nowhere["e"][-1].traceback
    assert [type(event) for event in found["b"]] == [Started, Failed]
    assert found["d"][-1] == Done("d", "fine")


@EACH
def test_what_handle_raises_ends_the_run(name, tmp_path):
    workers = []

    def handle(event):
        if isinstance(event, Message):
            workers.append(event.payload)
            raise ZeroDivisionError

    with make_executor(name) as executor:
        with pytest.raises(ZeroDivisionError):
            executor.run(work.long, [("a", tmp_path), ("b", tmp_path)], handle)
        assert (tmp_path / str(workers[0])).exists()
        assert name == "serial" or not alive(workers[0])
        assert story(executor, work.quick, [("c", 3)])["c"][-1] == Done("c", 3)


def test_errors_of_handle_cannot_be_suppressed():
    def handle(event):
        if isinstance(event, Message):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        SerialExecutor().run(work.swallows, [("a", None)], handle)


def test_a_worker_dies_once(tmp_path):
    with make_executor("processes:2") as executor:
        found = story(executor, work.dies_once, [("a", (tmp_path / "mark", 7))])
    assert found["a"] == [
        Started("a"),
        Message("a", "begun"),
        Retried("a", "the worker died (exit code 7)"),
        Started("a"),
        Message("a", "begun"),
        Done("a", "survived"),
    ]


def test_tasks_that_kill_their_worker_fail_alone():
    tasks = [(str(i), i) for i in range(20)]
    tasks.insert(5, ("p", "poison"))
    with make_executor("processes:2") as executor:
        found = story(executor, work.poison, tasks)
    reason = "the worker died (signal 9)"
    assert found.pop("p") == [
        *[Started("p"), Retried("p", reason)] * 2,
        Started("p"),
        Failed("p", reason),
    ]
    assert [found[str(i)] for i in range(20)] == [
        [Started(str(i)), Done(str(i), i)] for i in range(20)
    ]


def test_no_retries():
    with ProcessExecutor(1, retries=0) as executor:
        found = story(executor, work.poison, [("p", "poison"), ("a", 1)])
    assert [type(event) for event in found["p"]] == [Started, Failed]
    assert found["a"][-1] == Done("a", 1)


def test_a_worker_that_dies_between_two_runs():
    with make_executor("processes:1") as executor:
        pid = story(executor, work.nap, [("a", 0)])["a"][-1].result
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not alive(pid))
        again = story(executor, work.nap, [("b", 0)])["b"][-1].result
    assert again != pid and not alive(again)


def test_large_messages_to_a_slow_client():
    size, seen = 3_000_000, []

    def handle(event):
        if isinstance(event, Message):
            time.sleep(0.02)
            seen.append((event.key, event.payload[0], len(event.payload)))

    with make_executor("processes:2") as executor:
        executor.run(work.large, [("a", size), ("b", size)], handle)
    assert sorted(seen) == [(key, step, size) for key in "ab" for step in range(8)]


def test_one_inner_thread_in_workers_only(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    with make_executor("processes:1") as executor:
        result = story(executor, work.environment, [("a", process_executor.THREADS)])["a"][
            -1
        ].result
    assert result[0] == dict.fromkeys(process_executor.THREADS, "1")
    assert set(result[1]) == {1}
    assert os.environ["OMP_NUM_THREADS"] == "7" and "MKL_NUM_THREADS" not in os.environ


def test_workers_that_do_not_end_are_killed(monkeypatch):
    """In a thread other than the main thread, as in a server, no signal handler is needed."""
    monkeypatch.setattr(process_executor, "GRACE", 0.2)
    seen = []

    def handle(event):
        if isinstance(event, Message):
            seen.append(event.payload)
            raise ZeroDivisionError

    def client():
        with pytest.raises(ZeroDivisionError), make_executor("processes:1") as executor:
            executor.run(work.stubborn, [("a", None)], handle)
        seen.append(alive(seen[0]))

    thread = threading.Thread(target=client)
    thread.start()
    thread.join(30)
    assert seen[1:] == [False]


@pytest.fixture
def client(tmp_path):
    """Start a client; return it and the process ids of its workers."""
    started = []

    def start(name, workers):
        started.append(work.start_client(name, tmp_path))
        return started[-1], [int(started[-1].stdout.readline()) for _ in range(workers)]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_workers_end_with_a_killed_client(client):
    process, workers = client("processes:2", 2)
    assert all(alive(pid) for pid in workers)
    process.kill()
    process.wait(30)
    wait_until(lambda: not any(alive(pid) for pid in workers))


STARTING = """
import os, sys, threading, time
from driftlearn.bench.workbench.executors import make_executor

def work(payload, emit):
    pass

def client():
    with make_executor("processes:2") as executor:
        executor.run(work, [("a", 1), ("b", 2)], lambda event: None)

if __name__ == "__main__":
    thread = threading.Thread(target=client)
    client() if sys.argv[1] == "main" else (thread.start(), thread.join())
else:
    os.write(1, f"{os.getpid()} {'numpy' in sys.modules}\\n".encode())  # whole, beside the other's
    time.sleep(600)  # as if it imported much
"""


@pytest.mark.parametrize("thread", ["main", "other"])
def test_workers_that_are_starting_end_with_a_killed_client(tmp_path, thread):
    """Workers hang in the import of the client's main module, which precedes all slow imports."""
    with work.start_client(thread, tmp_path, STARTING) as process:
        try:
            lines = (line.split() for line in itertools.islice(process.stdout, 2))
            workers = {int(pid): heavy for pid, heavy in lines}
            assert [*workers.values()] == ["False", "False"]
            assert all(alive(pid) for pid in workers)
        finally:
            process.kill()
    wait_until(lambda: not any(alive(pid) for pid in workers))


NO_DASK = pytest.mark.skipif(not find_spec("distributed"), reason="needs dask.distributed")


@pytest.mark.parametrize(
    "name, workers",
    [("serial", 1), ("processes:2", 2), pytest.param("local:2", 2, marks=NO_DASK)],
)
def test_ctrl_c(client, tmp_path, name, workers):
    """As in a terminal, the whole group gets the signal; only the client prints a message."""
    process, workers = client(name, workers)
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert stderr.count("Traceback") == 1 and stderr.endswith("KeyboardInterrupt\n")
    assert all((tmp_path / str(pid)).exists() and not alive(pid) for pid in workers)


def test_ctrl_c_while_workers_start(tmp_path):
    early = work.CLIENT.replace(
        "def handle(event):", "def handle(event):\n    print(1, flush=True)"
    )
    process = work.start_client("processes:2", tmp_path, early)
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert stderr.count("Traceback") == 1 and stderr.endswith("KeyboardInterrupt\n")


def test_a_script_without_a_guard(tmp_path):
    bare = work.CLIENT.replace('if __name__ == "__main__":', "if True:")
    _, stderr = work.start_client("processes:2", tmp_path, bare).communicate(timeout=60)
    last = stderr.splitlines()[-1]
    assert "worker processes do not start" in last and "__main__" in last


def test_names_of_executors():
    with make_executor("processes") as executor:
        assert executor.name == "processes" and executor.workers == cpu_count()
    assert make_executor("serial").workers == 1


@pytest.mark.parametrize(
    "text", ["", "parallel", "processes:", "processes:0", "processes:-1", "processes:1.5",
             "local", "local:x", "serial:2", "tcp://", "tcp://host", "host:8786", "http://host:1"]
)  # fmt: skip
def test_wrong_names_of_executors(text):
    with pytest.raises(ValueError, match=r"processes:4.*local:4.*tcp://host:8786"):
        make_executor(text)


@pytest.mark.parametrize("text", ["local:2", "tcp://127.0.0.1:8786"])
def test_without_dask(text, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ModuleNotFoundError, match="pip install distributed"):
        make_executor(text)
