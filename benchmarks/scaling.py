"""Scaling of time per row and model size with members, rows, features and other sizes.

    python benchmarks/scaling.py                                    run all missing points
    python benchmarks/scaling.py --axis rows --most 100_000         fewer rows
    python benchmarks/scaling.py --page docs/scaling.rst            write the page and its figure

One size varies at a time, the others are as in `USUAL`. Evaluation is prequential; the time is the
CPU time per row or, with threads, the wall time. The measurement begins when the ensemble is full;
points that are not reached within --patience seconds are omitted. Every learner and axis is a
process, which writes a line of ``scaling.jsonl`` per point: repeating the command continues.
"""

import argparse
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from comparison_worker import peak, reset_peak
from sklearn.base import clone

import driftlearn as dl
from driftlearn.bench.workbench._code_digest import code_digest
from driftlearn.io import dumps

AXES = {
    "members": (1, 3, 10, 30, 100, 300, 1_000),
    "rows": (1_000, 10_000, 100_000, 1_000_000, 10_000_000),
    "features": (3, 10, 30, 100, 300, 1_000),
    "classes": (2, 5, 10, 30, 100),
    "chunk": (50, 250, 1_000, 10_000, 100_000),
    "threads": (1, 2),
}
USUAL = {"members": 10, "rows": 5_000, "features": 10, "classes": 2, "chunk": 250, "threads": 1}
BEYOND = 10_000_000  # maximum number of rows, if the time allows
A_LIFE = 40  # factor on the time limit of a point
LEARNERS = {
    "naive Bayes": dl.GaussianNBClassifier(),
    "Hoeffding tree": dl.HoeffdingTreeClassifier(),
    "adaptive random forest": dl.AdaptiveRandomForestClassifier(),
    "leveraging bagging, Hoeffding trees": dl.LeveragingBaggingClassifier(
        dl.HoeffdingTreeClassifier()
    ),
    "OnlineBoost, naive Bayes": dl.OnlineBoostClassifier(dl.GaussianNBClassifier()),
    "DWM, naive Bayes": dl.DWMClassifier(dl.GaussianNBClassifier()),
    "IBoost, stumps": dl.IBoostClassifier(),
    "SEA, CART": dl.SEAClassifier(),
    "AWE, CART": dl.AWEClassifier(),
    "AUE2, Hoeffding trees": dl.AUE2Classifier(dl.HoeffdingTreeClassifier()),
    "Learn++.NSE, CART": dl.LearnPPNSEClassifier(prune="age"),
    "DTEL, CART": dl.DTELClassifier(),
}
PARAMETERS = {"members": "n_estimators", "threads": "n_jobs"}
CHOOSES = {"DWM, naive Bayes"}  # the learner determines its number of members
# rows after which the clock runs even if members are missing: some ensembles need no more of them
UNTIL_FULL = 20_000


def axes_of(learner):
    """Return the sizes that can vary for a learner."""
    known = LEARNERS[learner].get_params()
    there = [axis for axis in AXES if axis not in PARAMETERS or PARAMETERS[axis] in known]
    return [axis for axis in there if axis != "members" or learner not in CHOOSES]


def made(learner, sizes):
    """Return a learner with these sizes."""
    known = LEARNERS[learner].get_params(deep=False)
    chosen = {PARAMETERS[axis]: sizes[axis] for axis in PARAMETERS if PARAMETERS[axis] in known}
    if "n_stored" in known:
        chosen["n_stored"] = sizes["members"]
    if "random_state" in known:
        chosen["random_state"] = 0
    return clone(LEARNERS[learner]).set_params(**chosen)


