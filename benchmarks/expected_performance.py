"""Estimates of performance without labels, beside NannyML's CBPE on the same predictions.

    DRIFTLEARN_DATA=... python benchmarks/expected_performance.py [--nannyml PYTHON]

`OnlineStackingClassifier` predicts chunks of 500 rows of the first 20,000 rows of the first ten
tuning streams of ``suite.toml`` with two classes, seed 0, and is trained on each afterwards. CBPE
(NannyML 0.13.1, in the environment of ``--nannyml``) calibrates with the first half of the
predictions, its reference, whose labels are known. Both are evaluated on the second half: mean
absolute errors in points. ``inside`` is the share of truths in the interval.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from driftlearn import OnlineStackingClassifier
from driftlearn.specs.grammar import read
from driftlearn.specs.toml import read_toml
from driftlearn.utils.table import Table

CHUNK, N_ROWS = 500, 20_000
MOST_STREAMS = 10
METRICS = {"accuracy": "accuracy", "auc": "roc_auc"}
CBPE = """
import json, sys, warnings
warnings.filterwarnings("ignore")
import nannyml, pandas
rows = pandas.DataFrame(json.load(sys.stdin))
half = len(rows) // 1000 * 500
model = nannyml.CBPE(problem_type="classification_binary", y_pred_proba="p", y_pred="label",
                     y_true="y", metrics=["accuracy", "roc_auc"], chunk_size=500)
found = model.fit(rows[:half]).estimate(rows[half:].drop(columns="y")).filter(period="analysis")
table = found.to_df()
print(json.dumps({name: table[(name, "value")].tolist() for name in ("accuracy", "roc_auc")}))
"""


def chunks_of(stream, n_rows):
    """Return estimates and truths of each chunk, and the predictions of all rows."""
    X, y = stream.take(min(stream.n_rows or n_rows, n_rows))
    y = np.searchsorted(np.unique(y), y)
    model, estimates = OnlineStackingClassifier(random_state=0), []
    rows = {"p": [], "label": [], "y": []}
    for begin in range(0, len(y) // CHUNK * CHUNK, CHUNK):
        some = slice(begin, begin + CHUNK)
        if begin >= 2 * CHUNK:
            probas = model.predict_proba(X[some])
            estimates.append(model.expected_performance(X[some]))
            found = probas[:, 1], probas.argmax(axis=1), y[some]
            for name, values in zip(rows, found):
                rows[name] += values.tolist()
        model.partial_fit(X[some], y[some], classes=[0, 1])
    n = len(estimates)
    record = model.performance_
    raw, truths = (dict(zip(("accuracy", "log loss", "auc"), each[-n:].T))
                   for each in (record.raw, record.truths))  # fmt: skip
    return estimates, raw, truths, rows


def row_of(name, stream, python, n_rows=N_ROWS):
    """Return the row of a stream in the table."""
    estimates, raw, truths, rows = chunks_of(stream, n_rows)
    half = len(estimates) // 2
    cbpe = {}
    if python:
        done = subprocess.run([python, "-c", CBPE], input=json.dumps(rows), text=True, check=True,
                              capture_output=True)  # fmt: skip
        cbpe = json.loads(done.stdout)
    found = [name]
    for metric, theirs in METRICS.items():
        truth = truths[metric][half:]
        own = np.array([each[metric]["expected"] for each in estimates[half:]])
        ends = np.array([each[metric]["interval"] for each in estimates[half:]])
        known = ~np.isnan(truth)
        inside = ((ends[:, 0] <= truth) & (truth <= ends[:, 1]))[known]
        other = np.array(cbpe[theirs]) - truth if cbpe else np.full(len(truth), np.nan)
        errors = own - truth, raw[metric][half:] - truth, other
        found += [round(100 * float(abs(each)[known].mean()), 2) for each in errors]
        found.append(round(float(inside.mean()), 2))
    return found


def table_of(rows):
    """Return the table, with means in the last row."""
    head = ["stream"]
    for name in METRICS:
        head += [f"{name}: ours", "raw", "CBPE", "inside"] if name == "accuracy" else [
            f"{name}: ours", f"{name}: raw", f"{name}: CBPE", f"{name}: inside"]  # fmt: skip
    means = ["mean", *np.mean([row[1:] for row in rows], axis=0).round(2).tolist()]
    return Table(dict(zip(head, map(list, zip(*rows, means))))).text()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nannyml", metavar="PYTHON", help="an interpreter that has NannyML")
    args = parser.parse_args()
    suite, _ = read_toml(Path(__file__).with_name("suite.toml"))
    rows = []
    for name, text in {**suite["tuning"]["streams"], **suite["generated"]}.items():
        stream = read(text, "stream").make(0)
        _, y = stream.take(min(stream.n_rows or 2_000, 2_000))
        if (
            len(rows) == MOST_STREAMS
            or len(np.unique(y)) != 2
            or " 1 to " in name
            or "runs" in name
        ):  # AUC of rare classes
            continue
        rows.append(row_of(name, read(text, "stream").make(0), args.nannyml))
        print(*rows[-1], file=sys.stderr, flush=True)
    print(table_of(rows))


if __name__ == "__main__":
    main()
