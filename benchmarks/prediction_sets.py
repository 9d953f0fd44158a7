"""Coverage and size of prediction sets on the tuning streams, beside split conformal sets.

    DRIFTLEARN_DATA=... python benchmarks/prediction_sets.py > docs/prediction-sets.txt

`AutoClassifier` predicts the first 10,000 rows of each stream of ``suite.toml``, seed 0, row by row
and in chunks of 100. Sets have a coverage of 90 %. "worst" are the largest deviations of the
coverage of 2,000 consecutive rows, in points, without the first 500 rows and those up to 500 rows
after the start of a drift. The real data sets have drifts at unknown rows, which are not left out.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from driftlearn import AutoClassifier
from driftlearn.model_selection import PredictionSets
from driftlearn.model_selection.prediction_sets import WINDOW
from driftlearn.specs.grammar import read
from driftlearn.specs.toml import read_toml
from driftlearn.utils.table import Table

COVERAGE, SPAN, AFTER_DRIFT, N_ROWS = 0.9, 2_000, 500, 10_000
MODES = {"rows": 1, "chunks of 100": 100}


def split_sets(scores, probas):
    """Return split conformal sets: a fixed quantile of the scores of the last rows."""
    if not len(scores):
        return np.ones(probas.shape, dtype=bool)
    rank = int(np.ceil((len(scores) + 1) * COVERAGE))
    return 1.0 - probas <= (np.sort(scores)[rank - 1] if rank <= len(scores) else np.inf)


def covered(probas, y, size):
    """Return whether sets contain the label, and their sizes, for each method and row."""
    sets, scores, n = PredictionSets(probas.shape[1]), np.zeros(0), len(y)
    found = {name: (np.ones(n, dtype=bool), np.zeros(n)) for name in ("own", "top", "split")}
    for begin in range(0, n, size):
        rows = slice(begin, begin + size)
        p, labels = probas[rows], y[rows]
        places = np.arange(len(labels))
        own = sets.predict(p, COVERAGE, allow_empty=True)
        top = own.copy()
        top[places, p.argmax(axis=1)] = True
        for name, chosen in (("own", own), ("top", top), ("split", split_sets(scores, p))):
            found[name][0][rows] = chosen[places, labels]
            found[name][1][rows] = chosen.sum(axis=1)
        sets.update(p, labels)
        scores = np.concatenate([scores, 1.0 - p[places, labels]])[-WINDOW:]
    return found


def worst(right, drifts):
    """Return the lowest and the highest deviation of the coverage of 2,000 rows, in points."""
    kept = np.ones(len(right), dtype=bool)
    for row in (0, *drifts):
        kept[row : row + AFTER_DRIFT] = False
    right = right[kept]
    sums = np.concatenate([[0], np.cumsum(right)])
    span = min(SPAN, len(right))
    shares = 100 * ((sums[span:] - sums[:-span]) / span - COVERAGE)
    return float(shares.min()), float(shares.max())


def row_of(name, mode, stream, n_rows, seed=0):
    """Return the row of a stream in the table."""
    n_rows, size = min(stream.n_rows or n_rows, n_rows), MODES[mode]
    X, y = stream.take(n_rows)
    model = AutoClassifier(chunk_size=size, random_state=seed)
    probas = model.test_then_train(X, y, proba=True)
    first = size  # predicted without training before
    probas, codes = probas.filled(0.0)[first:], np.searchsorted(model.classes_, y)[first:]
    drifts = [row - first for row in stream.drifts if first < row < n_rows]
    found = covered(probas, codes, size)
    accuracy = 100 * float((probas.argmax(axis=1) == codes).mean())
    low, high = worst(found["own"][0], drifts)
    split_low, split_high = worst(found["split"][0], drifts)
    return [
        name, mode, round(accuracy, 1), *(round(100 * float(found["own"][0].mean()), 1),),
        round(low, 1), round(high, 1), round(float(found["own"][1].mean()), 2),
        round(split_low, 1), round(split_high, 1), round(float(found["split"][1].mean()), 2),
        round(100 * float(found["top"][0].mean()), 1), round(float(found["top"][1].mean()), 2),
    ]  # fmt: skip


def table_of(rows):
    """Return the table and a summary of how often the coverage is within 1.5 points."""
    head = ("stream", "labels by", "accuracy", "coverage", "worst below", "worst above", "size",
            "split: below", "split: above", "split: size", "with top: coverage",
            "with top: size")  # fmt: skip
    lines = [Table(dict(zip(head, map(list, zip(*rows))))).text(), ""]
    for mode in MODES:
        some = [row for row in rows if row[1] == mode]
        for what, k in (("adaptive", 4), ("split", 7)):
            within = sum(row[k] >= -1.5 and row[k + 1] <= 1.5 for row in some)
            below = sum(row[k] >= -1.5 for row in some)
            lines.append(
                f"{mode}, {what}: within 1.5 points on {within} of {len(some)} streams, never "
                f"below on {below}; mean size {np.mean([row[k + 2] for row in some]):.3f}"
            )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=N_ROWS)
    args = parser.parse_args()
    suite, _ = read_toml(Path(__file__).with_name("suite.toml"))
    rows = []
    for name, text in {**suite["tuning"]["streams"], **suite["generated"]}.items():
        for mode in MODES:
            rows.append(row_of(name, mode, read(text, "stream").make(0), args.rows))
            print(*rows[-1], file=sys.stderr, flush=True)
    print(table_of(rows))


if __name__ == "__main__":
    main()
