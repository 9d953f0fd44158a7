"""The dask executor on a real scheduler and real workers, some of which are killed."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

import tests.workbench_tasks as work

pytest.importorskip("distributed", reason="dask.distributed is not installed")

import distributed

from driftlearn.bench.workbench import dask_executor
from driftlearn.bench.workbench.dask_executor import DaskExecutor, NoCluster
from driftlearn.bench.workbench.executors import (
    Done,
    Failed,
    Message,
    Notice,
    Retried,
    Started,
    make_executor,
)


class Cluster:
    """Scheduler and workers, each in its own process group."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        self.file = folder / "scheduler.json"
        self.scheduler = self._start("dask_scheduler", "--host=127.0.0.1", "--port=0")
        while not self._is_written():
            assert self.scheduler.poll() is None
            time.sleep(0.05)
        self.address = json.loads(self.file.read_text())["address"]

    def _is_written(self):
        """Wait for the content of a file, which exists before it is written."""
        return self.file.exists() and self.file.read_text().rstrip().endswith("}")

    def worker(self):
        """Start a worker with its nanny."""
        return self._start(
            "dask_worker", "--nthreads=1", "--nworkers=1", f"--local-directory={self.folder}"
        )

    def _start(self, module, *options):
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{module}", "--no-dashboard",
             f"--scheduler-file={self.file}", *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(sys.path),
                "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
            },
        )  # fmt: skip
        self.processes.append(process)
        return process

    def close(self):
        for process in reversed(self.processes):
            kill(process)


def kill(process):
    """End a whole process group, as when a machine is switched off."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A cluster with two workers."""
    found = Cluster(tmp_path_factory.mktemp("two"))
    found.worker(), found.worker()
    with DaskExecutor(found.address) as executor:
        executor._client.wait_for_workers(2, timeout=30)
    yield found
    found.close()


@pytest.fixture
def other(tmp_path):
    """A cluster without workers."""
    found = Cluster(tmp_path)
    yield found
    found.close()


def story(executor, function, tasks):
    """The events of each key, in order."""
    events = {}
    executor.run(function, tasks, lambda event: events.setdefault(event.key, []).append(event))
    return events


def test_every_task_emits_its_events(two):
    with make_executor(two.address) as executor:
        assert executor.name == two.address and executor.workers == 2
        assert not executor.shares_files
        found = story(executor, work.double, [(str(i), i) for i in range(12)])
        again = story(executor, work.double, [("0", 0)])
        assert story(executor, work.double, []) == {}
    assert found == {
        str(i): [
            Started(str(i)),
            *(Message(str(i), (i, step)) for step in range(3)),
            Done(str(i), 2 * i),
        ]
        for i in range(12)
    }
    assert again["0"] == found["0"]


def test_failures_and_what_cannot_be_sent(two):
    with DaskExecutor(two.address) as executor:
        found = story(executor, work.broken, [("a", 1), ("b", "bad"), ("c", lambda: None)])
        strange = story(executor, work.unsendable, [("d", "message"), ("e", "result")])
    assert found["a"] == [Started("a"), Done("a", 1)]
    assert found["b"][-1].error == "KeyError: 'no such thing'"
    assert 'raise KeyError("no such thing")' in found["b"][-1].traceback
    assert all(type(events[-1]) is Failed for events in [found["c"], *strange.values()])


def test_large_messages(two):
    size = 2_000_000
    with DaskExecutor(two.address) as executor:
        found = story(executor, work.large, [("a", size)])["a"]
    assert found[1:-1] == [Message("a", bytes([step]) * size) for step in range(8)]


def test_tasks_are_pulled_on_demand(two):
    out, most = set(), []

    def tasks():
        for i in range(12):
            out.add(str(i))
            most.append(len(out))
            yield str(i), 0.02
            if i % 5 == 4:
                yield None

    def handle(event):
        if isinstance(event, Done):
            out.remove(event.key)

    with DaskExecutor(two.address) as executor:
        executor.run(work.nap, tasks(), handle)
    assert len(most) == 12 and max(most) <= 2 + dask_executor.SPARE and not out


