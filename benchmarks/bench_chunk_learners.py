"""Speed of chunk learners, their reference implementations and stream-learn on the same rows.

    python benchmarks/bench_chunk_learners.py

The data are SEA200A. Reference implementations are trained on its first 12 chunks; their time is
scaled by the number of chunks, which underestimates the ratio, because their ensembles are smaller
then. The candidates are timed in turn, and the fastest of several runs counts. DTEL is also
implemented with scikit-learn's trees, which stream-learn's ensembles use, too, if it is installed.
"""

import sys
from pathlib import Path

import numpy as np
from _timing import best_in_turn
from sklearn.tree import DecisionTreeClassifier

sys.path.insert(0, str(Path(__file__).parent.parent))

import driftlearn as dl
from driftlearn.streams import s1_stream
from driftlearn.utils.table import Table
from tests.reference.aue2 import AUE2Reference
from tests.reference.awe import AWEReference
from tests.reference.bases import cart_base, naive_bayes_base
from tests.reference.dic import DICReference
from tests.reference.dtel import DTELReference
from tests.reference.dynse import DYNSEReference
from tests.reference.learnpp import LearnPPMTReference, LearnPPReference, LearnPPUDNCReference
from tests.reference.nse import NSEReference
from tests.reference.sea import SEAReference
from tests.reference.tix import TIXReference

CHUNKS = [(batch.X, batch.y) for batch in s1_stream("SEA200A", random_state=0)]
PROBE = s1_stream("SEA200A", random_state=0).test_set(0, 200)[0]
TRAIN, TRANSFER = cart_base(min_samples_split=10, min_samples_leaf=1, max_depth=None)
NB, NB_UPDATE = naive_bayes_base()
SHORT = 12


def trained(model, chunks, predict=True, **first):
    """Train chunk by chunk, predicting a test set after each chunk, as in a hold-out evaluation."""
    for k, (X, y) in enumerate(chunks):
        model.partial_fit(X, y, **(first if k == 0 else {}))
        if predict:
            model.predict(PROBE)


class ScikitTree:
    """scikit-learn tree whose leaves can be relabeled and grown further: DTEL's transfer."""

    def __init__(self, X, y):
        self.tree = DecisionTreeClassifier(min_samples_split=10, random_state=0).fit(X, y)
        self.proba = self.tree.tree_.value[:, 0, :].copy()
        self.subtrees = {}

    def transfer(self, X, y):
        copy = object.__new__(ScikitTree)
        copy.tree, copy.proba, copy.subtrees = self.tree, self.proba.copy(), {}
        leaves = self.tree.apply(X)
        for leaf in np.unique(leaves):
            here = leaves == leaf
            counts = np.bincount(y[here], minlength=2)
            copy.proba[leaf] = counts / counts.sum()
            if counts.min() and counts.sum() >= 10:
                grown = DecisionTreeClassifier(min_samples_split=10, random_state=0)
                copy.subtrees[leaf] = grown.fit(X[here], y[here])
        return copy

    def predict_proba(self, X):
        leaves = self.tree.apply(X)
        proba = self.proba[leaves]
        for leaf, subtree in self.subtrees.items():
            here = leaves == leaf
            if here.any():
                proba[here] = subtree.predict_proba(X[here])
        return proba


class ScikitDTEL:
    """DTEL implemented with scikit-learn's trees and NumPy."""

    def __init__(self, size=25):
        self.size, self.archive = size, []

    def partial_fit(self, X, y):
        newest = ScikitTree(X, y)
        adapted = [model.transfer(X, y) for model in self.archive]
        prior = np.bincount(y, minlength=2) / len(y)
        guessing = (prior * (1 - prior) ** 2).sum()
        rows = np.arange(len(y))
        errors = [((1 - model.predict_proba(X)[rows, y]) ** 2).mean() for model in adapted]
        self.committee = [*adapted, newest]
        self.weight = np.array([1 / (guessing + e + 1e-10) for e in (*errors, 0.0)])
        self.archive.append(newest)
        if len(self.archive) > self.size:
            right = np.array([m.predict_proba(X).argmax(1) == y for m in self.archive], float)
            wrong = 1 - right
            a, b = (right @ right.T) * (wrong @ wrong.T), (right @ wrong.T) * (wrong @ right.T)
            Q = np.divide(a - b, a + b, out=np.zeros_like(a), where=a + b > 0)
            del self.archive[int(Q.sum(axis=1).argmax())]

    def predict(self, X):
        votes = np.zeros((len(X), 2))
        for model, weight in zip(self.committee, self.weight):
            votes[np.arange(len(X)), model.predict_proba(X).argmax(1)] += weight
        return votes.argmax(1)


