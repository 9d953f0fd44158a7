"""Long versions of short tests: threads, Ctrl-C and damaged stores, for hours.

    python tests/siege.py threads --seconds 60      eight readers and a writer on every learner
    python tests/siege.py interrupts --presses 2000 Ctrl-C at random moments, over all learners
    python tests/siege.py stores --files 400        one byte flipped in a store of results

Each line reports the number of tests and of failures; the exit code is 1 if there were any.
Randomly changed model files are tested by ``tests/io/fuzzing.py``.
"""

import argparse
import signal
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.utils import get_tags

import driftlearn as dl
from driftlearn.io import dumps

READERS = 8
rng = np.random.default_rng(0)
X = rng.random((3_000, 3))
Y = np.where(X[:, 0] + X[:, 1] > 1, 1, 0)
MANY = Y.copy()
MANY[600::5] = 2  # classes that occur late
MANY[900::7] = 3
SLOW = {"WindowedAdaBoostClassifier": 6, "FuzzyARTMAPClassifier": 6}
BASES = {
    "dwm-hoeffding": dl.DWMClassifier(dl.HoeffdingTreeClassifier(grace_period=20)),
    "bagging-hoeffding": dl.ADWINBaggingClassifier(dl.HoeffdingTreeClassifier(grace_period=20)),
    "bagging-threads": dl.LeveragingBaggingClassifier(n_estimators=25, n_jobs=2),
    "tix-threads": dl.TIXClassifier(SGDClassifier(random_state=0), n_jobs=2),
    "dwm-sgd": dl.DWMClassifier(SGDClassifier(random_state=0), n_estimators=3),
    "boost-sgd": dl.OnlineBoostClassifier(SGDClassifier(random_state=0), n_estimators=3),
    "iboost-bayes": dl.IBoostClassifier(dl.GaussianNBClassifier(), n_estimators=5),
    "iboost-batch": dl.IBoostClassifier(update="batch", n_estimators=20),
    "dwm-windowed": dl.DWMClassifier(variant="windowed", window_size=50),
    "nse-bayes": dl.LearnPPNSEClassifier(dl.GaussianNBClassifier()),
    "aue2-hoeffding": dl.AUE2Classifier(dl.HoeffdingTreeClassifier(grace_period=20)),
    "nse-logistic": dl.LearnPPNSEClassifier(dl.LogisticClassifier()),
}


def learners(only):
    """Return every incremental learner, small, with a seed, by name."""
    found = {name: getattr(dl, name)() for name in dl.__all__ if name.endswith("Classifier")}
    found = {name: model for name, model in found.items() if hasattr(model, "partial_fit")} | BASES
    for name, model in found.items():
        params = model.get_params()
        if name not in BASES and "n_estimators" in params and "prune" not in params:
            model.set_params(n_estimators=5)
        if "random_state" in params:
            model.set_params(random_state=0)
    return {name: model for name, model in found.items() if only in name}


def labels(name, model):
    """Return labels; two classes for binary learners, and for external ones.

    Results of external learners depend on announced classes.
    """
    many = get_tags(model).classifier_tags.multi_class and "sgd" not in name
    return MANY if many else Y


def chunks(name, model, size=25):
    y = labels(name, model)
    n = SLOW.get(name, 60)
    return [(X[k : k + size], y[k : k + size]) for k in range(0, n * size, size)]


def training(model, rows):
    """Learn all chunks, the first by `fit`, which resets the model; yield after each."""
    model.fit(*rows[0])
    yield
    for x, y in rows[1:]:
        model.partial_fit(x, y)
        yield


def threads(args):
    """Predict in several threads during training; no prediction may be mixed."""
    return sum(crowd(name, model, args.seconds) for name, model in learners(args.only).items())


def crowd(name, model, seconds):
    rows, probe = chunks(name, model), X[:40]
    right = {model.predict_proba(probe).tobytes() for _ in training(model, rows)}
    found, predictions, done = [], [0] * READERS, threading.Event()

    def read(k):
        try:
            while not done.is_set():
                if model.predict_proba(probe).tobytes() not in right:
                    found.append("mixed predictions")
                model.predict(probe)
                len(getattr(model, "members_", ()))
                predictions[k] += 1
        except Exception as problem:
            found.append(repr(problem))

    readers = [threading.Thread(target=read, args=(k,)) for k in range(READERS)]
    for reader in readers:
        reader.start()
    end, runs = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for _ in training(model, rows):
            pass
        runs += 1
    done.set()
    for reader in readers:
        reader.join()
    print(
        f"{name:<28}{runs:>6} runs{sum(predictions):>9,} predictions{len(found):>5} wrong",
        flush=True,
    )
    for problem in found[:3]:
        print("   ", problem)
    return len(found)


