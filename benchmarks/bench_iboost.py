"""IBoost and its competitors on the SEA stream of its paper: accuracy, recovery, speed.

    python benchmarks/bench_iboost.py                       # both parts
    python benchmarks/bench_iboost.py accuracy --seeds 10
    python benchmarks/bench_iboost.py speed

Accuracy follows the protocol of Grbovic and Vucetic (2011): 50,000 rows without noise, 2,500 test
rows of the current concept, a test every 50 rows; recovery is the mean over the 600 rows after each
of the three changes. M = n = 200, p = 1, b = 5 unless the name states other values. Speed is in
rows per second once the ensemble is full, ours and that of the reference implementation on the same
rows, timed in the same run; then the memory after a million rows.
"""

import argparse
import pickle
import resource
import sys
import time
from pathlib import Path

import numpy as np

from driftlearn.ensemble.boosting.flb import FLBClassifier
from driftlearn.ensemble.boosting.iboost import IBoostClassifier
from driftlearn.ensemble.boosting.ocb import OCBClassifier
from driftlearn.ensemble.boosting.windowed_adaboost import WindowedAdaBoostClassifier
from driftlearn.naive_bayes.gaussian_nb import GaussianNBClassifier
from driftlearn.streams import SEA

NB = {"estimator": GaussianNBClassifier(), "n_estimators": 50}
LEARNERS = {
    "IBoost stochastic": (IBoostClassifier(), "97.1 / 93.5"),
    "IBoost batch": (IBoostClassifier(update="batch"), "97.9 / 92.5"),
    "IBoost stochastic p=10 b=1": (IBoostClassifier(period=10, n_updates=1), "96.5 / 92.8"),
    "IBoost stochastic p=50 b=1": (IBoostClassifier(period=50, n_updates=1), "94.7 / 92.7"),
    "IBoost stochastic p=100 b=1": (IBoostClassifier(period=100, n_updates=1), "93.1 / 92.1"),
    "IBoost logistic (ours)": (IBoostClassifier(loss="logistic"), ""),
    "IBoost batch logistic (ours)": (IBoostClassifier(update="batch", loss="logistic"), ""),
    "IBoost window by ADWIN (ours)": (IBoostClassifier(window_size="adwin"), ""),
    "AdaBoost on the window": (WindowedAdaBoostClassifier(), "94.9 / 91.9"),
    "OCB": (OCBClassifier.as_published(), "94.4 / 91.2"),
    "FLB ratio, no test": (FLBClassifier(change_level=None), "94.4 / 84.7"),
    "FLB ratio, 1 % test": (FLBClassifier(), ""),
    "FLB distance, 1 % test": (FLBClassifier(stump_proba="distance"), ""),
    "naive Bayes: IBoost, clip 2": (IBoostClassifier(weight_clip=2.0, **NB), "98.0"),
    "naive Bayes: FLB": (FLBClassifier(block_size=200, n_per_block=1, **NB), "94.9"),
    "naive Bayes: OCB n=2000": (OCBClassifier.as_published(init_size=2000, **NB), "95.2"),
}


def s3_protocol(model, seed, every=50, n_test=2500, n_recovery=600):
    """Return the mean accuracy over all tests, and over the tests after changes, in percent."""
    stream = SEA.iboost(random_state=seed)
    tests = {
        start: stream.test_set(start, n_test, random_state=seed + 1000)
        for start in (0, *stream.drifts)
    }
    accuracy, recovering = [], []
    done = concept = 0
    for batch in stream.chunks(every):
        model.partial_fit(batch.X, batch.y)
        concept = max(start for start in tests if start <= done)
        done += len(batch.y)
        X, y = tests[concept]
        accuracy.append(np.mean(model.predict(X) == y))
        recovering.append(concept > 0 and done - concept <= n_recovery)
    accuracy = 100 * np.array(accuracy)
    return accuracy.mean(), accuracy[recovering].mean()


def show_accuracy(seeds, only):
    print(f"{'accuracy / recovery':<32}{'mean':>14}{'worst':>14}   printed")
    for name, (model, printed) in LEARNERS.items():
        if only not in name:
            continue
        found = []
        for seed in range(seeds):
            found.append(s3_protocol(pickle.loads(pickle.dumps(model)), seed))
        mean, worst = np.mean(found, axis=0), np.min(found, axis=0)
        cells = [f"{a:.2f} / {r:.1f}" for a, r in (mean, worst)]
        print(f"{name:<32}{cells[0]:>14}{cells[1]:>14}   {printed}", flush=True)


