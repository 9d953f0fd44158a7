"""The life of a worker process.

It is bound to its client first: nothing heavy is imported before, neither here nor by the client's
main module, so that a worker whose client is killed ends at once, however early that happens.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import connection, spawn
from typing import Any

from driftlearn.bench.workbench.executors import Message, answer

PR_SET_PDEATHSIG = 1  # of Linux's prctl: which signal to send when the parent has ended


def serve(pipe: connection.Connection, main: Mapping[str, Any], signalled: bool) -> None:
    """Take a job, answer, until told to leave.

    Parameters
    ----------
    pipe : Connection
        Jobs come and answers go here.
    main : mapping
        How to import the client's main module, in which functions and classes of jobs may be.
    signalled : bool
        Whether the system can be asked for a signal at the client's end.
    """
    _end_with_client(signalled)
    leaving = threading.Event()

    def leave(number: int, frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        leaving.set()
        sys.exit(128 + number)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, leave)
    spawn.prepare(main)
    with suppress(EOFError, BrokenPipeError):
        pipe.send(None)
        while True:
            key, data = pipe.recv()

            def emit(message: Any, key: str = key) -> None:
                if not leaving.is_set():  # nobody listens any more
                    pipe.send(Message(key, message))

            pipe.send_bytes(answer(key, data, emit))


def _end_with_client(signalled: bool) -> None:
    """See to it that this process ends with its client.

    On Linux by the parent-death signal, which needs no turn of a busy interpreter; elsewhere, and
    besides, by a thread that waits for the end of the pipe that the client holds open.
    """
    client = multiprocessing.parent_process()
    assert client is not None
    if signalled and sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != client.pid:  # it ended before the signal was asked for
            os._exit(1)

    def watch() -> None:
        connection.wait([client.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
