"""Functions that tests run in workers; workers import them by name."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from sklearn.naive_bayes import GaussianNB

CLIENT = """
import sys, tests.workbench_tasks as work
from driftlearn.bench.workbench.executors import Message, make_executor

def handle(event):
    if isinstance(event, Message) and event.payload != "still there":
        print(event.payload, flush=True)

if __name__ == "__main__":
    with make_executor(sys.argv[1]) as executor:
        executor.run(work.long, [("a", sys.argv[2]), ("b", sys.argv[2])], handle)
"""


def start_client(name, folder, code=CLIENT):
    """Start a client in its own session with two endless tasks; it prints its workers."""
    script = Path(folder, "client.py")
    script.write_text(code)
    return subprocess.Popen(
        [sys.executable, script, name, folder],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip


def double(payload, emit):
    for step in range(3):
        emit((payload, step))
    return 2 * payload


def quick(payload, emit):
    return payload


def nap(payload, emit):
    time.sleep(payload)
    return os.getpid()


def nap_in_group(payload, emit):
    emit(os.getpgid(0))
    time.sleep(payload)


def broken(payload, emit):
    if payload == "bad":
        raise KeyError("no such thing")
    return payload


def unsendable(payload, emit):
    if payload == "message":
        emit(lambda: None)
    return (lambda: None) if payload == "result" else payload


def large(payload, emit):
    for step in range(8):
        emit(bytes([step]) * payload)
    return bytes(payload)


def dies_once(payload, emit):
    """Create a file and die; succeed if the file exists."""
    mark, code = payload
    emit("begun")
    if not os.path.exists(mark):
        Path(mark).touch()
        time.sleep(1)
        os._exit(code)
    return "survived"


def poison(payload, emit):
    if payload == "poison":
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.02)
    return payload


def environment(payload, emit):
    import numpy as np
    from threadpoolctl import threadpool_info

    np.ones((2, 2)) @ np.ones((2, 2))
    pools = [pool["num_threads"] for pool in threadpool_info()]
    return {name: os.environ.get(name) for name in payload}, pools


def long(payload, emit):
    """Print the process id and run; write a file at the end, also after an error."""
    try:
        emit(os.getpid())
        while True:
            time.sleep(0.05)
            emit("still there")
    finally:
        Path(payload, str(os.getpid())).touch()


def stubborn(payload, emit):
    emit(os.getpid())
    while True:
        try:
            time.sleep(600)
        except SystemExit:
            emit("no")


def swallows(payload, emit):
    try:
        emit("hello")
    except Exception:
        return "swallowed"


class Deadly(GaussianNB):
    """Learner that ends its process in the middle of the stream."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        self.calls_ = getattr(self, "calls_", 0) + 1
        if self.calls_ == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().partial_fit(X, y, classes, sample_weight)
