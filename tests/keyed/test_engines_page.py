"""The page on engines: its Python runs where the engine is installed."""

import shutil

import pytest
from doc_code import code_of

PAGE = "engines.rst"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_bytewax(capsys):
    pytest.importorskip("bytewax", reason="bytewax is not installed")
    exec(compile(code_of(PAGE, 1), PAGE, "exec"), {})
    assert "Final(summary=Summary(key=" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java runtime")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
def test_spark(capsys):
    for module in ("pyspark", "pandas", "pyarrow", "google.protobuf"):
        pytest.importorskip(module, reason=f"{module} is not installed")
    names = {}
    try:
        exec(compile(code_of(PAGE, 2), PAGE, "exec"), names)
    finally:
        if "spark" in names:
            names["spark"].stop()
    assert capsys.readouterr().out.rstrip().endswith("['large']")
