import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("driftlearn", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("driftlearn")


def pytest_collection_modifyitems(items):
    """Skip, with the reason, what needs the real data sets where their folder is absent."""
    if os.environ.get("DRIFTLEARN_DATA"):
        return
    absent = pytest.mark.skip(reason="DRIFTLEARN_DATA does not name the folder of real data sets")
    for item in items:
        if "data" in item.keywords and item.get_closest_marker("data"):
            item.add_marker(absent)
