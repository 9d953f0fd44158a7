"""Load and use randomly changed files of every learner, with valid checksums.

    python tests/io/fuzzing.py --files 10000 --seed 0 --jobs 2

Each changed file is loaded, predicts, learns and is saved again in a process with limits on time
and memory. A file may be rejected, may work, or may raise an error later. The process must not die,
hang, or allocate memory that the size of the file does not explain: such files are listed, and the
exit code is 1. Errors of uninformative types are listed too. A file is identified by seed and
number: ``--only 1234`` repeats it in this process without limits, and ``--first 10000`` continues
after 10,000 files.
"""

import argparse
import collections
import copy
import io
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
import zipfile
from contextlib import redirect_stdout, suppress
from functools import cache
from pathlib import Path

import numpy as np
from numpy.lib import format as npy
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import driftlearn as dl
from driftlearn import io as persist
from driftlearn.io import CorruptFile, NotAllowed, _files, _small, dumps, loads
from driftlearn.io._codec import Piece
from driftlearn.preprocessing import Frozen, TableEncoder, make_pipeline

SECONDS = 10
MEMORY = 2**30
PROGRESS = 5.0  # seconds between two lines of progress
WHOLE = 16  # one file in 16 is packed and sealed; the others skip these steps
REFUSED = CorruptFile, NotAllowed, ImportError
ODD = (
    "AssertionError", "AttributeError", "IndexError", "KeyError", "NameError", "OverflowError",
    "RecursionError", "SystemError", "TypeError", "UnboundLocalError", "ZeroDivisionError",
)  # fmt: skip
FEW = {
    "MLPGoalClassifier": {"max_iter": 5},
    "SMOTEClassifier": {"estimator": dl.CARTClassifier()},
    "WindowedAdaBoostClassifier": {"n_estimators": 5, "window_size": 40},
}
MORE = {
    "auto-external": dl.AutoClassifier(
        {
            "sgd": SGDClassifier(),
            "bayes": dl.GaussianNBClassifier(),
            "last": dl.NoChangeClassifier(),
        },
        window=20,
        eval_interval=10,
        drop_threshold=0.1,
    ),
    "iboost-adwin": dl.IBoostClassifier(window_size="adwin", max_window=60, n_estimators=8),
    "iboost-bayes": dl.IBoostClassifier(dl.GaussianNBClassifier(), n_estimators=5),
    "iboost-hoeffding": dl.IBoostClassifier(dl.HoeffdingTreeClassifier(), n_estimators=5),
    "iboost-external": dl.IBoostClassifier(GaussianNB(), n_estimators=3, window_size=30),
    "dwm-windowed": dl.DWMClassifier(variant="windowed", window_size=30, period=5),
    "dwm-sgd": dl.DWMClassifier(SGDClassifier(), n_estimators=3, period=10),
    "flc-sd": dl.FLCClassifier(detector="sd", window_size=60, n_estimators=4),
    "bagging-hoeffding": dl.ADWINBaggingClassifier(
        dl.HoeffdingTreeClassifier(grace_period=20), n_estimators=3
    ),
    "leveraging-codes": dl.LeveragingBaggingClassifier(
        codes=True, draws="me", delta=0.5, n_estimators=3
    ),
    "leveraging-sgd": dl.LeveragingBaggingClassifier(
        SGDClassifier(loss="log_loss"), codes=True, vote="majority", n_estimators=2
    ),
    "ace-short": dl.ACEClassifier(chunk_size=20, window_size=5, n_estimators=3, alpha=0.5),
    "ace-external": dl.ACEClassifier(
        LogisticRegression(), 2, online=GaussianNB(), chunk_size=25, window_size=10
    ),
    "ace-bayes": dl.ACEClassifier(dl.GaussianNBClassifier(), chunk_size=25, vote="majority"),
    "ddd-ddm": dl.DDDClassifier(n_estimators=2, detector="ddm", high=0.5),
    "ddd-sgd": dl.DDDClassifier(SGDClassifier(), n_estimators=2, detector="adwin"),
    "oaue-window": dl.OAUEClassifier(window_size=25, n_estimators=2, weighting="nonlinear"),
    "rcd-eddm": dl.RCDClassifier(
        dl.GaussianNBClassifier(), detector="eddm", buffer_size=20, check_every=30, min_rows=5
    ),
    "arf-warned": dl.AdaptiveRandomForestClassifier(
        dl.HoeffdingTreeClassifier(grace_period=20, max_features=1), 3, warning_delta=0.9
    ),
    "boost-bayes": dl.OnlineBoostClassifier(GaussianNB(), n_estimators=2),
    "boost-restart": dl.OnlineBoostClassifier(restart_delta=0.5, n_estimators=3),
    "dtel-waiting": dl.DTELClassifier(n_estimators=3, chunk_size=35),
    "dynse-lca": dl.DYNSEClassifier(n_estimators=3, selection="lca", prune="accuracy"),
    "flb-waiting": dl.FLBClassifier(block_size=35),
    "winnow-balanced": dl.WinnowClassifier("balanced", complements=False),
    "weighted-majority-drawn": dl.WeightedMajorityClassifier(
        [("bayes", GaussianNB()), ("sgd", SGDClassifier()), ("last", dl.NoChangeClassifier())],
        variant="wmr",
    ),
    "majority-window": dl.MajorityClassifier(window=40),
    "refit-logistic": dl.RefitClassifier(LogisticRegression(), n_chunks=2),
    "sea-forest": dl.SEAClassifier(RandomForestClassifier(2, max_depth=3), n_estimators=2),
    "sea-logistic": dl.SEAClassifier(LogisticRegression(), n_estimators=2),
    "awe-kd-tree": dl.AWEClassifier(
        KNeighborsClassifier(2, algorithm="kd_tree", leaf_size=3), n_estimators=2, n_folds=2
    ),
    "awe-ball-tree": dl.AWEClassifier(
        KNeighborsClassifier(2, algorithm="ball_tree", leaf_size=3), n_estimators=2, n_folds=2
    ),
    "awe-brute": dl.AWEClassifier(
        KNeighborsClassifier(2, algorithm="brute"), n_estimators=2, n_folds=2
    ),
    "learnpp-tree": dl.LearnPPClassifier(DecisionTreeClassifier(max_depth=2), n_per_chunk=2),
    "pipeline": make_pipeline(
        TableEncoder("onehot", max_categories=3, kinds={"x1": "category"}, scale=True),
        Frozen(StandardScaler(), rows=20),
        dl.GaussianNBClassifier(),
    ),
    "pipeline-waiting": make_pipeline(
        TableEncoder("frequency", kinds={"x1": "date"}, on_schema_change="note"),
        Frozen(StandardScaler(), rows=90),
        dl.GaussianNBClassifier(),
    ),
    "bayes-gaps": dl.GaussianNBClassifier(),
    "logistic-gaps": dl.LogisticClassifier(),
    "tree-gaps": dl.HoeffdingTreeClassifier(grace_period=20, delta=0.5),
    "adaptive-gaps": dl.HoeffdingAdaptiveTreeClassifier(grace_period=20, delta=0.5),
    "dtel-gaps": dl.DTELClassifier(n_estimators=3, chunk_size=35),
    "iboost-gaps": dl.IBoostClassifier(n_estimators=5, window_size=40),
    "flb-gaps": dl.FLBClassifier(block_size=35),
}
SIZES = {"n_estimators": 3, "n_per_chunk": 2, "period": 5, "window_size": 40, "init_size": 40}
NUMBERS = (
    -1, 0, 1, 2, 7, 255, 2**15, 2**31 - 1, 2**31, 2**53, -(2**31), 1e300, -1e300, 0.5, 1e-300,
)  # fmt: skip
OTHER = (
    None, True, "", "adwin", [], {"dict": {}}, {"tuple": []}, {"int": hex(2**62)},
    {"int": hex(2**70)}, {"float": "000000000000f87f"}, {"float": "000000000000f07f"},
    {"scalar": ["|O", "41" * 8]}, {"dtype": "|O"}, {"class": "builtins:int"},
    {"objects": [2], "items": []},
    {"call": "collections:deque", "arguments": [{"call": "builtins:range", "arguments": [10**9]}]},
    {"new": "builtins:bytes", "arguments": [10**10]},
    {"new": "driftlearn.naive_bayes._naive_bayes:NaiveBayesModel"},
    {"call": "driftlearn.naive_bayes._naive_bayes:NaiveBayesModel", "arguments": [2, 2]},
    {"restore": "driftlearn.base._online_model:OnlineModel", "state": {"dict": {}}},
)  # fmt: skip