def test_one_inner_thread(two):
    with DaskExecutor(two.address) as executor:
        _, pools = story(executor, work.environment, [("a", [])])["a"][-1].result
    assert set(pools) == {1}


def test_abandoned_tasks_leave_the_workers(two, tmp_path):
    """Messages arrive while tasks run; when the client gives up, the workers are free again."""
    reported = []

    def handle(event):
        if isinstance(event, Message):
            reported.append(event.key)
            if {"a", "b"} <= set(reported):
                raise ZeroDivisionError

    with DaskExecutor(two.address) as executor:
        with pytest.raises(ZeroDivisionError):
            executor.run(work.long, [(key, str(tmp_path)) for key in "abc"], handle)
        found = story(executor, work.quick, [(str(i), i) for i in range(4)])
    assert [found[str(i)][-1] for i in range(4)] == [Done(str(i), i) for i in range(4)]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_killed_client_leaves_the_workers(two, tmp_path):
    client = work.start_client(two.address, tmp_path)
    assert len([client.stdout.readline() for _ in range(2)]) == 2
    client.kill()
    client.communicate()
    with DaskExecutor(two.address) as executor:
        found = story(executor, work.quick, [("a", 1), ("b", 2)])
    assert found["a"][-1] == Done("a", 1) and found["b"][-1] == Done("b", 2)


def test_another_version_of_driftlearn(two, monkeypatch):
    monkeypatch.setattr(dask_executor, "__version__", "0.0.0")
    with pytest.raises(NoCluster, match=r"worker at tcp.* and the client 0\.0\.0: install"):
        DaskExecutor(two.address)


def test_incompatible_workers_are_rejected(two, monkeypatch):
    real = distributed.Client._get_versions
    strange = []

    async def versions(self, **options):
        found = await real(self, **options)
        strange[:] = sorted(found["workers"])[:1]
        found["workers"][strange[0]]["packages"]["driftlearn"] = None
        return found

    monkeypatch.setattr(distributed.Client, "_get_versions", versions)
    with DaskExecutor(two.address) as executor:
        assert executor.workers == 1
        executor._counted = 0.0
        found = story(executor, work.nap, [(str(i), 0.1) for i in range(6)])
    (reported,) = found.pop("")
    assert strange[0] in reported.text and "no tasks are sent to it" in reported.text
    assert len({events[-1].result for events in found.values()}) == 1 and len(found) == 6


def test_missing_workers_are_reported_and_time_out(other, monkeypatch):
    monkeypatch.setattr(dask_executor, "NOTICE_AFTER", 0.5)
    monkeypatch.setattr(dask_executor, "GIVE_UP_AFTER", 3.0)
    received = []
    refused = pytest.raises(NoCluster, match="no usable worker, and none appeared within 3 s")
    with DaskExecutor(other.address) as executor, refused:
        executor.run(work.quick, [("a", 1)], received.append)
    assert [type(event) for event in received] == [Notice]
    assert "waiting for one, up to 3 s" in received[0].text


def test_a_new_worker_continues_after_all_were_killed(other, monkeypatch):
    monkeypatch.setattr(dask_executor, "NOTICE_AFTER", 0.5)
    workers, ends, reported = [other.worker()], [], []

    def handle(event):
        if isinstance(event, Message):
            if len(workers) == 1 and not reported:
                kill(workers[0])
        elif isinstance(event, Notice):
            reported.append(event.text)
            workers.append(other.worker())
        elif isinstance(event, Done | Failed):
            ends.append(event)

    with DaskExecutor(other.address) as executor:
        executor._client.wait_for_workers(1, timeout=30)
        executor.run(work.nap_in_group, [(str(i), 0.5) for i in range(4)], handle)
    assert any("no usable worker: waiting" in text for text in reported)
    assert sorted(event.key for event in ends) == ["0", "1", "2", "3"]
    assert all(isinstance(event, Done) for event in ends)


