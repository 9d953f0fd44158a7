"""Speed of online ensembles, their reference implementations, river and CapyMOA.

    python benchmarks/bench_online.py

All members are naive Bayes, on SEA with 10 % label noise. Only training is timed: driftlearn gets
all rows in one call, and one row per call, where most of the time is validation; river and CapyMOA
take one row per call by design. The reference implementations and the other libraries are trained
on the first rows only. All run in turn, and the fastest of several runs counts. Libraries that are
not installed are omitted.

Ours have the paper's settings, like the reference implementations; the fixed members of ACE are
CART trees; RCD and DDD have their defaults except for naive Bayes. Winnow, weighted majority, FLORA
and STAGGER are compared with their references on STA; all of them but Winnow are plain Python.
"""

import sys
from functools import partial
from pathlib import Path

import numpy as np
from _timing import best_in_turn

sys.path.insert(0, str(Path(__file__).parent.parent))

from driftlearn import (
    ACEClassifier,
    ADWINBaggingClassifier,
    CARTClassifier,
    DDDClassifier,
    DWMClassifier,
    FLCClassifier,
    FLORA2Classifier,
    FLORA3Classifier,
    GaussianNBClassifier,
    HoeffdingTreeClassifier,
    NSOnlineBoostClassifier,
    OnlineBoostClassifier,
    RCDClassifier,
    STAGGERClassifier,
    WeightedMajorityClassifier,
    WinnowClassifier,
)
from driftlearn.streams import SEA, STA
from driftlearn.utils.table import Table
from tests.reference.ace import ACEReference
from tests.reference.adwin_bagging import ADWINBaggingReference
from tests.reference.bases import cart_base
from tests.reference.ddd import DDDReference
from tests.reference.dwm import DWMReference
from tests.reference.flora import FLORA2Reference, FLORA3Reference
from tests.reference.online_bases import hoeffding_maker, naive_bayes_maker
from tests.reference.online_boost import FLCReference, NSOnlineBoostReference, OnlineBoostReference
from tests.reference.rcd import RCDReference
from tests.reference.stagger import STAGGERReference
from tests.reference.weighted_majority import WeightedMajorityReference
from tests.reference.winnow import WinnowReference

N, M = 50_000, 10
X, Y = SEA(n_rows=N, noise=0.1, random_state=0).take(N)
X = np.round(X * 1024) / 1024  # keeps the sums of squares of the reference implementations above 0
LABELS = Y.tolist()
DICTS = [dict(enumerate(row)) for row in X[:5_000].tolist()]
MAKE = naive_bayes_maker()
BAYES = GaussianNBClassifier()
SD = {"detector": "sd"}
WINDOWED = {"variant": "windowed"}
PAIRS = {
    "OnlineBoost": (OnlineBoostClassifier.as_published, OnlineBoostReference, {}, 5_000),
    "NSOnlineBoost": (NSOnlineBoostClassifier.as_published, NSOnlineBoostReference, {}, 500),
    "FLC (ADWIN)": (FLCClassifier.as_published, FLCReference, {}, 5_000),
    "FLC (sd)": (FLCClassifier.as_published, FLCReference, SD, 5_000),
    "ADWIN bagging": (ADWINBaggingClassifier.as_published, ADWINBaggingReference, {}, 5_000),
    "DWM": (DWMClassifier.as_published, DWMReference, {}, 10_000),
    "DWM (windowed)": (DWMClassifier.as_published, DWMReference, WINDOWED, 10_000),
    "RCD": (partial(RCDClassifier, BAYES), RCDReference, {}, 5_000),
    "DDD": (partial(DDDClassifier, BAYES), DDDReference, {}, 2_000),
    "ACE": (
        partial(ACEClassifier, CARTClassifier(), online=BAYES),
        partial(ACEReference, cart_base()[0]),
        {},
        2_000,
    ),
}
POOL = [("bayes", BAYES), ("tree", HoeffdingTreeClassifier())]
ANCESTORS = {
    "Winnow": (WinnowClassifier, WinnowReference),
    "weighted majority": (
        partial(WeightedMajorityClassifier, POOL, random_state=0),
        partial(WeightedMajorityReference, [MAKE, hoeffding_maker()], random_state=0),
    ),
    "FLORA2": (FLORA2Classifier, FLORA2Reference),
    "FLORA3": (FLORA3Classifier, FLORA3Reference),
    "STAGGER": (STAGGERClassifier, STAGGERReference),
}


