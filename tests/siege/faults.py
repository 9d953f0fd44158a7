"""Faults of a disk and of a clock, injected into this process and its forks by ``faults.h``."""

import ctypes
import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

LIBRARY = "DRIFTLEARN_FAULTS"
OFF, FAIL, TORN, POWER = range(4)
ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS)


def missing():
    """Return why faults cannot be injected; empty if they can."""
    if not sys.platform.startswith("linux"):
        return "needs LD_PRELOAD of Linux"
    return "" if shutil.which("gcc") else "needs gcc"


def environment(folder):
    """Compile the library into a folder; return the variables of a process that loads it."""
    path = Path(folder, "faults.so")
    source = str(Path(__file__).with_name("faults.h"))
    # Compiled modules leave files named .c behind, which git and packages ignore.
    words = ["gcc", "-x", "c", "-O1", "-shared", "-fPIC", "-o", str(path), source]
    words += ["-ldl", "-lpthread"]
    subprocess.run(words, check=True)
    return {"LD_PRELOAD": str(path), LIBRARY: str(path)}


def _library():
    found = ctypes.CDLL(os.environ[LIBRARY])
    found.siege_count.restype = ctypes.c_long
    found.siege_clock.argtypes = [ctypes.c_longlong]
    found.siege_arm.argtypes = [ctypes.c_char_p, *[ctypes.c_int] * 2, *[ctypes.c_long] * 2]
    return found


def arm(folder, mode=OFF, error=0, after=0, many=1):
    """Fail operations on files in a folder of this process, from the operation `after` on."""
    _library().siege_arm(os.fsencode(os.path.realpath(folder)), mode, error, after, many)


def n_operations():
    """Return the number of operations on files in the folder."""
    return _library().siege_count()


def set_clock(seconds):
    """Move the time of day of this process; monotonic clocks are not affected."""
    _library().siege_clock(int(seconds))