@cache
def rows():
    rng = np.random.default_rng(0)
    X = rng.random((90, 2))
    return X, np.where(X.sum(axis=1) > 1.0, "b", "a")


def originals():
    """Return small files of every learner, by name."""
    X, y = rows()
    found = {}
    names = [name for name in dl.__all__ if name.endswith("Classifier")]
    made = {name: getattr(dl, name)(**FEW.get(name, {})) for name in names} | MORE
    for name, model in made.items():
        if name in names:
            large = model.get_params()
            small = {key: SIZES[key] for key in SIZES if large.get(key) is not None}
            model.set_params(**{**small, **FEW.get(name, {})})
        seeds = {"random_state", "estimator__random_state"} & set(model.get_params())
        model.set_params(**dict.fromkeys(seeds, 7))
        learn = getattr(model, "partial_fit", model.fit)
        gaps = np.random.default_rng(1).random(X.shape) < (0.2 if name.endswith("-gaps") else 0.0)
        for k in range(0, 80, 20):
            learn(np.where(gaps, np.nan, X)[k : k + 20], y[k : k + 20])
        found[name] = dumps(model)
    return found


def opened(content):
    """Return the tree and the long arrays of a file."""
    text, blocks = parts(content)
    return json.loads(text)["tree"], {name: block.copy() for name, block in blocks.items()}


