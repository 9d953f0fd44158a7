"""Load and use randomly changed states of keys with valid checksums.

    python tests/ops/keyed/fuzzing.py --files 2000 --seed 0

A changed state may be rejected, may work, or may raise an error with a message later. The process
must not die or hang, and no error may be of an uninformative type. The changes are those of
``tests/io/fuzzing.py``; every third state has changed bytes in its compressed document instead.
"""

import argparse
import collections
import signal
import sys
import traceback
import warnings
import zlib
from pathlib import Path

import numpy as np

from driftlearn import io as persist
from driftlearn.io import CorruptFile, NotAllowed, _small
from driftlearn.ops.keyed import KeyedLearner

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.io import fuzzing as changes

SECONDS = 10
KINDS = {"x": "number", "y": "number", "colour": "category", "on": "boolean", "day": "date"}
LEARNERS = ("naive-bayes", "hoeffding:grace_period=10", "leveraging-bagging:n_estimators=2")


def rows(n=60):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, n))
    day = np.datetime64("2024-01-01") + np.arange(n)
    colour = rng.choice(["red", "blue", "green"], size=n).astype(object)
    table = {"x": x[0], "y": x[1], "colour": colour, "on": x[1] > 0, "day": day}
    return table, np.where(x[0] > 0, "yes", "no").tolist()


def originals():
    """Return learners with a state of each."""
    table, labels = rows()
    found = []
    for name in LEARNERS:
        learner = KeyedLearner(name, kinds=KINDS)
        learner.shared.test_then_train(learner.read(table).table, np.array(labels))
        state = learner.new_state()
        learner.learn(state, table, labels)
        found.append((learner, learner.dumps(state)))
    return found


def changed_bytes(content, rng):
    """Return the content with a few changed, inserted or removed bytes in its document."""
    body = bytearray(zlib.decompress(content[_small.HEAD + _small.SIZE : -_small.SEAL], -15))
    for _ in range(rng.integers(1, 5)):
        place = int(rng.integers(len(body)))
        how = rng.integers(4)
        if how == 0:
            del body[place : place + int(rng.integers(1, 4))]
        elif how == 1:
            body[place:place] = rng.bytes(int(rng.integers(1, 4)))
        else:
            body[place] = int(rng.integers(256))
    return _small.sealed(bytes(body))


def trial(learner, content, rng, number):
    """Load and use a changed state; return the outcome."""
    try:
        if number % 3 == 0:
            state = persist.loads(changed_bytes(content, rng))
        else:
            state = changes.loaded(*changes.mutated(content, rng), whole=False)
        if type(state).__name__ != "KeyState":
            return "refused"
    except (CorruptFile, NotAllowed, ImportError):
        return "refused"
    table, labels = rows(20)
    try:
        learner.predict(state, table)
        learner.learn(state, table, labels)
        learner.loads(learner.dumps(state))
    except (ValueError, MemoryError, RuntimeError) as problem:  # a row could not be learned
        word = "odd" if isinstance(problem, RecursionError) else "later"
        return f"{word} {type(problem).__name__}"
    except Exception as problem:
        where = traceback.extract_tb(problem.__traceback__)[-1]
        return f"odd {type(problem).__name__} {Path(where.filename).name}:{where.lineno}"
    return "works"


def main(n_files, seed, only=None):
    made = originals()
    outcomes, example = collections.Counter(), {}
    for number in range(n_files) if only is None else [only]:
        rng = np.random.default_rng([seed, number])
        learner, content = made[number % len(made)]
        signal.alarm(SECONDS)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            outcome = trial(learner, content, rng, number // len(made))
        signal.alarm(0)
        outcomes[outcome] += 1
        example.setdefault(outcome, number)
    for outcome, n in outcomes.most_common():
        print(f"{n:8} {outcome}, as --only {example[outcome]}")
    return sum(n for outcome, n in outcomes.items() if outcome.startswith("odd"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    requested = parser.parse_args()
    sys.exit(bool(main(requested.files, requested.seed, requested.only)))