def seconds(function):
    start = time.process_time()
    function()
    return time.process_time() - start


def show_speed(n_warm=20_000, n_ours=20_000, n_reference=100):
    """Fill our ensemble, copy its members and window to the reference, and time both from there."""
    sys.path.insert(0, str(Path(__file__).parent.parent))
    from tests.reference.bases import naive_bayes_base
    from tests.reference.flb import FLBReference
    from tests.reference.iboost import BinaryIBoostReference, Row
    from tests.reference.ocb import OCBReference
    from tests.reference.online_bases import StumpModel, stump_base
    from tests.reference.windowed_adaboost import WindowedAdaBoostReference

    batch = next(iter(SEA.iboost(random_state=0).chunks(n_warm + n_ours)))
    X, y = batch.X, batch.y
    labels = [-1, 1]

    def as_reference(stump):
        model = StumpModel(labels, 0.5)
        model.stump = stump.feature_, stump.threshold_, *stump.value_
        return model

    def fill(reference, ours, size=200):
        reference.classes, reference.n_rows = labels, n_warm
        reference.members = [as_reference(model) for model in ours.estimators_]
        reference.alphas = ours.members_["weight"].tolist()
        rows = list(zip(X[n_warm - size : n_warm], y[n_warm - size : n_warm].tolist()))
        if isinstance(reference, BinaryIBoostReference):
            votes = np.array(
                [model.predict(X[n_warm - size : n_warm]) for model in reference.members]
            )
            predictions = votes.T.tolist()
            reference.window = [Row(x, label, 1.0, v) for (x, label), v in zip(rows, predictions)]
            reference.only_class = [None] * len(reference.members)
        else:
            reference.window = [(x, label, 1.0) for x, label in rows]

    def learn_some(reference, ours, n=2_500):
        reference.partial_fit(X[n_warm - n : n_warm], y[n_warm - n : n_warm])

    stump, bayes = stump_base(), naive_bayes_base()[0]
    pairs = {
        "IBoost stochastic": (IBoostClassifier(), BinaryIBoostReference(stump), fill),
        "IBoost batch": (
            IBoostClassifier(update="batch"),
            BinaryIBoostReference(stump, update="batch"),
            fill,
        ),
        "AdaBoost on the window": (
            WindowedAdaBoostClassifier(),
            WindowedAdaBoostReference(stump),
            fill,
        ),
        "OCB": (
            OCBClassifier.as_published(),
            OCBReference(stump),
            lambda t, o: learn_some(t, o, 200),
        ),
        "FLB": (FLBClassifier(change_level=None), FLBReference(stump, detect=False), fill),
        "naive Bayes: IBoost": (
            IBoostClassifier(weight_clip=2.0, **NB),
            BinaryIBoostReference(bayes, n_estimators=50, weight_clip=2.0),
            learn_some,
        ),
    }
    print(f"\n{'rows a second':<26}{'ours':>12}{'reference':>10}{'ratio':>8}")
    for name, (ours, reference, warm) in pairs.items():
        ours.partial_fit(X[:n_warm], y[:n_warm])
        warm(reference, ours)
        fast = n_ours / seconds(lambda m=ours: m.partial_fit(X[n_warm:], y[n_warm:]))
        n = n_reference if name != "FLB" else 200
        rows = slice(n_warm, n_warm + n)
        slow = n / seconds(lambda t=reference, r=rows: t.partial_fit(X[r], y[r]))
        print(f"{name:<26}{fast:>12,.0f}{slow:>10,.1f}{fast / slow:>8,.0f}", flush=True)


def show_memory(n_rows=1_000_000, every=200_000):
    model, rng = IBoostClassifier(), np.random.default_rng(0)
    print(f"\n{'rows learned':>14}{'model, kB':>12}{'process, MB':>13}")
    for done in range(every, n_rows + 1, every):
        X = rng.uniform(0, 10, (every, 3))
        model.partial_fit(X, np.where(X[:, 0] + X[:, 1] <= 8, 1, -1))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{done:>14,}{len(pickle.dumps(model)) / 1000:>12,.0f}{peak:>13,.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="?", choices=["accuracy", "speed"])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", default="", help="only learners whose name contains this string")
    wanted = parser.parse_args()
    if wanted.part != "speed":
        show_accuracy(wanted.seeds, wanted.only)
    if wanted.part != "accuracy":
        show_speed()
        show_memory()


if __name__ == "__main__":
    main()