@cache
def parts(content):
    """Return the document text and the long arrays of a file."""
    if content.startswith(_small.MAGIC):
        document, blocks = _small.unpack(content, "a state", None)
        return json.dumps(document, default=Piece.node), blocks
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        blocks = {
            name[:-4]: npy.read_array(io.BytesIO(archive.read(name)))
            for name in archive.namelist()
            if name.endswith(".npy")
        }
        return archive.read(_files.DOCUMENT), blocks


def places(node, found):
    """Return all (container, key) pairs of a tree."""
    pairs = node.items() if isinstance(node, dict) else enumerate(node)
    for key, item in pairs:
        found.append((node, key))
        if isinstance(item, dict | list):
            places(item, found)
    return found


def mutated(content, rng):
    """Return the tree and the long arrays of a file after one to three changes."""
    tree, blocks = opened(content)
    for _ in range(rng.integers(1, 4)):
        # changes that earlier changes made impossible are skipped
        with suppress(OverflowError, ValueError, TypeError, LookupError):
            if rng.random() < 0.4:
                change_numbers(blocks, rng)
            else:
                change_tree(tree, rng)
    return tree, blocks


def loaded(tree, blocks, whole):
    """Return the object in a file of these parts; `whole` packs and unpacks the file."""
    if whole:
        packed = {name: (block.dtype, [block.tobytes()]) for name, block in blocks.items()}
        return loads(_files.pack("mutated", tree, packed, False))
    return persist._rebuilt(
        {"format": _files.FORMAT, "tree": tree}, blocks, "a changed file", (), None
    )


def change_numbers(blocks, rng):
    name = list(blocks)[rng.integers(len(blocks))]
    block = blocks[name]
    if block.dtype.kind not in "biuf" or not len(block):
        return
    with np.errstate(all="ignore"):
        value = (*NUMBERS, math.nan, math.inf)[rng.integers(len(NUMBERS) + 2)]
        place = rng.integers(len(block))
        if rng.random() < 0.2:
            block[place : place + rng.integers(1, 9)] = np.asarray(value, dtype=block.dtype)
        else:
            block[place] = np.asarray(value, dtype=block.dtype)


def change_tree(tree, rng):
    found = places(tree, [])
    arrays = [place for place in found if place[1] == "array"]
    if arrays and rng.random() < 0.3:
        owner, key = arrays[rng.integers(len(arrays))]
        name, first, shape, *order = owner[key]
        if rng.random() < 0.4 and shape:
            shape[rng.integers(len(shape))] += int(rng.integers(-2, 3))
        elif rng.random() < 0.5:
            first += int(rng.integers(-3, 4))
        else:
            name = arrays[rng.integers(len(arrays))][0]["array"][0]
        owner[key] = [name, first, shape, *order]
        return
    owner, key = found[rng.integers(len(found))]
    how = rng.integers(6)
    if how == 0:
        other, there = found[rng.integers(len(found))]
        owner[key] = copy.deepcopy(other[there])
    elif how == 1:
        del owner[key]
    elif how == 2:
        owner[key] = {"ref": int(rng.integers(0, 60))}
    elif how == 3:
        owner[key] = copy.deepcopy(OTHER[rng.integers(len(OTHER))])
    elif isinstance(owner[key], list) and owner[key] and how == 4:
        owner[key].append(copy.deepcopy(owner[key][rng.integers(len(owner[key]))]))
    else:
        owner[key] = NUMBERS[rng.integers(len(NUMBERS))]


