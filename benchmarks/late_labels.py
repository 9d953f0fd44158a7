"""Accuracy with labels 1,000 rows late on streams whose classes occur in runs.

    python benchmarks/late_labels.py [--seeds 1]

Rows of tuning streams of ``suite.toml`` are predicted in blocks of 50; each label arrives 1,000
rows later. `AutoClassifier` with votes and with ``chunk_size=250, delay=4`` is compared with its
candidates for single rows alone.
"""

import argparse
from pathlib import Path

import numpy as np

from driftlearn import AutoClassifier
from driftlearn.model_selection import default_candidates
from driftlearn.specs.grammar import read
from driftlearn.specs.toml import read_toml
from driftlearn.utils.table import Table

STREAMS = "optdigits, runs", "rbf, moving, runs", "led, runs, noise", "covertype, runs"
N_ROWS, DELAY, BLOCK = 10_000, 1_000, 50


def accuracy(model, X, y):
    """Return the share of correctly predicted rows, from the first one with a known label on."""
    classes, correct = np.unique(y), []
    for start in range(0, len(y), BLOCK):
        if start > DELAY:
            rows = slice(start, start + BLOCK)
            is_fitted = model.__sklearn_is_fitted__()
            correct.extend(model.predict(X[rows]) == y[rows] if is_fitted else [False] * BLOCK)
        known = slice(max(start - DELAY, 0), max(start - DELAY + BLOCK, 0))
        if known.stop:
            model.partial_fit(X[known], y[known], classes=classes)
    return 100 * float(np.mean(correct))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    suite, _ = read_toml(Path(__file__).with_name("suite.toml"))
    texts = {**suite["tuning"]["streams"], **suite["generated"]}
    rows = []
    for name in STREAMS:
        found = []
        for seed in suite["tuning"]["seeds"][: args.seeds]:
            stream = read(texts[name], "stream").make(seed)
            X, y = stream.take(min(stream.n_rows or N_ROWS, N_ROWS))
            models = {
                "votes": AutoClassifier(combine="vote"),
                "chunks": AutoClassifier(chunk_size=250, delay=4),
                **default_candidates(),
            }
            for model in models.values():
                if "random_state" in model.get_params():
                    model.set_params(random_state=seed)
            found.append([accuracy(model, X, y) for model in models.values()])
        votes, chunks, *alone = np.mean(found, axis=0).tolist()
        rows.append((name, votes, max(alone), chunks))
    print(Table(dict(zip(("stream", "votes", "best candidate", "chunks"), zip(*rows)))))


if __name__ == "__main__":
    main()
