"""Rows per second of the encoder, and its share of the time of a pipeline with a Hoeffding tree.

    python benchmarks/bench_encoder.py

Chunks of 1,000 rows are encoded and learned: ten numeric columns in each container, then columns of
other kinds. Times are CPU seconds of this process, the fastest of three runs.
"""

import time

import numpy as np
import pandas
import polars
import pyarrow

from driftlearn import HoeffdingTreeClassifier
from driftlearn.preprocessing import TableEncoder, make_pipeline
from driftlearn.utils.table import Table

ROWS, CALLS = 1_000, 200


def tables():
    rng = np.random.default_rng(0)
    X = rng.random((ROWS, 10))
    columns = {f"x{j}": X[:, j] for j in range(10)}
    gaps = X.copy()
    gaps[rng.random(X.shape) < 0.1] = np.nan
    words = {"w": np.array([f"w{k}" for k in rng.integers(50, size=ROWS)], dtype=object)}
    days = {"d": np.datetime64("2024-01-01") + rng.integers(1000, size=ROWS)}
    return {
        "array, 10 numbers": (X, {}),
        "array, 10 numbers, 10 % missing": (gaps, {}),
        "array, 10 numbers, scaled": (X, {"scale": True}),
        "pandas, 10 numbers": (pandas.DataFrame(columns), {}),
        "polars, 10 numbers": (polars.DataFrame(columns), {}),
        "pyarrow, 10 numbers": (pyarrow.table(columns), {}),
        "1 column of words, codes": (words, {}),
        "1 column of words, onehot": (words, {"categories": "onehot"}),
        "1 column of dates": (days, {}),
    }


def rate(learn):
    """Return the rows per second of a function that is called with a chunk."""
    learn()
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        for _ in range(CALLS):
            learn()
        best = min(best, time.process_time() - start)
    return ROWS * CALLS / best


def main():
    found = {}
    for name, (rows, options) in tables().items():
        encoder = TableEncoder(**options)
        found[f"encoder: {name}"] = rate(lambda e=encoder, r=rows: e.transform_then_learn(r))
    X = np.random.default_rng(0).random((ROWS, 10))
    y = (X[:, 0] > X[:, 1]).astype(int)
    frame = pandas.DataFrame(X, columns=[f"x{j}" for j in range(10)])
    tree = HoeffdingTreeClassifier()
    found["Hoeffding tree alone"] = rate(lambda: tree.partial_fit(X, y))
    for name, rows in (("array", X), ("pandas", frame)):
        model = make_pipeline(TableEncoder(), HoeffdingTreeClassifier())
        found[f"encoder and Hoeffding tree, {name}"] = rate(
            lambda m=model, r=rows: m.partial_fit(r, y)
        )
    print(Table({"what": [*found], "rows/s": [round(each) for each in found.values()]}))


if __name__ == "__main__":
    main()
