"""Sets of keys for `cold_start.py`: which keys share a concept, and when their concepts change."""

from typing import NamedTuple

import numpy as np

from driftlearn.streams import RBF, SEA, STA, Agrawal, LabelNoise, Sine, load

CONCEPTS = 4
SWITCH = 100  # mean number of rows of a key between two concepts
NOISE = 0.1
# number of keys, number of rows
ROWS = {"10-500": (200, 10, 500), "20-50": (600, 20, 50), "500": (50, 500, 501)}


class World(NamedTuple):
    """Rows in order; `changed` counts rows since the key's concept changed, -1 if never."""

    name: str
    keys: np.ndarray
    X: np.ndarray
    y: np.ndarray
    concepts: np.ndarray
    changed: np.ndarray


def _noisy(stream, seed):
    return LabelNoise(stream, NOISE, random_state=seed)


class _Planes:
    """Two halves of a cube, separated by a plane through its center; a concept is a direction."""

    def __init__(self, concept, seed):
        self.normal, self.seed = np.random.default_rng(concept).normal(size=5), seed

    def take(self, n):
        rng = np.random.default_rng(self.seed)
        X = rng.random((n, 5))
        y = ((X - 0.5) @ self.normal > 0).astype(np.int64)
        return X, np.where(rng.random(n) < NOISE, 1 - y, y)


# A generator makes the stream of a concept: the first concepts are shared, others are private.
GENERATORS = {
    "SEA": lambda c, seed: SEA(
        ((5, 8, 11, 14)[c] if c < CONCEPTS else np.random.default_rng(c).uniform(4, 16),),
        n_rows=10**6, noise=NOISE, random_state=seed,
    ),
    "planes": _Planes,
    "RBF": lambda c, seed: _noisy(
        RBF(n_features=4, n_centroids=8, speed=0.0, random_state=c), seed
    ),
    "sine": lambda c, seed: _noisy(Sine(c % 4 + 1, random_state=seed), seed),
    "STAGGER": lambda c, seed: STA(
        (STA.RULES[c % 4],), n_rows=10**6, noise=NOISE, random_state=seed
    ),
    "Agrawal": lambda c, seed: _noisy(Agrawal((1, 3, 5, 7)[c % 4], random_state=seed), seed),
}  # fmt: skip

#: Share of keys with a concept of their own, number of shared concepts, and whether keys switch.
KINDS = {
    "all alike": (0.0, 1, False),
    "four concepts": (0.0, CONCEPTS, False),
    "half private": (0.5, CONCEPTS, False),
    "all private": (1.0, CONCEPTS, False),
    "switching": (0.0, CONCEPTS, True),
}
WORLDS = [
    *((g, kind, "10-500") for g in ("SEA", "planes", "RBF") for kind in KINDS),
    *((g, kind, "10-500") for g in ("sine", "STAGGER", "Agrawal")
      for kind in ("all alike", "four concepts", "switching")),
    *((g, kind, "20-50") for g in ("SEA", "RBF") for kind in ("four concepts", "half private")),
    *((g, kind, "500") for g in ("SEA", "RBF") for kind in ("half private", "switching")),
]  # fmt: skip


def world(generator, kind, rows, seed):
    """Return a set of keys; each key begins at a random time, its rows are random from then on."""
    rng = np.random.default_rng([seed, *map(ord, generator + kind + rows)])
    private, shared, switches = KINDS[kind]
    n_keys, low, high = ROWS[rows]
    counts = np.exp(rng.uniform(np.log(low), np.log(high), n_keys)).astype(int)
    keys = np.repeat(np.arange(n_keys), counts)
    begins = rng.uniform(0, 0.8, n_keys)
    times = begins[keys] + (1 - begins[keys]) * rng.random(len(keys))
    keys = keys[np.argsort(times, kind="stable")]
    concepts, changed = np.empty((2, len(keys)), dtype=int)
    drawn = generator in ("planes", "RBF")
    first = rng.integers(1000, size=shared) if drawn else rng.permutation(CONCEPTS)[:shared]
    for key in range(n_keys):
        at = np.flatnonzero(keys == key)
        if rng.random() < private:
            concepts[at] = CONCEPTS + 1000 * (seed + 1) + key
        elif switches:
            new = rng.random(len(at)) < 1 / SWITCH
            turn = rng.integers(shared) + np.cumsum(new * rng.integers(1, shared, len(at)))
            concepts[at] = first[turn % shared]
        else:
            concepts[at] = first[rng.integers(shared)]
        is_new = np.r_[True, np.diff(concepts[at]) != 0]
        starts = np.maximum.accumulate(np.where(is_new, np.arange(len(at)), 0))
        changed[at] = np.where(starts > 0, np.arange(len(at)) - starts, -1)
    X = y = None
    for concept in np.unique(concepts):
        at = np.flatnonzero(concepts == concept)
        stream = GENERATORS[generator](int(concept), int(rng.integers(2**31)))
        some, labels = stream.take(len(at))
        X = np.empty((len(keys), some.shape[1])) if X is None else X
        y = np.empty(len(keys), dtype=int) if y is None else y
        X[at], y[at] = some, labels
    return World(f"{generator}, {kind}, {rows}", keys, X, y, concepts, changed)


def _real(name, keys_of, n):
    stream = load(name)
    X, y = stream.take(n)
    keys, X = keys_of(X, stream.feature_names)
    y = np.unique(y, return_inverse=True)[1]
    return World(name, keys, X, y, np.zeros(len(y), int), np.full(len(y), -1))


def real_worlds():
    """Yield real data sets with a natural key, which is then not a feature."""

    def half_hour(X, names):
        j = names.index("period")
        return np.round(X[:, j] * 47).astype(int), np.delete(X, j, axis=1)

    def month(X, names):
        return (np.arange(len(X)) // 30.44 % 12).astype(int), X

    def forest(X, names):
        kinds = X[:, 10:14].argmax(axis=1) * 40 + X[:, 14:].argmax(axis=1)
        return np.unique(kinds, return_inverse=True)[1], X[:, :10]

    yield _real("electricity", half_hour, 45_312)._replace(name="electricity by half hour")
    yield _real("weather", month, 18_159)._replace(name="weather by month")
    yield _real("covertype", forest, 60_000)._replace(name="covertype by wilderness and soil")
