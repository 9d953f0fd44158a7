"""Run the test suite, or any command, with checks compiled into the extension modules.

    python tests/checked/run.py bounds
    python tests/checked/run.py sanitizers tests/io/fuzzing.py --files 3000

``bounds`` enables Cython's checks of every index; ``sanitizers`` enables the compiler's checks of
memory and of undefined behavior. Each is built in its own folder under ``build``. Every process
writes its findings to report files there, because a compiled function that cannot raise only prints
them; one report fails the run. Only tests that reach compiled code are run.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Tests of code around the learners; sanitizers make their processes ten times slower.
AROUND = ("bench", "cli", "test_packaging.py", "test_types.py")
NOTE = re.compile(r"(==\d+==WARNING: AddressSanitizer failed to allocate .*\n|\s)*")
SUITE = ["-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "-p", "no:unraisableexception"]
SUITE += ["tests", *(f"--ignore=tests/{name}" for name in AROUND)]


def runtimes():
    """Return the libraries of GCC that a sanitized process must load first, or none."""
    compiler = sysconfig.get_config_var("CC")
    if not compiler or "clang" in compiler or not sys.platform.startswith("linux"):
        return []
    # The C++ library too: the sanitizers look for its functions when they are loaded.
    names = "libasan.so", "libubsan.so", "libstdc++.so"
    commands = [[*compiler.split(), f"-print-file-name={name}"] for name in names]
    done = [subprocess.run(each, capture_output=True, text=True, check=False) for each in commands]
    paths = [Path(one.stdout.strip()) for one in done]
    return [os.path.realpath(path) for path in paths] if all(map(Path.is_file, paths)) else []


def environment(form, reports):
    """Return the environment of processes; a finding ends the process and leaves a report."""
    found = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(os.fspath, (ROOT / f"build/{form}/lib", HERE))),
        "DRIFTLEARN_REPORTS": os.fspath(reports),
    }
    if form == "sanitizers":
        options = f"halt_on_error=1:print_stacktrace=1:log_path={reports}/memory"
        found |= {
            "LD_PRELOAD": " ".join(runtimes()),
            "PYTHONMALLOC": "malloc",
            # Python leaks by design; a failed allocation is a MemoryError, as without sanitizers.
            "ASAN_OPTIONS": f"{options}:detect_leaks=0:allocator_may_return_null=1:"
            "max_allocation_size_mb=4096",
            "UBSAN_OPTIONS": options,
        }
    return found


def build(form):
    base = f"build/{form}"
    command = [sys.executable, "setup.py", "-q", "build"]
    command += ["--build-base", base, "--build-lib", f"{base}/lib"]
    known = {**os.environ, "DRIFTLEARN_CHECKED": form}
    done = subprocess.run(command, env=known, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)


def findings(reports):
    """Return the texts of reports; a note about refused memory is not one."""
    texts = [path.read_text("utf-8", "replace") for path in sorted(reports.iterdir())]
    return [text for text in texts if not NOTE.fullmatch(text)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("form", choices=("bounds", "sanitizers"))
    parser.add_argument("command", nargs=argparse.REMAINDER, help="what Python is to run")
    commands = parser.parse_args()
    if commands.form == "sanitizers" and not runtimes():
        print("this compiler has no sanitizers: only bounds are checked")
        return 0
    print(f"{commands.form}: compiling ...", flush=True)
    build(commands.form)
    reports = ROOT / "build" / commands.form / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    command = [sys.executable, *(commands.command or SUITE)]
    done = subprocess.run(command, env=environment(commands.form, reports), cwd=ROOT, check=False)
    found = findings(reports)
    print(*found, f"{commands.form}: {len(found)} findings", sep="\n")
    return done.returncode or bool(found)


if __name__ == "__main__":
    sys.exit(main())
