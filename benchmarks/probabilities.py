"""Quality of predicted probabilities: hard zeros and ones, log loss and calibration error.

    python benchmarks/probabilities.py [--rows 5000] [--seeds 1] [--chunk 250] [dtel hoeffding ...]

The stream is SEA with 10 % label noise, so that no prediction is certain. Evaluation is
prequential: rows are predicted in chunks before training on them, and the first two chunks are not
counted. A hard prediction gives a class that occurred in training a probability of 0 (another class
then often has probability 1). ``--published`` uses the settings of the papers.
"""

import argparse

import numpy as np

import driftlearn
from driftlearn.evaluate import metrics
from driftlearn.streams import SEA
from driftlearn.utils.table import Table

# nominal features only
NOMINAL = "FLORA2Classifier", "FLORA3Classifier", "STAGGERClassifier", "WinnowClassifier"
LEARNERS = [each for each in driftlearn.__all__ if each.endswith("Classifier")]


def scores(name, seed, n_rows, size, published):
    """Return the share of hard predictions, log loss, calibration error and accuracy."""
    kind = getattr(driftlearn, name)
    model = kind.as_published() if published else kind()
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    X, y = SEA(n_rows=n_rows, noise=0.1, random_state=seed).take(n_rows)
    found, learn = [], getattr(model, "partial_fit", model.fit)
    for start in range(0, n_rows, size):
        rows = slice(start, start + size)
        if start >= 2 * size:
            found.append(model.predict_proba(X[rows]))
        learn(X[rows], y[rows])
    probas, y, classes = np.concatenate(found), y[2 * size :], np.unique(y)
    bins = metrics.calibration(y, probas, classes)
    hard, right = (probas <= 0).any(axis=1), classes[probas.argmax(axis=1)] == y
    loss = metrics.log_loss(y, probas, classes)
    return 100 * hard.mean(), loss, metrics.calibration_error(bins), 100 * right.mean()


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("learners", nargs="*", metavar="learner", help="a short name; default: all")
    parser.add_argument("--rows", type=int, default=5_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--chunk", type=int, default=250)
    parser.add_argument("--published", action="store_true", help="use the settings of the papers")
    args = parser.parse_args()
    columns, rows = ("learner", "hard %", "log loss", "calibration error", "accuracy %"), []
    for name in (each for each in args.learners or LEARNERS if each not in NOMINAL):
        run = [scores(name, k, args.rows, args.chunk, args.published) for k in range(args.seeds)]
        rows.append((name.removesuffix("Classifier"), *np.mean(run, axis=0).round(3).tolist()))
    print(Table(dict(zip(columns, zip(*rows)))))


if __name__ == "__main__":
    main()
