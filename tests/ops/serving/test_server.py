"""Checks of ``driftlearn serve`` before the service starts."""

import sys

import pytest

from driftlearn.ops.serving.limits import Limits
from driftlearn.ops.serving.server import serve


@pytest.mark.parametrize("package", ["uvicorn", "starlette", "prometheus_client"])
def test_a_package_that_is_missing(tmp_path, monkeypatch, package):
    for name in ("uvicorn", "starlette", "prometheus_client"):
        if name != package:
            pytest.importorskip(name, reason="driftlearn serve needs it")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"driftlearn serve needs {package}: pip install"):
        serve(tmp_path, "127.0.0.1", 0, Limits(), print)