def dtel_with_scikit_learn():
    codes = [(X, (y == y.max()).astype(int)) for X, y in CHUNKS]
    found = best_in_turn(
        {
            "driftlearn": lambda: trained(dl.DTELClassifier(), CHUNKS),
            "scikit-learn trees": lambda: trained(ScikitDTEL(), codes),
        }
    )
    ratio = found["scikit-learn trees"] / found["driftlearn"]
    print("DTEL over SEA200A, 120 chunks, hold-out prediction after each")
    print(Table({"written with": list(found), "seconds": list(found.values())}))
    print(f"ratio {ratio:.1f}\n")


def against_references():
    pairs = {
        "DTEL": (dl.DTELClassifier, lambda: DTELReference(TRAIN, TRANSFER)),
        "Learn++.NSE": (dl.LearnPPNSEClassifier, lambda: NSEReference(TRAIN)),
        "SEA": (dl.SEAClassifier, lambda: SEAReference(TRAIN)),
        "AWE": (dl.AWEClassifier, lambda: AWEReference(TRAIN)),
        "AUE2 (naive Bayes)": (
            lambda: dl.AUE2Classifier(dl.GaussianNBClassifier()),
            lambda: AUE2Reference(NB, NB_UPDATE),
        ),
        "TIX": (dl.TIXClassifier, lambda: TIXReference(TRAIN)),
        "DIC": (dl.DICClassifier, lambda: DICReference(TRAIN)),
        "DYNSE": (dl.DYNSEClassifier, lambda: DYNSEReference(TRAIN)),
        "Learn++": (dl.LearnPPClassifier, lambda: LearnPPReference(TRAIN)),
        "Learn++.MT": (dl.LearnPPMTClassifier, lambda: LearnPPMTReference(TRAIN)),
        "Learn++.UDNC": (dl.LearnPPUDNCClassifier, lambda: LearnPPUDNCReference(TRAIN)),
    }
    rows, short = [], CHUNKS[:SHORT]
    for name, (product, reference) in pairs.items():
        found = best_in_turn(
            {
                "product": lambda make=product: trained(make(), short),
                "reference": lambda make=reference: trained(make(), short),
            },
            rounds=2,
        )
        ours, theirs = found["product"] / SHORT, found["reference"] / SHORT
        rows.append((name, 1e3 * ours, 1e3 * theirs, theirs / ours))
    print(f"against the references, the first {SHORT} chunks of SEA200A")
    print(Table(dict(zip(("learner", "ms a chunk", "reference", "ratio"), zip(*rows)))), "\n")


def against_stream_learn():
    try:
        from strlearn.ensembles import AUE, AWE, SEA
    except ImportError:
        print("stream-learn is not installed: pip install stream-learn")
        return
    classes = np.unique(CHUNKS[0][1])
    tree = DecisionTreeClassifier(min_samples_split=10)
    pairs = {
        "SEA": (dl.SEAClassifier(n_estimators=10), SEA(tree, 10)),
        "AWE": (dl.AWEClassifier(n_estimators=10, n_stored=10), AWE(tree, 10)),
        "AUE2": (dl.AUE2Classifier(n_estimators=10), AUE(dl.HoeffdingTreeClassifier(), 10)),
    }
    rows = []
    for name, (ours, theirs) in pairs.items():
        from sklearn.base import clone

        runs = {
            "driftlearn": lambda model=ours: trained(clone(model), CHUNKS),
            "stream-learn": lambda model=theirs: trained(clone(model), CHUNKS, classes=classes),
        }
        found = best_in_turn(runs)
        rows.append((name, *found.values(), found["stream-learn"] / found["driftlearn"]))
    print("against stream-learn with scikit-learn trees (AUE: our Hoeffding tree in both), SEA200A")
    print(Table(dict(zip(("learner", "driftlearn s", "stream-learn s", "ratio"), zip(*rows)))))


if __name__ == "__main__":
    dtel_with_scikit_learn()
    against_references()
    against_stream_learn()
