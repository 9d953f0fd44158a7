"""Learners in threads and under Ctrl-C, and damaged stores of results."""

import itertools
import signal
import threading
import time

import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.utils import get_tags

import driftlearn as dl
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.bench.workbench.store import Store
from driftlearn.io import dumps
from tests.bench.workbench.test_damaged_store import made, shown

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


def learners():
    """Return every incremental learner, small, with a seed, by name."""
    found = {name: getattr(dl, name)() for name in dl.__all__ if name.endswith("Classifier")}
    found = {name: model for name, model in found.items() if hasattr(model, "partial_fit")} | BASES
    for name, model in found.items():
        params = model.get_params()
        if name not in BASES and "n_estimators" in params and "prune" not in params:
            model.set_params(n_estimators=5)
        if "random_state" in params:
            model.set_params(random_state=0)
    return found


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


def threads(siege):
    """Predict in several threads during training; no prediction may be mixed."""
    named = learners()
    names = siege.rng.sample([*named], min(siege.count, len(named)))
    for name in names:
        if siege.is_over:
            break
        seconds = max(0.2, (siege.end - time.monotonic()) / (len(names) - siege.tried))
        with siege.attempt(name):
            crowd(name, named[name], seconds)


def crowd(name, model, seconds):
    rows, probe = chunks(name, model), X[:40]
    right = {model.predict_proba(probe).tobytes() for _ in training(model, rows)}
    found, done = [], threading.Event()

    def read():
        try:
            while not done.is_set():
                if model.predict_proba(probe).tobytes() not in right:
                    found.append("mixed predictions")
                model.predict(probe)
                len(getattr(model, "members_", ()))
        except Exception as problem:
            found.append(repr(problem))

    readers = [threading.Thread(target=read) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in training(model, rows):
            pass
    done.set()
    for reader in readers:
        reader.join()
    assert not found, f"{len(found)} times, e.g. {found[0]}"


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
    """Return the number of learned rows; None for a learner that does not count them."""
    if hasattr(model, "n_rows_"):
        return model.n_rows_
    return int(model.model_.weight_seen) if hasattr(model, "model_") else None


def interrupts(siege):
    """Interrupt training; the model must equal one trained on the completely learned rows."""
    named = [*learners().items()]
    siege.rng.shuffle(named)
    draws = np.random.default_rng(siege.seed)
    for name, learner in itertools.cycle(named):
        if siege.is_over:
            break
        with siege.attempt(name, n=0):
            siege.tried += whole_after(name, learner, draws)


def learn_in_part():
    """Plant a defect: chunk learners change the model itself instead of a copy."""
    plain = StreamClassifier._draft
    StreamClassifier._draft = lambda self, start: plain(self, start) if start else self


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
    if not model._in_place or n_learned(model) is None:
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


def stores(siege):
    """Flip bytes of a store; commands must print the same numbers or an error with its name."""
    path = siege.folder / "damaged.sqlite"
    whole = made(siege.folder / "runs.sqlite").read_bytes()
    path.write_bytes(whole)
    right = shown(path, siege.folder)
    while not siege.is_over:
        content, at = bytearray(whole), siege.rng.randrange(len(whole))
        content[at] ^= siege.rng.randrange(1, 256)
        path.write_bytes(content)
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        with siege.attempt(f"a changed byte {at:,}"):
            for words, (code, text) in shown(path, siege.folder).items():
                is_same = code == 0 and text == right[words][1]
                is_named = code == 2 and str(path) in text.replace("\n", "")
                assert is_same or is_named, f"{words}: exit code {code}, {text[:300]}"


def name_no_store():
    """Plant a defect: damage is not reported as an error of the store."""
    Store._damaged = lambda self, what: KeyError(what)
