"""Random tests of every learner: training continues after saving and loading as if uninterrupted.

    python tests/io/going_on.py 5000        # this number of trials from seed 0 on
    python tests/io/going_on.py 5000 77     # from seed 77 on

Seed and learner determine a trial: string and boolean parameters, whether there is an encoder in
front, labels and their type, how the rows are split into calls, when the model is saved. A trial
fails if the loaded copy and the original differ, after further training, in a prediction or a byte
of their files.
"""

import sys
import warnings
from itertools import pairwise

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils._param_validation import StrOptions

import driftlearn as dl
from driftlearn.io import dumps, loads

NAMES = [name for name in dl.__all__ if name.endswith("Classifier")]
SIZES = {"n_estimators": 3, "n_per_chunk": 2, "window_size": 60, "max_iter": 20, "chunk_size": 20}
LABELS = {
    "words": np.array(["ham", "spam", "ümlaut"]),
    "numbers": np.array([-3, 4, 10]),
    "floats": np.array([-1.0, 2.0, 7.0]),
    "flags": np.array([False, True]),
}


def drawn(name, rng):
    """Return a small, seeded learner with random string and boolean parameters."""
    kind = getattr(dl, name)
    model = kind(**({"estimator": dl.CARTClassifier()} if name == "SMOTEClassifier" else {}))
    given = model.get_params(deep=False)
    small = {key: n for key, n in SIZES.items() if type(given.get(key)) is int}
    seeds = {key: int(rng.integers(99)) for key in ("random_state",) if key in given}
    model.set_params(**small, **seeds)
    for key, rules in kind._parameter_constraints.items():
        words = [word for rule in rules if isinstance(rule, StrOptions) for word in rule.options]
        flags = [True, False] if "boolean" in rules else []
        choice = [*sorted(words), *flags]
        if choice and key in given and rng.random() < 0.5:
            model.set_params(**{key: choice[rng.integers(len(choice))]})
    return model


def stream(rng, kinds, n=120):
    """Return rows of two to four features and labels; the last class occurs late."""
    labels = LABELS[kinds[rng.integers(len(kinds))]]
    labels = labels[: 3 if rng.random() < 0.5 else 2]
    X = np.round(rng.random((n, rng.integers(2, 5))), 2)
    codes = (X[:, 0] + X[:, 1] > 1).astype(int)
    if len(labels) == 3:
        codes[n // 2 :: 5] = 2
    return X, labels[codes]


def table(X):
    """Return the rows as a user's table: numbers with gaps, and a column of words."""
    columns = {f"x{k}": [v if v > 0.05 else None for v in x] for k, x in enumerate(X.T.tolist())}
    return {**columns, "word": np.array(["low", "mid", "high"])[(X[:, 0] * 3).astype(int) % 3]}


def cut(rows, a, b):
    if isinstance(rows, dict):
        return {key: column[a:b] for key, column in rows.items()}
    return rows[a:b]


def trained(model, rows, y, calls):
    learn = getattr(model, "partial_fit", model.fit)
    for a, b in calls:
        learn(cut(rows, a, b), y[a:b])


def run_trial(name, seed):
    """Run one trial; return the model's repr, or None if the parameters are incompatible."""
    rng = np.random.default_rng([NAMES.index(name), seed])
    model = drawn(name, rng)
    two = not get_tags(model).classifier_tags.multi_class
    X, y = stream(rng, [*LABELS])
    y = np.where(y == np.unique(y)[-1], y[0], y) if two and len(np.unique(y)) > 2 else y
    encoded = hasattr(model, "partial_fit") and rng.random() < 0.3
    rows = table(X) if encoded else X
    if encoded:
        model = dl.make_pipeline(dl.TableEncoder(), model)
    ends = [0, *sorted(rng.choice(np.arange(20, len(X)), size=4, replace=False).tolist()), len(X)]
    calls = [*pairwise(ends)]
    saved = int(rng.integers(len(calls)))  # before this call; 0: an untrained learner
    try:
        trained(clone(model), rows, y, calls)
    except ValueError:
        return None
    trained(model, rows, y, calls[:saved])
    before = dumps(model)
    copy = loads(before)
    assert dumps(copy) == before, "the file of the copy differs"
    trained(model, rows, y, calls[saved:])
    trained(copy, rows, y, calls[saved:])
    assert dumps(copy) == dumps(model), "the trained models differ"
    for method in ("predict", "predict_proba"):
        np.testing.assert_array_equal(getattr(copy, method)(rows), getattr(model, method)(rows))
    return repr(model)


def main(trials, first=0):
    counts, refused = dict.fromkeys(NAMES, 0), 0
    warnings.simplefilter("ignore", ConvergenceWarning)
    for number in range(trials):
        name, seed = NAMES[number % len(NAMES)], first + number // len(NAMES)
        try:
            was = run_trial(name, seed)
        except Exception as problem:
            print(f"{name}, seed {seed}: {problem!r:.500}")
            raise SystemExit(1) from problem
        counts[name] += was is not None
        refused += was is None
    print(f"{sum(counts.values())} trials of {len(NAMES)} learners gave the same bits")
    print(f"{refused} trials had incompatible parameters")
    print(f"fewest: {min(counts, key=counts.get)} with {min(counts.values())}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
