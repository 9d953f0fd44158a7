"""Ctrl-C at any time: every row is learned completely or not at all, and training can continue."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.utils import get_tags

import driftlearn
from driftlearn import io as persist
from driftlearn.utils.interrupts import uninterrupted

AT_ONCE = {"MajorityClassifier", "NoChangeClassifier"}  # all rows of a call are one step
ONLINE = [
    getattr(driftlearn, name)
    for name in sorted({*driftlearn.__all__} - AT_ONCE)
    if name.endswith("Classifier") and getattr(driftlearn, name)()._by_row
]
rng = np.random.default_rng(0)
X = rng.random((400_000, 3))
Y = np.where(X[:, 0] + X[:, 1] > 1, "b", "a")
Y[700::50] = "c"  # a class that comes late
PRESSED = 8


def made(kind):
    params = kind().get_params()
    small = {"n_estimators": 5} if "n_estimators" in params else {}
    return kind(**small, **({"random_state": 0} if "random_state" in params else {}))


def interrupted(model, X, y, after):
    """Train, and press Ctrl-C after some seconds; return whether it was handled in time."""
    learning, stop = True, threading.Event()

    def hear(*_):
        if learning:
            raise KeyboardInterrupt

    def press():
        if not stop.wait(after):
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, hear)
    hand = threading.Thread(target=press)
    try:
        hand.start()
        model.partial_fit(X, y)
        learning = False
        return False
    except KeyboardInterrupt:
        learning = False
        return True
    finally:
        stop.set()
        hand.join()
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="there os.kill ends the process")
@pytest.mark.parametrize("kind", ONLINE, ids=lambda kind: kind.__name__)
def test_rows_are_learned_completely_or_not_at_all(kind):
    """After each Ctrl-C the model is bit-identical to one trained on the rows before it."""
    many = get_tags(kind()).classifier_tags.multi_class
    y = Y if many else np.where(Y == "c", "b", Y)
    start = time.perf_counter()
    made(kind).partial_fit(X[:2_000], y[:2_000])
    a_row = (time.perf_counter() - start) / 2_000
    n = int(min(len(X), 400 + 0.3 / a_row))  # so that there is time for Ctrl-C
    model, received = made(kind).partial_fit(X[:100], y[:100]), 0
    for share in np.random.default_rng(1).random(PRESSED) / PRESSED:
        done = rows_learned(model)
        if done < n:
            received += interrupted(model, X[done:n], y[done:n], share * n * a_row)
    done = rows_learned(model)
    other = made(kind).partial_fit(X[:100], y[:100])
    if done > 100:
        other.partial_fit(X[100:done], y[100:done], classes=model.classes_)
    for one in (model, other):
        one.partial_fit(X[:50], y[:50], classes=model.classes_)
    np.testing.assert_array_equal(model.predict_proba(X[:500]), other.predict_proba(X[:500]))
    if not received:
        pytest.skip("the learner was done each time before Ctrl-C came")


def rows_learned(model):
    if hasattr(model, "n_rows_"):
        return model.n_rows_
    return int(model.model_.weight_seen)


def test_interrupts_are_delayed_and_raised_once():
    received = []
    before = signal.signal(signal.SIGINT, lambda *_: received.append("heard"))
    try:
        with uninterrupted():
            with uninterrupted():
                signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            received.append("done")
        assert received == ["done", "heard"]
        assert signal.getsignal(signal.SIGINT) is not None
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_and_ignored_signals():
    """If nothing is deferred there is no error, and the handler stays."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with uninterrupted():
            assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
        found = []
        thread = threading.Thread(target=lambda: found.append(uninterrupted().__enter__()))
        thread.start()
        thread.join()
        assert found == [None]
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_lock_is_not_saved():
    model = made(driftlearn.DWMClassifier).partial_fit(X[:50], Y[:50])
    assert b"_lock" not in persist.dumps(model)
    assert (
        persist.loads(persist.dumps(model)).predict(X[:5]).tolist() == model.predict(X[:5]).tolist()
    )
