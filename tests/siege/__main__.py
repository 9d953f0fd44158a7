"""Attack the promises of the documentation on this machine, and print a table.

    python -m tests.siege                        every class of attack, one minute each
    python -m tests.siege kill disk --minutes 5  two classes
    python -m tests.siege requests --count 1000000 --minutes 60
    python -m tests.siege kill --sabotage        with a planted defect: must report a failure

Each class runs in a process of its own, uses the loopback interface only, ends after a number of
attempts or after some minutes, and is ended with all its children if it does not. The exit code is
1 if a promise was broken.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from contextlib import suppress
from pathlib import Path

from tests.siege import faults
from tests.siege.siege import ROOT, SHOWN, Siege

GRACE = 300  # seconds after the time of a class in which its last attempt must end


def inside(attack, given, folder, report):
    """Run an attack in this process; write the result as JSON."""
    warnings.simplefilter("ignore")
    if given.sabotage:
        attack.defect()
    place = folder / "files"
    place.mkdir()
    count = attack.few if given.few else given.count or attack.count
    how = {"is_sabotaged": given.sabotage}
    siege = Siege(attack, place, count, 60 * given.minutes, given.seed, **how)
    attack.run(siege)
    report.write_text(json.dumps({"tried": siege.tried, "problems": siege.problems}))


def result(attack, given):
    """Run an attack in a process of its own; return its result."""
    reason = attack.missing()
    if reason:
        return {"skipped": reason, "tried": 0, "problems": []}
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report")
        pid = os.fork()
        if not pid:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            try:
                inside(attack, given, Path(folder), report)
            except BaseException:
                report.write_text(json.dumps({"tried": 0, "problems": [traceback.format_exc()]}))
            finally:
                os._exit(0)
        try:
            end, done = time.monotonic() + 60 * given.minutes + GRACE, 0
            while not done and time.monotonic() < end:
                done, _ = os.waitpid(pid, os.WNOHANG)
                time.sleep(0.02)
        finally:  # also children that it has left behind
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        if not report.exists():
            return {"tried": 0, "problems": ["the attack did not end, or ended without a report"]}
        return json.loads(report.read_text())


def with_faults():
    """Start this command again with the library of faults, if it can be compiled."""
    if faults.missing() or faults.LIBRARY in os.environ:
        return
    env = {**os.environ, **faults.environment(tempfile.mkdtemp())}
    os.execve(sys.executable, [sys.executable, "-m", "tests.siege", *sys.argv[1:]], env)


def table(rows):
    """Return lines with aligned columns."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return ["  ".join(text.ljust(w) for text, w in zip(row, widths)).rstrip() for row in rows]


def command(name, given):
    words = f"python -m tests.siege {name} --minutes {given.minutes:g} --seed {given.seed}"
    words += f" --count {given.count}" if given.count else ""
    return words + " --few" * given.few + " --sabotage" * given.sabotage


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.siege", description=__doc__.split("\n")[0]
    )
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help="see tests/siege/attacks.py")
    parser.add_argument("--minutes", type=float, default=1.0, help="of each class")
    parser.add_argument("--count", type=int, help="attempts of each class")
    parser.add_argument("--few", action="store_true", help="as few attempts as in the tests")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sabotage", action="store_true", help="plant a defect in each class")
    given = parser.parse_args()
    os.chdir(ROOT)
    with_faults()

    from tests.siege.attacks import ATTACKS

    unknown = {*given.attacks} - {*ATTACKS}
    if unknown:
        parser.error(f"unknown class {min(unknown)!r}: the classes are {', '.join(ATTACKS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends the running class, too
    rows, n_failed = [["class", "tried", "failed", "promise", "command"]], 0
    try:
        for name in given.attacks or ATTACKS:
            found = result(ATTACKS[name], given)
            problems, skipped = found["problems"], found.get("skipped", "")
            n_failed += len(problems)
            did = f"skipped, {skipped}" if skipped else f"{found['tried']:,} tried"
            print(f"{name}: {did}, {len(problems)} failed", flush=True)
            for problem in problems[:SHOWN]:
                print("   ", problem, flush=True)
            tried = "skipped" if skipped else f"{found['tried']:,}"
            promise = f'"{ATTACKS[name].promise}" ({ATTACKS[name].source})'
            rows.append([name, tried, str(len(problems)), promise, command(name, given)])
    finally:
        if faults.LIBRARY in os.environ:
            shutil.rmtree(Path(os.environ[faults.LIBRARY]).parent, ignore_errors=True)
    print("", *table(rows), sep="\n")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
