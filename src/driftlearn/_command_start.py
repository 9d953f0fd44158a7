"""End the command line on Ctrl-C while it imports modules.

Imports print a traceback, or swallow KeyboardInterrupt. This module is imported first, and imports
nothing that takes time: ``signal`` itself takes longer than all of it.
"""

import _signal
import os
import sys


def end_at_once(number: int, frame: object) -> None:
    """End the process with the exit code of Ctrl-C."""
    os.write(2, b"interrupted\n")
    os._exit(130)


def is_command() -> bool:
    """Return whether this process is ``driftlearn`` or ``python -m driftlearn``."""
    words = getattr(sys, "orig_argv", [])
    is_module = any(words[k : k + 2] == ["-m", "driftlearn"] for k in range(1, 4))
    return is_module or os.path.basename(sys.argv[0] if sys.argv else "") == "driftlearn"


if is_command() and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, end_at_once)


def end_normally() -> None:
    """Let Ctrl-C raise KeyboardInterrupt again, since the command handles it."""
    if _signal.getsignal(_signal.SIGINT) is end_at_once:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
