"""Kill a grid at random times with SIGKILL, and compare with an uninterrupted run."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "killing.py"

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL"),
]


def killed(*options):
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *options], capture_output=True, text=True, timeout=3600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_kills_change_nothing():
    message = killed("--kills", "10", "--seed", "1")
    assert int(message.split()[0]) >= 10 and "all equal, bit for bit" in message


def test_killing_the_client_of_worker_processes_changes_nothing():
    message = killed("--kills", "1", "--on", "processes:2")
    assert int(message.split()[0]) >= 1 and "all equal, bit for bit" in message
