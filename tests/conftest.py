import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from driftlearn.utils.compiled import compiled

settings.register_profile("driftlearn", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("driftlearn")

# A shell starts what runs in the background with Ctrl-C ignored, and children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """Skip, with the reason, what needs real data sets or the compiled core where it is absent."""
    absent = {}
    if not os.environ.get("DRIFTLEARN_DATA"):
        absent["data"] = "DRIFTLEARN_DATA does not name the folder of real data sets"
    if not all(compiled().values()):
        absent["compiled"] = "takes minutes with uncompiled kernels"
    for item in items:
        for marker, reason in absent.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))