def at_once(name, n=N):
    product, _, how, _ = PAIRS[name]
    product(n_estimators=M, random_state=0, **how).partial_fit(X[:n], Y[:n])


def row_by_row(name, n):
    product, _, how, _ = PAIRS[name]
    model = product(n_estimators=M, random_state=0, **how)
    for i in range(n):
        model.partial_fit(X[i : i + 1], Y[i : i + 1])


def by_reference(name, n):
    _, reference, how, _ = PAIRS[name]
    reference(MAKE, n_estimators=M, random_state=0, **how).partial_fit(X[:n], Y[:n])


def against_references():
    rows = []
    for name, (_, _, _, few) in PAIRS.items():
        runs = {
            "all": partial(at_once, name),
            "few": partial(at_once, name, few),
            "one": partial(row_by_row, name, 500),
            "reference": partial(by_reference, name, few),
        }
        found = best_in_turn(runs, rounds=2)
        ratio = found["reference"] / found["few"]
        rows.append(
            (name, N / found["all"], 500 / found["one"], few, few / found["reference"], ratio)
        )
    columns = (
        "learner",
        "rows/s",
        "a row a call",
        "first rows",
        "reference rows/s",
        "ratio on these",
    )
    print(f"{M} members, naive Bayes, {N} rows of SEA; the references learn the first of them only")
    print(Table(dict(zip(columns, zip(*rows)))), "\n")


def the_ancestors(n=1_000):
    things, labels = STA(n_rows=n, segment=n // 5, noise=0.0, random_state=0).take(n)
    rows = []
    for name, kinds in ANCESTORS.items():
        runs = {
            which: lambda make=make: make().partial_fit(things, labels)
            for which, make in zip(("ours", "reference"), kinds)
        }
        found = best_in_turn(runs, rounds=2)
        rows.append(
            (name, n / found["ours"], n / found["reference"], found["reference"] / found["ours"])
        )
    columns = ("learner", "rows/s", "reference rows/s", "ratio")
    print(f"{n} rows of STA without noise, learning only")
    print(Table(dict(zip(columns, zip(*rows)))), "\n")


def against_river():
    try:
        from river import ensemble, naive_bayes
    except ImportError:
        print("river is not installed: pip install river\n")
        return
    base = naive_bayes.GaussianNB
    models = {
        "OnlineBoost": lambda: ensemble.AdaBoostClassifier(base(), n_models=M, seed=0),
        "ADWIN bagging": lambda: ensemble.ADWINBaggingClassifier(base(), n_models=M, seed=0),
    }

    def by_river(make):
        model = make()
        for row, label in zip(DICTS, LABELS):
            model.learn_one(row, label)

    compare("river", {name: partial(by_river, make) for name, make in models.items()})


def against_capymoa():
    try:
        from capymoa.classifier import DynamicWeightedMajority as DWM
        from capymoa.classifier import NaiveBayes, OnlineAdwinBagging, OzaBoost
        from capymoa.stream import NumpyStream
    except ImportError:
        print("CapyMOA is not installed: pip install capymoa (it needs Java)\n")
        return
    stream = NumpyStream(X[: len(DICTS)], Y[: len(DICTS)] - 1)
    rows = []
    while stream.has_more_instances():
        rows.append(stream.next_instance())
    schema, name = stream.get_schema(), "bayes.NaiveBayes"
    models = {
        "OnlineBoost": lambda: OzaBoost(schema, base_learner=name, boosting_iterations=M),
        "ADWIN bagging": lambda: OnlineAdwinBagging(
            schema, base_learner=NaiveBayes(schema), ensemble_size=M
        ),
        "DWM": lambda: DWM(schema, base_learner=name, max_experts=M),
    }

    def by_capymoa(make):
        model = make()
        for row in rows:
            model.train(row)

    compare("CapyMOA", {name: partial(by_capymoa, make) for name, make in models.items()})


def compare(library, runs):
    rows, n = [], len(DICTS)
    for name, theirs in runs.items():
        found = best_in_turn({"ours": partial(at_once, name, n), "theirs": theirs})
        rows.append((name, n / found["ours"], n / found["theirs"], found["theirs"] / found["ours"]))
    columns = ("learner", "driftlearn rows/s", f"{library} rows/s", "ratio")
    print(f"against {library}, {M} members, naive Bayes, {n} rows of SEA, learning only")
    print(Table(dict(zip(columns, zip(*rows)))), "\n")


if __name__ == "__main__":
    against_references()
    the_ancestors()
    against_river()
    against_capymoa()