def chunks(sizes, rng):
    """Yield chunks of an endless stream: three relevant features, a slowly rotating concept."""
    n, done = sizes["chunk"], 0
    while True:
        X = rng.random((n, sizes["features"]))
        score = X[:, :3].mean(axis=1) + 0.2 * (done // 50_000 % 2) + 0.02 * rng.normal(size=n)
        yield X, (score * 4 * sizes["classes"]).astype(int) % sizes["classes"]
        done += n


def is_full(model, sizes):
    """Return whether the ensemble is full."""
    return not hasattr(model, "members_") or len(model.members_) >= sizes["members"]


def seconds_of(model, X, y, now):
    begun = now()
    model.predict(X)
    model.partial_fit(X, y)
    return now() - begun


def point(learner, axis, value, args):
    """Return time per row and size of the model at one point of an axis, or None."""
    sizes = {**USUAL, axis: value}
    model, stream = made(learner, sizes), chunks(sizes, np.random.default_rng(0))
    model.partial_fit(*next(stream))
    end, learned = time.process_time() + args.patience, sizes["chunk"]
    enough = max(UNTIL_FULL, 2 * sizes["members"] * sizes["chunk"])
    while not is_full(model, sizes) and learned < enough:
        if time.process_time() > end:
            return None
        model.partial_fit(*next(stream))
        learned += sizes["chunk"]
    now = time.perf_counter if axis == "threads" else time.process_time
    spent, rows, best = 0.0, 0, np.inf
    while not rows or (spent < args.seconds and rows < sizes["rows"]):
        X, y = next(stream)
        took = seconds_of(model, X, y, now)
        spent, rows, best = spent + took, rows + len(y), min(best, took / len(y))
    there = len(model.members_) if axis == "members" else value
    return {"at": there, "us": 1e6 * (best if axis == "threads" else spent / rows),
            "kB": len(dumps(model)) / 1e3}  # fmt: skip


def life(learner, args):
    """Yield the time per row in the last tenth of the rows, and the memory, for growing numbers."""
    model, stream = made(learner, USUAL), chunks(USUAL, np.random.default_rng(0))
    done, begun = 0, time.process_time()
    reset_peak()
    for end in (rows for rows in AXES["rows"] if rows <= args.most):
        spent, counted = 0.0, 0
        while done < end:
            if time.process_time() - begun > A_LIFE * args.patience:
                return
            X, y = next(stream)
            if done == 0:
                model.partial_fit(X, y)
            else:
                took = seconds_of(model, X, y, time.process_time)
                if done >= 0.9 * end - len(y):
                    spent, counted = spent + took, counted + len(y)
            done += len(y)
        us, kB = 1e6 * spent / max(counted, 1), len(dumps(model)) / 1e3
        yield {"value": end, "at": end, "us": us, "kB": kB, "MB": peak()}


def work(learner, axis, args):
    """Measure a learner along an axis; print a line of JSON for each point."""
    warnings.simplefilter("ignore")
    if axis == "rows":
        for found in life(learner, args):
            print(json.dumps(found), flush=True)
        return
    for value in AXES[axis]:
        found = point(learner, axis, value, args)
        if found is None:
            break  # larger sizes are not reached either
        print(json.dumps({"value": value, **found}), flush=True)


def read_lines(path):
    """Return the points of every learner and axis, for the newest code."""
    found = {}
    for text in path.read_text("utf-8").splitlines() if path.exists() else ():
        try:
            line = json.loads(text)
        except ValueError:  # an incomplete line
            continue
        found[line["learner"], line["axis"]] = line
    return found


def run(args, path):
    code = code_digest()
    wanted = [(learner, axis) for axis in args.axis or AXES
              for learner in args.learner or LEARNERS if axis in axes_of(learner)]  # fmt: skip
    for k, (learner, axis) in enumerate(wanted, start=1):
        known = read_lines(path).get((learner, axis), {})
        settings = [code, args.most, args.seconds, args.patience]
        if known.get("settings") == settings and not args.again:
            continue
        words = [sys.executable, "-W", "ignore", __file__, "--work-on", learner, axis]
        words += ["--most", str(args.most), "--seconds", str(args.seconds)]
        words += ["--patience", str(args.patience)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{done.stderr}\n{learner}, {axis}: failed")
        points = [json.loads(text) for text in done.stdout.splitlines()]
        line = {"learner": learner, "axis": axis, "settings": settings, "points": points}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        costs = ", ".join(f"{each['at']:,}: {each['us']:.3g} us" for each in points)
        print(f"[{k}/{len(wanted)}] {learner}, {axis}: {costs}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, default=Path(".bench"), help="folder of results")
    parser.add_argument("--axis", action="append", choices=AXES)
    parser.add_argument("--learner", action="append", choices=LEARNERS)
    parser.add_argument("--most", type=int, default=BEYOND, help="maximum number of rows")
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds per point")
    parser.add_argument("--patience", type=float, default=3.0, help="seconds to fill the ensemble")
    parser.add_argument("--again", action="store_true", help="repeat stored measurements")
    parser.add_argument("--page", type=Path, help="write the page without running anything")
    parser.add_argument("--work-on", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    path = args.work / "scaling.jsonl"
    if args.work_on:
        work(*args.work_on, args)
    elif args.page is not None:
        from scaling_page import write_page

        write_page(args.page, read_lines(path))
    else:
        args.work.mkdir(parents=True, exist_ok=True)
        try:
            run(args, path)
        except KeyboardInterrupt:
            sys.exit("\nstopped; the same command goes on from here")


if __name__ == "__main__":
    main()
