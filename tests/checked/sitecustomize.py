"""Imported by every Python process of ``run.py``, so that each of them writes reports.

A compiled function that cannot raise prints its error and continues, which no test would notice:
here an index out of bounds ends the process. With two sanitizers in a process, the path of reports
must be passed to the second one.
"""

import ctypes
import os
import sys
import traceback

REPORTS = os.environ.get("DRIFTLEARN_REPORTS", "")


def report(unraisable):
    where = unraisable.object
    if not isinstance(where, str) or not where.startswith("driftlearn."):
        sys.__unraisablehook__(unraisable)
        return
    with open(os.path.join(REPORTS, f"bounds.{os.getpid()}"), "a", encoding="utf-8") as file:
        print(where, repr(unraisable.exc_value), file=file)
        traceback.print_stack(limit=6, file=file)
    os.abort()


if REPORTS:
    sys.unraisablehook = report
    for library in os.environ.get("LD_PRELOAD", "").split():
        if "ubsan" in library:
            path = os.path.join(REPORTS, "undefined").encode()
            ctypes.CDLL(library).__sanitizer_set_report_path(path)
