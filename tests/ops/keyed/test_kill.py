"""A few kills of ``driftlearn learn --key``; ``tests/ops/keyed/killing.py`` runs two hundred."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "killing.py"


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
def test_killed_and_started_again():
    words = ["--kills", "5", "--rows", "3000", "--seed", "1", "--ways", "tree", "times"]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *words], capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) >= 5 and "the same bytes" in done.stdout