def test_tasks_that_kill_their_worker_fail_alone(two):
    tasks = [(str(i), i) for i in range(20)]
    tasks.insert(5, ("p", "poison"))
    with DaskExecutor(two.address) as executor:
        found = story(executor, work.poison, tasks)
    *_, failed = found.pop("p")
    assert type(failed) is Failed and failed.error == "2 workers died"
    assert {key: events[-1] for key, events in found.items()} == {
        str(i): Done(str(i), i) for i in range(20)
    }
    assert all(events.count(events[-1]) == 1 for events in found.values())


def test_a_killed_worker(other):
    """Tasks wait for the first worker; one of two is killed while working; all tasks end once."""
    workers, ends, retried, groups, seen = [], [], [], [], []

    with DaskExecutor(other.address) as executor:

        def tasks():
            seen.append(executor.workers)
            workers.append(other.worker())
            executor._client.wait_for_workers(2, timeout=30)
            for i in range(12):
                yield str(i), 0.1 if i else 1.5

        def handle(event):
            if isinstance(event, Message) and event.key == "0":
                groups.append(event.payload)
                if len(groups) == 1:
                    os.killpg(event.payload, signal.SIGKILL)
            elif isinstance(event, Retried):
                retried.append(event.key)
            elif isinstance(event, Done | Failed):
                ends.append(event)

        threading.Timer(0.3, lambda: workers.append(other.worker())).start()
        executor.run(work.nap_in_group, tasks(), handle)
        assert executor.workers == 1
    assert seen == [1]
    assert len(groups) == 2 and set(groups) == {worker.pid for worker in workers}
    assert "0" in retried and len(set(retried)) == len(retried)
    assert sorted(event.key for event in ends) == sorted(str(i) for i in range(12))
    assert all(isinstance(event, Done) for event in ends)


def test_a_lost_scheduler(other):
    other.worker()
    ends = []

    def handle(event):
        ends.append(event)
        if isinstance(event, Done):
            kill(other.scheduler)

    lost = pytest.raises(NoCluster, match=f"{other.address} was lost.* must run again")
    with DaskExecutor(other.address, timeout=2) as executor, lost:
        executor.run(work.nap, [(str(i), 0.1) for i in range(100)], handle)
    assert sum(isinstance(event, Done) for event in ends) == 1


def test_no_scheduler():
    """A missing scheduler, and a server that is not a scheduler."""
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        addresses = ["tcp://127.0.0.1:9", f"tcp://127.0.0.1:{mute.getsockname()[1]}"]
        mute.listen()
        for address in addresses:
            with pytest.raises(
                NoCluster, match=f"no dask scheduler responds at {address} .*running"
            ):
                DaskExecutor(address, timeout=0.5)


def test_on_this_machine():
    with make_executor("local:2") as executor:
        assert executor.name == "local:2" and executor.workers == 2 and executor.shares_files
        found = story(executor, work.nap, [(str(i), 0.2) for i in range(4)])
        workers = {events[-1].result for events in found.values()}
    assert len(found) == 4 and os.getpid() not in workers
    for pid in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.compiled
def test_a_grid_loses_a_worker_and_nothing_else(other, tmp_path):
    from driftlearn.bench.workbench.grid import Grid
    from driftlearn.bench.workbench.progress import Display
    from driftlearn.bench.workbench.store import Store
    from tests.bench.workbench import killing

    first, _ = other.worker(), other.worker()

    class Unkind(Display):
        done = 0

        def cell_done(self, key):
            self.done += 1
            if self.done == 3:
                kill(first)

    with DaskExecutor(other.address) as executor:
        executor._client.wait_for_workers(2, timeout=30)
        unkind = Unkind()
        with Store(tmp_path / "cluster.sqlite") as store:
            outcome = Grid(store, executor, unkind).run(killing.cells((0, 1)))
    assert not outcome.failures and unkind.done == 20
    killing.work(tmp_path / "serial.sqlite", (0, 1), "serial")
    assert killing.content(tmp_path / "cluster.sqlite", (0, 1)) == killing.content(
        tmp_path / "serial.sqlite", (0, 1)
    )
