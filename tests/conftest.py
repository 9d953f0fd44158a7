import os
import signal
from functools import cache

import pytest

from driftlearn.utils.compiled import compiled

# Shells start background processes with Ctrl-C ignored, and their children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_pycollect_makemodule(module_path):
    """Load the settings of hypothesis before the first module that uses it: its import is slow."""
    if b"hypothesis" in module_path.read_bytes():
        load_hypothesis_profile()


@cache
def load_hypothesis_profile():
    from hypothesis import HealthCheck, settings

    slow = [HealthCheck.too_slow]
    settings.register_profile("driftlearn", deadline=None, suppress_health_check=slow)
    settings.load_profile("driftlearn")


def pytest_collection_modifyitems(items):
    """Skip tests that need real data sets or the compiled core if these are missing."""
    absent = {}
    if not os.environ.get("DRIFTLEARN_DATA"):
        absent["data"] = "DRIFTLEARN_DATA does not name the folder of real data sets"
    if not all(compiled().values()):
        absent["compiled"] = "takes minutes with uncompiled kernels"
    for item in items:
        for marker, reason in absent.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))