class Alarm:
    """Raise SIGINT after some seconds, at whatever point the code is."""

    def __init__(self, seconds):
        self.seconds, self.armed = seconds, True

    def __enter__(self):
        self.before = signal.signal(signal.SIGINT, self.interrupt)
        self.clock = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def interrupt(self, *_):
        if self.armed:
            raise KeyboardInterrupt

    def __exit__(self, *_):
        self.armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.clock)
        signal.signal(signal.SIGINT, self.before)


def n_learned(model):
    return model.n_rows_ if hasattr(model, "n_rows_") else int(model.model_.weight_seen)


def interrupts(args):
    """Interrupt training; the model must equal one trained on the completely learned rows."""
    wrong = n_interrupted = 0
    named = learners(args.only)
    draws = np.random.default_rng(args.seed)
    each = -(-args.presses // len(named))
    for name, learner in named.items():
        received = pressed = 0
        problems = []
        while received < each and pressed < 20 * each:
            pressed += 1
            try:
                received += whole_after(name, learner, draws)
            except Exception as problem:
                received += 1
                problems.append(repr(problem).splitlines()[0][:200])
        n_interrupted += received
        wrong += len(problems)
        print(
            f"{name:<28}{received:>5} interrupted of {pressed:>5}{len(problems):>5} wrong",
            flush=True,
        )
        for problem in problems[:3]:
            print("   ", problem)
    print(f"{n_interrupted} calls interrupted, {wrong} models were inconsistent")
    return wrong


def whole_after(name, learner, draws):
    """Interrupt one call at a random moment; return whether it was interrupted.

    AssertionError is raised if a row was learned in part.
    """
    y = labels(name, learner)
    size = 60 if name == "WindowedAdaBoostClassifier" or "sgd" in name else 900
    first, rest = slice(0, 100), slice(100, 100 + size)
    last = slice(2_000, 2_020)
    kind, params = type(learner), learner.get_params(deep=False)
    trial = kind(**params).partial_fit(X[first], y[first])
    start = time.perf_counter()
    trial.partial_fit(X[rest], y[rest])
    span = time.perf_counter() - start
    model = kind(**params).partial_fit(X[first], y[first])
    before = dumps(model)
    received = False
    try:
        with Alarm(max(1e-6, draws.random() * span)):
            model.partial_fit(X[rest], y[rest])
    except KeyboardInterrupt:
        received = True
    other = kind(**params).partial_fit(X[first], y[first])
    if not model._by_row:
        if received and dumps(model) != before:
            raise AssertionError("a chunk was learned in part")
        if not received:
            other = trial
    else:
        done = n_learned(model)
        if done > 100:
            late = None if "sgd" in name else np.unique(y[rest])
            other.partial_fit(X[100:done], y[100:done], classes=late)
    for one in (model, other):
        one.partial_fit(X[last], y[last])
    if model.predict_proba(X[:300]).tobytes() != other.predict_proba(X[:300]).tobytes():
        raise AssertionError("a row was learned in part")
    return received


def stores(args):
    """Flip bytes of a store; commands must print the same numbers or an error with its name."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.bench.workbench.test_damaged_store import made, shown

    counts = {"same": 0, "refused": 0, "other": 0}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        whole = made(folder / "runs.sqlite").read_bytes()
        path = folder / "damaged.sqlite"
        path.write_bytes(whole)
        right = shown(path, folder)
        draws = np.random.default_rng(args.seed)
        for _ in range(args.files):
            content = bytearray(whole)
            content[draws.integers(len(whole))] ^= int(draws.integers(1, 256))
            path.write_bytes(content)
            for suffix in ("-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            for words, (code, text) in shown(path, folder).items():
                named = str(path) in text.replace("\n", "")
                as_it_was = code == 0 and text == right[words][1]
                counts["same" if as_it_was else "refused" if code == 2 and named else "other"] += 1
    print(f"{args.files} stores, three commands each: {counts}")
    return counts["other"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["threads", "interrupts", "stores"])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--presses", type=int, default=2_000)
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="learners whose names have this in them")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    return (
        1
        if {"threads": threads, "interrupts": interrupts, "stores": stores}[args.part](args)
        else 0
    )


if __name__ == "__main__":
    sys.exit(main())
