"""The code of sources.rst runs, and the page lists all sources."""

import sys
from pathlib import Path

import pytest

from driftlearn.ops.sources.log_source import GROUP, WAITS
from driftlearn.ops.sources.redis_log import OPTIONS
from driftlearn.ops.sources.source import PORTS
from tests.doc_code import code_of
from tests.servers import RedisServer, fill, rows_of

PAGE = (Path(__file__).parents[3] / "docs" / "sources.rst").read_text("utf-8")


@pytest.mark.skipif(
    not RedisServer.is_installed() or sys.platform == "win32", reason="needs redis-server"
)
def test_the_code_runs(tmp_path, capsys):
    pytest.importorskip("redis")
    with RedisServer(tmp_path) as server, server.client() as client:
        fill(client, "clicks", rows_of(60))
        exec(code_of("sources.rst").replace("6379", str(server.port)), {})
        (group,) = client.xinfo_groups("clicks")
    assert capsys.readouterr().out == "60 clicks\n0 clicks\n"
    assert group["name"].decode() == GROUP and group["lag"] == 0


def test_it_names_what_there_is():
    for scheme, port in PORTS.items():
        assert f"{scheme}://HOST:{port}" in PAGE or scheme in ("kafkas", "natss")
    assert all(f"?{option}=" in PAGE for option in OPTIONS)
    assert f"up to {WAITS[-1]:g} seconds" in PAGE and len(WAITS) + 1 == 8 and "eight times" in PAGE
