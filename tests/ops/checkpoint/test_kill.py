"""A few kills of ``driftlearn learn``; ``tests/ops/checkpoint/killing.py`` runs fifty."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "killing.py"


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
def test_killed_and_started_again():
    words = ["--kills", "8", "--rows", "900", "--seed", "1"]
    words += ["--ways", "rows", "chunks", "files", "late files", "label times"]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *words], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) >= 8 and "the same bytes" in done.stdout
