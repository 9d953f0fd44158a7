"""Main loop of a worker process.

The worker first ensures that it ends with its client. No slow imports precede this step, neither
here nor from the client's main module, so that a worker always ends when its client is killed.
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

from driftlearn.bench.workbench.executors import Message, run_pickled

PR_SET_PDEATHSIG = 1  # option of Linux's prctl: signal that this process gets when its parent ends


def serve(pipe: connection.Connection, main: Mapping[str, Any], signalled: bool) -> None:
    """Run tasks from a pipe until it is closed.

    Parameters
    ----------
    pipe : Connection
        Connection for receiving tasks and sending events.
    main : mapping
        Import data of the client's main module, which may define functions and classes of tasks.
    signalled : bool
        Whether the system can send a signal when the client ends.
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
                if not leaving.is_set():  # after SIGTERM the client stops reading messages
                    pipe.send(Message(key, message))

            pipe.send_bytes(run_pickled(key, data, emit))


def _end_with_client(signalled: bool) -> None:
    """Ensure that this process ends with its client.

    On Linux, the system sends a signal, even if the interpreter is busy. On all systems, a thread
    also waits for the end of the pipe that the client keeps open.
    """
    client = multiprocessing.parent_process()
    assert client is not None
    if signalled and sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != client.pid:  # the client ended before the signal was requested
            os._exit(1)

    def watch() -> None:
        connection.wait([client.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
