"""Python code of the page on engines, run for every installed engine."""

import shutil

import pytest

from tests.doc_code import code_of
from tests.servers import MockBroker

PAGE = "engines.rst"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_bytewax(capsys):
    pytest.importorskip("bytewax", reason="bytewax is not installed")
    exec(compile(code_of(PAGE, 2), PAGE, "exec"), {})
    assert "Final(summary=Summary(key=" in capsys.readouterr().out


def test_bytewax_and_kafka(capfd):
    pytest.importorskip("bytewax", reason="bytewax is not installed")
    pytest.importorskip("confluent_kafka", reason="confluent-kafka is not installed")
    rows = [
        '{"shop": "ann", "size": 1.5, "label": "small"}',
        "{",
        '{"shop": "bob", "label": "large"}',
    ]
    with MockBroker() as broker:
        broker.add("orders", rows)
        code = code_of(PAGE, 3)
        assert "127.0.0.1:9092" in code
        exec(compile(code.replace("127.0.0.1:9092", broker.host), PAGE, "exec"), {})
    out = capfd.readouterr().out
    assert {"ann: TrainedGroup", "bob: TrainedGroup", "ann: Final", "bob: Final"} <= {
        *out.splitlines()
    }
    assert "orders#0 1: the message cannot be read: it is not JSON" in out


@pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java runtime")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
def test_spark(capsys):
    for module in ("pyspark", "pandas", "pyarrow", "google.protobuf"):
        pytest.importorskip(module, reason=f"{module} is not installed")
    names = {}
    try:
        exec(compile(code_of(PAGE, 1), PAGE, "exec"), names)
    finally:
        if "spark" in names:
            names["spark"].stop()
    assert capsys.readouterr().out.rstrip().endswith("['large']")
