"""Imported by every Python process of ``run.py``: an index out of bounds ends it, with a report.

A compiled function that cannot raise prints its error and goes on, and no test would see it.
"""

import os
import sys
import traceback


def report(unraisable):
    where = unraisable.object
    if not isinstance(where, str) or not where.startswith("driftlearn."):
        sys.__unraisablehook__(unraisable)
        return
    path = os.path.join(os.environ["DRIFTLEARN_REPORTS"], f"report.{os.getpid()}")
    with open(path, "a", encoding="utf-8") as file:
        print(where, repr(unraisable.exc_value), file=file)
        traceback.print_stack(file=file)
    os.abort()


if "DRIFTLEARN_REPORTS" in os.environ:
    sys.unraisablehook = report
