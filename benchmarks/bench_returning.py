"""Recovery and speed of ensembles when concepts recur.

    python benchmarks/bench_returning.py [--rows 24000] [--seeds 3] [--first 1] [--only boards]

Rules of SEA, STAGGER, Sine and Agrawal alternate every twelfth of the rows, without noise and with
10 % label noise. Evaluation is prequential. From the first recurrence on, the table shows the
accuracy on the 200 rows after a recurrence, and the number of rows until the mean over 50 rows is
within 3 points of that of the last quarter of a segment.

Then boards that rotate continuously, in chunks: every concept of the second half (checkerboard) or
of the second rotation (ROT) has occurred before. MOA's learners are included if capymoa is
installed.
"""

import argparse
import importlib.util
import time
from functools import partial

import numpy as np

import driftlearn as dl
from driftlearn.specs.grammar import read
from driftlearn.utils.table import Table

TURNS, SMOOTH, NEAR = 12, 50, 0.03
LEARNERS = {
    "ACE": dl.ACEClassifier,
    "DDD": dl.DDDClassifier,
    "adaptive random forest": dl.AdaptiveRandomForestClassifier,
    "leveraging bagging": dl.LeveragingBaggingClassifier,
    "online boosting": dl.OnlineBoostClassifier,
    "auto": dl.AutoClassifier,
}
OF_TABLES = {
    "Learn++.NSE": dl.LearnPPNSEClassifier,
    "DTEL": dl.DTELClassifier,
    "AWE": dl.AWEClassifier,
    "adaptive random forest": dl.AdaptiveRandomForestClassifier,
}
if importlib.util.find_spec("capymoa"):
    from suite_others import MOAClassifier

    MOA = {
        f"moa: {model}": partial(MOAClassifier, model=model, ensemble_size=10)
        for model in (
            "AdaptiveRandomForestClassifier", "LeveragingBagging", "StreamingRandomPatches",
        )
    }  # fmt: skip
    LEARNERS |= MOA
    OF_TABLES |= MOA
BOARDS = {"checkerboard": ("checkerboard:n_steps=400", 100), "ROT": ("rot:n_rows=48000", 200)}
RULES = {
    "SEA": ("sea(thresholds=(8,),noise=0.0)", "sea(thresholds=(9.5,),noise=0.0)",
            "sea(thresholds=(7,),noise=0.0)"),
    "STAGGER": ("sta(rules=('size=S and colour=R',),noise=0.0)",
                "sta(rules=('colour=G or shape=C',),noise=0.0)",
                "sta(rules=('size=M or size=L',),noise=0.0)"),
    "sine": ("sine(function=1)", "sine(function=2)"),
    "Agrawal": ("agrawal(function=1)", "agrawal(function=4)", "agrawal(function=7)"),
}  # fmt: skip


def stream(rule, noise, n_rows, seed):
    concepts = RULES[rule]
    order = ",".join(str(turn % len(concepts)) for turn in range(TURNS))
    text = f"drifting(concepts=({','.join(concepts)}),order=({order}),n_rows={n_rows})"
    return read(f"label-noise:stream={text},noise={noise}", "stream").make(seed)


def course(make, rule, noise, n_rows, seeds):
    """Return all outcomes, and those of the segments with recurring concepts: (outcomes, rows)."""
    whole, turns = [], []
    for seed in seeds:
        X, y = stream(rule, noise, n_rows, seed).take(n_rows)
        predictions = make(random_state=seed).test_then_train(X, y, classes=np.unique(y))
        right = np.ma.filled(predictions == y, False)
        whole.append(right)
        turns += [*right.reshape(TURNS, -1)[len(RULES[rule]) :]]
    return np.array(whole), np.array(turns, dtype=float).mean(axis=0)


def returns(n_rows, seeds):
    for noise in (0.0, 0.1):
        rows = []
        for name, make in LEARNERS.items():
            begun = time.process_time()
            found = [course(make, rule, noise, n_rows, seeds) for rule in RULES]
            speed = len(RULES) * len(seeds) * n_rows / (time.process_time() - begun)
            first = [100 * turn[:200].mean() for _, turn in found]
            back = [rows_until(turn) for _, turn in found]
            right = 100 * np.mean([whole.mean() for whole, _ in found])
            rows.append((name, right, np.mean(first), *first, *back, speed))
        columns = ("learner", "% right", "first 200", *(f"{rule}, 200" for rule in RULES),
                   *(f"{rule}, rows" for rule in RULES), "rows/s")  # fmt: skip
        print(f"noise {noise}, {n_rows} rows, seeds {seeds[0]} to {seeds[-1]}")
        print(Table(dict(zip(columns, zip(*rows)))), "\n", flush=True)


def boards(seeds):
    rows = []
    for name, make in OF_TABLES.items():
        found = []
        for text, size in BOARDS.values():
            halves = [board(make, text, size, seed) for seed in seeds]
            found += [*(100 * np.mean(halves, axis=0))]
        rows.append((name, *found))
    columns = ("learner", *(f"{name}, {half}" for name in BOARDS for half in ("first", "second")))
    print(Table(dict(zip(columns, zip(*rows)))), flush=True)


def board(make, text, size, seed):
    """Return the accuracies on the first and on the second half of a stream."""
    model, right = make(random_state=seed), []
    whole = read(text, "stream").make(seed)
    for batch in whole.chunks(size):
        if right:
            right.append(np.mean(model.predict(batch.X) == batch.y))
        else:
            right.append(np.nan)
        model.partial_fit(batch.X, batch.y, classes=whole.classes)
    half = len(right) // 2
    return np.nanmean(right[:half]), np.mean(right[half:])


def rows_until(turn):
    """Return the rows of a segment until accuracy is close to that of its last quarter."""
    smooth = np.convolve(turn, np.full(SMOOTH, 1 / SMOOTH), "valid")
    return int((smooth >= turn[-len(turn) // 4 :].mean() - NEAR).argmax())


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rows", type=int, default=24_000, help="number of rows, a multiple of twelve"
    )
    parser.add_argument("--seeds", type=int, default=3, help="number of seeds")
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--only", choices=("returns", "boards"), help="only this part")
    args = parser.parse_args()
    seeds = range(args.first, args.first + args.seeds)
    if args.only != "boards":
        returns(args.rows, seeds)
    if args.only != "returns":
        boards(seeds)


if __name__ == "__main__":
    main()
