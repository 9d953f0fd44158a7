"""Evaluation of a checked run; `make test-bounds` is the run itself."""

import os
import subprocess
import sys

from tests.checked import run


def test_what_is_left_out_is_there():
    assert all((run.ROOT / "tests" / name).exists() for name in run.AROUND)


def test_refused_memory_is_no_finding(tmp_path):
    note = "==7==WARNING: AddressSanitizer failed to allocate 0x1000000000000 bytes\n\n"
    (tmp_path / "memory.7").write_text(note, "utf-8")
    assert run.findings(tmp_path) == []
    (tmp_path / "memory.8").write_text(note + "==8==ERROR: AddressSanitizer: SEGV\n", "utf-8")
    assert run.findings(tmp_path) == [note + "==8==ERROR: AddressSanitizer: SEGV\n"]


def test_an_error_that_a_compiled_function_only_prints_ends_the_process(tmp_path):
    """Other output is not a report."""
    script = (
        "import sys, types\n"
        "what = types.SimpleNamespace(exc_value=IndexError('axis 0'), object=sys.argv[1])\n"
        "sys.__unraisablehook__ = print\n"
        "sys.unraisablehook(what)"
    )
    known = {**os.environ, "PYTHONPATH": os.fspath(run.HERE), "DRIFTLEARN_REPORTS": str(tmp_path)}
    ends = {}
    for where in ("other.f", "driftlearn.f"):
        command = [sys.executable, "-c", script, where]
        ends[where] = subprocess.run(command, env=known, capture_output=True, check=False)
    (found,) = run.findings(tmp_path)
    assert found.startswith("driftlearn.f IndexError('axis 0')")
    assert ends["other.f"].returncode == 0 != ends["driftlearn.f"].returncode
