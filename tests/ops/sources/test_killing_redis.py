"""A few kills of a Redis server; ``tests/ops/sources/killing_redis.py`` runs twenty."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import RedisServer

pytest.importorskip("redis")

SCRIPT = Path(__file__).parent / "killing_redis.py"


@pytest.mark.compiled
@pytest.mark.skipif(
    not RedisServer.is_installed() or sys.platform == "win32", reason="needs redis-server and fork"
)
def test_a_server_that_is_killed_and_started_again():
    words = ["--kills", "3", "--rows", "1500", "--seed", "1"]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *words], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) >= 3 and "the same bytes" in done.stdout
