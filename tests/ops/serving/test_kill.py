"""A few kills of ``driftlearn serve``; ``tests/ops/serving/killing.py`` runs fifty."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="driftlearn serve needs it")
SCRIPT = Path(__file__).parent / "killing.py"


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
@pytest.mark.parametrize(
    "ways",
    [["rows", "chunks"], ["challenger"], ["keys", "idle"]],
    ids=["kept", "challenger", "keys"],
)
def test_killed_while_clients_learn(ways):
    """Every acknowledged request is learned exactly once, with the bytes of an undisturbed run."""
    words = ["--kills", "5", "--requests", "40", "--clients", "2", "--ways", *ways]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *words], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) >= 5 and "the same bytes" in done.stdout
