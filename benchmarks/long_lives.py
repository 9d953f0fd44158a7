"""A hundred million rows for every learner of bounded size: memory, speed, accuracy.

    python benchmarks/long_lives.py --out lives            all learners, 100 million rows each
    python benchmarks/long_lives.py --only dwm --only "flb, 20 members" --rows 10_000_000
    python benchmarks/long_lives.py --out lives --table    the table of the results so far

The stream is SEA; the concept changes every million rows and recurs every four million. After each
ten million rows the model is saved and a line of results is written beside it. An interrupted run
continues after the last line.
"""

import argparse
import json
import resource
import time
import warnings
from pathlib import Path

import numpy as np

import driftlearn as dl
from driftlearn.io import dumps, load, save
from driftlearn.streams import SEA

SEGMENT = 1_000_000
EVERY = 10  # segments between two lines
THRESHOLDS = 8, 9, 7, 9.5
# rows per call: chunk learners train a model on each; a learner whose default number of members
# would take an hour has fewer, as its name shows
LEARNERS = {
    "naive-bayes": (dl.GaussianNBClassifier(), 10_000),
    "hoeffding": (dl.HoeffdingTreeClassifier(), 10_000),
    "artmap, 1,000 categories": (dl.FuzzyARTMAPClassifier(max_categories=1_000), 10_000),
    "adwin-bagging": (dl.ADWINBaggingClassifier(random_state=0), 10_000),
    "ace": (dl.ACEClassifier(random_state=0), 10_000),
    "ddd": (dl.DDDClassifier(random_state=0), 10_000),
    "dwm": (dl.DWMClassifier(random_state=0), 10_000),
    "dwm-windowed": (dl.DWMClassifier(variant="windowed", random_state=0), 10_000),
    "rcd": (dl.RCDClassifier(random_state=0), 10_000),
    "online-boost": (dl.OnlineBoostClassifier(random_state=0), 10_000),
    "nsonline-boost, 10 members": (
        dl.NSOnlineBoostClassifier(n_estimators=10, random_state=0),
        10_000,
    ),
    "flc": (dl.FLCClassifier(random_state=0), 10_000),
    "flb, 20 members": (dl.FLBClassifier(n_estimators=20, random_state=0), 10_000),
    "ocb, 20 members": (dl.OCBClassifier.as_published(n_estimators=20, random_state=0), 10_000),
    "iboost, 20 members": (dl.IBoostClassifier(n_estimators=20, random_state=0), 10_000),
    "windowed-adaboost, 20 members, period 10": (
        dl.WindowedAdaBoostClassifier(n_estimators=20, period=10, random_state=0),
        10_000,
    ),
    "adwin-bagging-hoeffding": (
        dl.ADWINBaggingClassifier(dl.HoeffdingTreeClassifier(), random_state=0),
        10_000,
    ),
    "winnow": (dl.WinnowClassifier(), 10_000),
    "weighted-majority": (dl.WeightedMajorityClassifier(random_state=0), 10_000),
    "sea": (dl.SEAClassifier(random_state=0), 1_000),
    "awe": (dl.AWEClassifier(random_state=0), 1_000),
    "aue2": (dl.AUE2Classifier(random_state=0), 1_000),
    "dtel": (dl.DTELClassifier(random_state=0), 1_000),
    "dic": (dl.DICClassifier(random_state=0), 1_000),
    "dynse": (dl.DYNSEClassifier(random_state=0), 1_000),
    "tix": (dl.TIXClassifier(random_state=0), 1_000),
    "learnpp-nse": (dl.LearnPPNSEClassifier(n_estimators=25, prune="age", random_state=0), 1_000),
}


def segment(number):
    rule = THRESHOLDS[number % len(THRESHOLDS)]
    return SEA(thresholds=(rule,), n_rows=SEGMENT, random_state=number)


def live(name, n_segments, folder):
    """Train up to this number of segments; write a line of results every ten."""
    model, rows = LEARNERS[name]
    lived = lines_of(name, folder)
    first = lived[-1]["rows"] // SEGMENT if lived else 0
    if lived:
        model = load(folder / f"{name}-{first}.dl")
    learning = 0.0
    for number in range(first, n_segments):
        stream = segment(number)
        for batch in stream.chunks(rows):
            start = time.process_time()
            model.partial_fit(batch.X, batch.y)
            learning += time.process_time() - start
        if (number + 1) % EVERY == 0:
            line = measure(name, model, stream, number + 1, learning)
            learning = 0.0
            save(model, folder / f"{name}-{number + 1}.dl")  # before the line that refers to it
            with (folder / f"{name}.jsonl").open("a") as file:
                file.write(json.dumps(line) + "\n")
            (folder / f"{name}-{number + 1 - EVERY}.dl").unlink(missing_ok=True)
            show(line)


def lines_of(name, folder):
    path = folder / f"{name}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def measure(name, model, stream, n_segments, learning):
    X, y = stream.test_set(SEGMENT - 1, 10_000)
    proba = model.predict_proba(X)
    if not (np.isfinite(proba).all() and np.allclose(proba.sum(axis=1), 1.0)):
        raise ArithmeticError(f"{name}: a probability is not finite, or they do not sum to one")
    return {
        "learner": name,
        "rows": n_segments * SEGMENT,
        "rows_a_second": round(EVERY * SEGMENT / learning),
        "model_kB": round(len(dumps(model)) / 1000),
        "process_MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "accuracy": round(100 * float((model.predict(X) == y).mean()), 2),
    }


def show(line):
    print(
        f"{line['learner']:<41}{line['rows'] // 1_000_000:>5} M rows{line['rows_a_second']:>12,} "
        f"a second{line['model_kB']:>9,} kB{line['process_MB']:>6,} MB{line['accuracy']:>8.2f} %",
        flush=True,
    )


def table(folder):
    """Print the first and the last ten million rows of every learner."""
    heads = "rows a second", "model kB", "process MB", "accuracy"
    print(f"{'learner':<41}{'million rows':>13}", *(f"{head:>23}" for head in heads))
    for name in LEARNERS:
        lived = lines_of(name, folder)
        if lived:
            a, b = lived[0], lived[-1]
            pairs = [
                f"{a[key]:>11,} {b[key]:>11,}"
                for key in ("rows_a_second", "model_kB", "process_MB", "accuracy")
            ]
            print(f"{name:<41}{b['rows'] // 1_000_000:>13}", *pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=Path, default=Path("lives"), help="folder of results and models"
    )
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument(
        "--only", action="append", choices=LEARNERS, help="run only this learner; repeatable"
    )
    parser.add_argument(
        "--table", action="store_true", help="print the table without running anything"
    )
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    for name in () if args.table else args.only or LEARNERS:
        live(name, args.rows // SEGMENT, args.out)
    table(args.out)


if __name__ == "__main__":
    main()
