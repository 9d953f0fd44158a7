"""Prequential accuracy of learners by chunks for each encoding of categories.

    DRIFTLEARN_DATA=... python benchmarks/compare_encodings.py [rows]

The weekday of electricity is a string, and so are the month of weather (counted from the first row,
one row per day), the wilderness and soil types of covertype, and all codes of STAGGER and Agrawal
(rules 3, 4, 3). None of these sets is in the final part of the benchmark suite: the default was
chosen here. The pipeline passes the positions of columns with codes to all of these learners.
"""

import sys

import numpy as np

from driftlearn import (
    AutoClassifier,
    DTELClassifier,
    GaussianNBClassifier,
    HoeffdingTreeClassifier,
    LearnPPNSEClassifier,
    LeveragingBaggingClassifier,
)
from driftlearn.preprocessing import TableEncoder, make_pipeline
from driftlearn.streams import STA, Agrawal, Drifting, load
from driftlearn.utils.table import Table

CHUNK = 250
ENCODINGS = {
    "codes": TableEncoder(),
    "onehot, 16": TableEncoder("onehot"),
    "onehot, 40": TableEncoder("onehot", max_categories=40),
    "frequency": TableEncoder("frequency"),
}
LEARNERS = {
    "naive Bayes": GaussianNBClassifier(),
    "Hoeffding tree": HoeffdingTreeClassifier(),
    "leveraging bagging": LeveragingBaggingClassifier(random_state=0),
    "DTEL": DTELClassifier(random_state=0),
    "Learn++.NSE": LearnPPNSEClassifier(random_state=0),
    "auto": AutoClassifier(random_state=0),
}


def words(codes):
    """Return codes as strings, which do not reveal their order."""
    shuffled = np.random.default_rng(1).permutation(1000)
    return np.array([f"w{shuffled[int(code)]}" for code in codes], dtype=object)


def table(X, names, nominal):
    return {name: words(x) if name in nominal else x for name, x in zip(names, X.T)}


def streams(n):
    """Yield names, tables and labels."""
    electricity = load("electricity")
    X, y = electricity.take(n)
    yield "electricity", table(X, electricity.feature_names, ("day",)), y
    weather = load("weather")
    X, y = weather.take(n)
    months = np.arange(len(y)) // 30.44 % 12
    yield "weather", {**table(X, weather.feature_names, ()), "month": words(months)}, y
    X, y = load("covertype").take(n)
    wild, soil = X[:, 10:14].argmax(axis=1), X[:, 14:].argmax(axis=1)
    yield "covertype", {**table(X[:, :10], map(str, range(10)), ()), "wilderness": words(wild),
                        "soil": words(soil)}, y  # fmt: skip
    stagger = STA(n_rows=n, random_state=0)
    X, y = stagger.take(n)
    yield "STAGGER", table(X, stagger.feature_names, stagger.feature_names), y
    rules = [Agrawal(3), Agrawal(4), Agrawal(3)]
    agrawal = Drifting(rules, (n // 3, 2 * n // 3), n_rows=n, random_state=0)
    X, y = agrawal.take(n)
    yield "Agrawal", table(X, agrawal.feature_names, ("elevel", "car", "zipcode")), y


def accuracy(model, rows, y):
    right = 0
    for k in range(0, len(y), CHUNK):
        part = {name: values[k : k + CHUNK] for name, values in rows.items()}
        if k:
            right += (model.predict(part) == y[k : k + CHUNK]).sum()
        model.partial_fit(part, y[k : k + CHUNK])
    return 100 * right / (len(y) - CHUNK)


def main(n):
    found = []
    for name, rows, y in streams(n):
        for learner, base in LEARNERS.items():
            scores = [
                accuracy(make_pipeline(encoder, base), rows, y) for encoder in ENCODINGS.values()
            ]
            found.append((name, learner, *scores))
            print(*found[-1], file=sys.stderr, flush=True)
    columns = dict(zip(("stream", "learner", *ENCODINGS), map(list, zip(*found))))
    print(Table(columns))
    for learner in LEARNERS:
        means = np.mean([row[2:] for row in found if row[1] == learner], axis=0)
        columns["stream"].append("mean")
        columns["learner"].append(learner)
        for encoding, mean in zip(ENCODINGS, means):
            columns[encoding].append(mean)
    print(Table({name: values[-len(LEARNERS) :] for name, values in columns.items()}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6_000)
