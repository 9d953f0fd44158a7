"""How many files of the package a task walks through, and how often it goes from one to another.

    DRIFTLEARN_PURE=1 OMP_NUM_THREADS=1 python -W ignore benchmarks/walks.py [--list nse]

PYTHONPATH chooses the version. All modules run uncompiled, so that the profiler sees every call.

files    files of the package in which at least one function was called, in any thread
folders  folders that contain these files
hops     calls whose caller (the nearest frame of the package, also through NumPy) has another file
inline   those hops whose function a .pxd file declares inline; compiled code does not make them
loaded   files of which anything ran up to the end of a first run in a new process, imports included

All columns but the last describe a second run. Bodies of modules and classes are no calls, resuming
a generator is one. Hops of `learn-auto` vary by 1 %, because the clock decides when it is saved.

An earlier measurement reported 27 files and 220 hops for `nse`, 29 and 161 for `forest`, 96 and
2,808 for `learn`. At commit 53b361d this script reports 27 and 208, 28 and 340, 69 and 2,535. No
other counting that was tried comes closer to all of these figures.
"""

import argparse
import functools
import os
import re
import sys
import tempfile
import threading
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from importlib.util import find_spec, spec_from_file_location
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from click.testing import CliRunner

PACKAGE = os.path.dirname(find_spec("driftlearn").origin) + os.sep
IS_FUNCTION = 1  # CO_OPTIMIZED of a code object: set for functions, not for modules and classes


def find_source(name, path=None, target=None):
    """Find the source of a module, also where a compiled one would take its place."""
    file = Path(*(path or [""])[:1], name.rpartition(".")[2] + ".py")
    if name.startswith("driftlearn.") and file.exists():
        return spec_from_file_location(name, file)


def rows(n_rows, seed=0):
    X = np.random.default_rng(seed).uniform(0, 10, (n_rows, 3))
    return X, (X[:, 0] + X[:, 1] > 8).astype(int)


def nse(folder):
    model = import_module("driftlearn").LearnPPNSEClassifier()
    model.partial_fit(*rows(1000)).partial_fit(*rows(1000, seed=1))
    return lambda: model.partial_fit(*rows(1000, seed=2))


def forest(folder):
    X, y = rows(301)
    model = import_module("driftlearn").AdaptiveRandomForestClassifier(random_state=0)
    model.partial_fit(X[:300], y[:300])
    return lambda: model.partial_fit(X[300:], y[300:])


def learn(folder, options="--learner naive-bayes"):
    lines = [f"{a:.3f},{b:.3f},{c:.3f},{'ab'[label]}" for (a, b, c), label in zip(*rows(400))]
    (folder / "rows.csv").write_text("\n".join(["x0,x1,x2,label", *lines, ""]))
    line = f"learn {folder}/rows.csv --target label --state {folder}/state {options}"
    return lambda: command(line)


def run(folder):
    line = "run --stream sea:n_rows=1000 --learner learn++.nse --no-baselines --seeds 2"
    return lambda: command(f"{line} --on serial --store {folder}/runs.sqlite")


def command(line):
    cli = import_module("driftlearn.cli")
    result = CliRunner().invoke(cli.main, line.split(), catch_exceptions=False)
    assert result.exit_code == 0, result.output


TASKS = {
    "nse": ("LearnPPNSEClassifier, third chunk of 1,000 rows", nse),
    "forest": ("AdaptiveRandomForestClassifier, one row after 300", forest),
    "learn": ("driftlearn learn, naive Bayes, 400 rows", learn),
    "learn-auto": ("driftlearn learn, default learner, 400 rows", lambda place: learn(place, "")),
    "run": ("driftlearn run, one learner, one stream, two seeds", run),
}


def trace(function):
    """Return the calls made by a function: file, name, is a function, caller's file."""
    calls = []

    def note(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            caller = frame.f_back
            while caller is not None and not caller.f_code.co_filename.startswith(PACKAGE):
                caller = caller.f_back
            source = caller and caller.f_code.co_filename
            calls.append((code.co_filename, code.co_name, code.co_flags & IS_FUNCTION, source))

    threading.setprofile(note)
    sys.setprofile(note)
    function()
    sys.setprofile(None)
    threading.setprofile(None)
    return calls


@functools.cache
def inline_functions(file):
    pxd = Path(file).with_suffix(".pxd")
    return re.findall(r"\binline\b.*?(\w+)\(", pxd.read_text()) if pxd.exists() else []


def measure(name):
    """Return the files in order of first use, and the numbers of the table's last columns."""
    make = TASKS[name][1]
    sys.meta_path.insert(0, SimpleNamespace(find_spec=find_source))
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        loaded = trace(lambda: make(Path(first))())
        calls = [call for call in trace(make(Path(second))) if call[2]]  # functions only
    hops = [call for call in calls if call[3] not in (None, call[0])]
    files = list(dict.fromkeys(call[0] for call in calls))
    inline = [hop for hop in hops if hop[1] in inline_functions(hop[0])]
    return files, len(hops), len(inline), len({call[0] for call in loaded})


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", choices=TASKS, help="print a task's files in order of first use")
    if wanted := parser.parse_args().list:
        return print(*(file[len(PACKAGE) :] for file in measure(wanted)[0]), sep="\n")
    print(f"{'task':<61}   files folders    hops  inline  loaded")
    for name, (title, _) in TASKS.items():
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            files, *counts = pool.submit(measure, name).result()
        folders = {os.path.dirname(file) for file in files}
        numbers = "".join(f"{n:8,}" for n in (len(files), len(folders), *counts))
        print(f"{name + ': ' + title:<61}{numbers}", flush=True)


if __name__ == "__main__":
    main()
