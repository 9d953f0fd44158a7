"""A few changed states; ``tests/ops/keyed/fuzzing.py`` tests thousands."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "fuzzing.py"


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGALRM")
def test_changed_states_are_refused_or_work():
    words = [sys.executable, str(SCRIPT), "--files", "200", "--seed", "3"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "refused" in done.stdout and "works" in done.stdout