def tried(tree, blocks, whole):
    """Load and use a file; return the outcome, or the error and its place."""
    X, y = rows()
    try:
        model = loaded(tree, blocks, whole)
    except REFUSED:
        return "refused"
    except Exception as problem:
        return f"loading: {reported(problem)}"
    for step in (
        lambda: model.predict(X[:20]),
        lambda: getattr(model, "members_", None),
        lambda: getattr(model, "partial_fit", model.fit)(X[:8], y[:8]),
        lambda: model.predict(X[:20]),
        lambda: dumps(model),
    ):
        try:
            step()
        except Exception as problem:
            return f"later: {reported(problem)}"
    return "works"


def reported(problem):
    """Return the type of an error, and the last line of driftlearn in its traceback."""
    lines = [
        f"{Path(frame.f_code.co_filename).name}:{line}"
        for frame, line in traceback.walk_tb(problem.__traceback__)
        if "driftlearn" in frame.f_code.co_filename
    ]
    return f"{type(problem).__name__} {lines[-1] if lines else ''}"


def trial(files, seed, number):
    """Change and try the file that seed and number select."""
    name = sorted(files)[number % len(files)]
    tree, blocks = mutated(files[name], np.random.default_rng([seed, number]))
    return name, tried(tree, blocks, whole=number % WHOLE == 0)


def child(folder, seed, numbers):
    """Try files and print the outcomes; SIGALRM ends the process if one takes too long."""
    import resource

    if "asan" not in os.environ.get("LD_PRELOAD", ""):  # which reserves terabytes itself
        resource.setrlimit(resource.RLIMIT_AS, (3 * MEMORY, 3 * MEMORY))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    files = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    warnings.simplefilter("ignore")
    out = sys.stdout
    begun = most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):  # external learners may print
        for number in numbers:
            print(number, end=" ", flush=True, file=out)
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            name, outcome = trial(files, seed, number)
            before, most = most, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            large = "MemoryError" in outcome or most > max(before, begun + MEMORY // 1024)
            print(name, "memory" if large else outcome, flush=True, file=out)


class Run:
    """Number of files tried, their outcomes, and failures."""

    def __init__(self, folder, seed):
        self.folder, self.seed = folder, seed
        self.names = sorted(path.name for path in Path(folder).iterdir())
        self.outcomes, self.odd = collections.Counter(), collections.Counter()
        self.bad, self.example, self.n = [], {}, 0

    def work(self, first, end, step):
        """Try these files; after a crash a new process continues."""
        while first < end:
            command = [sys.executable, __file__, "--child", self.folder, "--seed", str(self.seed)]
            command += ["--first", str(first), "--files", str(end), "--jobs", str(step)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
                for line in process.stdout:
                    number, *words = line.split(maxsplit=2)
                    first = int(number) + step
                    if words:
                        self.note(int(number), *words)
            if process.returncode == 0:
                return
            how = "hangs" if process.returncode == -signal.SIGALRM else "crashes"
            self.note(first - step, self.names[(first - step) % len(self.names)], how)

    def note(self, number, name, outcome):
        outcome = outcome.strip()
        kind = " ".join(outcome.split()[:2])
        self.n += 1
        self.outcomes[kind] += 1
        if outcome in ("hangs", "crashes", "memory"):
            self.bad.append((number, name, outcome))
        elif kind.startswith("loading") or kind.removeprefix("later: ") in ODD:
            self.odd[outcome] += 1
            self.example.setdefault(outcome, (number, name))


def run(first, n_files, seed, jobs):
    """Try this number of files; print progress."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in originals().items():
            Path(folder, name).write_bytes(content)
        found, begun = Run(folder, seed), time.monotonic()
        end = first + n_files
        threads = [
            threading.Thread(target=found.work, args=(first + job, end, jobs), daemon=True)
            for job in range(jobs)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(PROGRESS)
                rate = found.n / (time.monotonic() - begun)
                line = f"{found.n} of {n_files} files, {rate:.0f} a second, {len(found.bad)} bad"
                print(line, file=sys.stderr, flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child is not None:
        child(args.child, args.seed, range(args.first, args.files, args.jobs))
        return 0
    if args.only is not None:
        print(*trial(originals(), args.seed, args.only))
        return 0
    found = run(args.first, args.files, args.seed, args.jobs)
    for outcome, n in found.outcomes.most_common():
        print(f"{n:8} {outcome}")
    for outcome, n in found.odd.most_common():
        number, name = found.example[outcome]
        print(f"{n:8} odd {outcome}, as --seed {args.seed} --only {number}: a file of {name}")
    for number, name, how in sorted(found.bad):
        print(f"--seed {args.seed} --only {number}: a file of {name} {how}")
    return 1 if found.bad else 0


if __name__ == "__main__":
    sys.exit(main())
