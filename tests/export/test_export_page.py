"""The page export-models.rst: its blocks run and print what it shows."""

from pathlib import Path

import pytest

from driftlearn.cli._demo_days import write_days
from tests.doc_code import DOCS, check_page


@pytest.mark.compiled
def test_the_blocks_of_the_page(tmp_path, monkeypatch):
    for package in ("onnx", "onnxruntime", "treelite", "pandas"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    monkeypatch.chdir(tmp_path)
    write_days(Path("demo"))
    check_page(DOCS / "export-models.rst")
