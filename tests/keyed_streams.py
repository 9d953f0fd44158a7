"""Stream of many keys, trained in slices, and the content of its store."""

import numpy as np

from driftlearn.ops.keyed import KeyedLearner, KeyedModels

KINDS = {"x": "number", "colour": "category"}


def stream(n=3_000, n_keys=17, seed=0):
    rng = np.random.default_rng(seed)
    keys = [f"k{k}" for k in rng.integers(n_keys, size=n)]
    table = {
        "x": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        "colour": rng.choice(["red", "blue", "green"], size=n).astype(object),
    }
    turn = np.array([int(key[1:]) % 2 for key in keys]) == 1
    yes = (np.nan_to_num(table["x"]) + (table["colour"] == "red") > 0.3) ^ turn
    return keys, table, np.where(yes, "yes", "no").astype(object)


def part(keys, table, labels, begin, end):
    return keys[begin:end], {k: v[begin:end] for k, v in table.items()}, labels[begin:end]


def run(
    sizes, learner="hoeffding:grace_period=20", commit=0, store=None, data=None, chunk=None, **how
):
    keys, table, labels = data or stream()
    models = KeyedModels(
        KeyedLearner(learner, kinds=KINDS, chunk=chunk), refresh_interval=700, **how
    )
    answers, done, k = [], 0, 0
    while done < len(keys):
        size = sizes[k % len(sizes)]
        answers += models.learn(*part(keys, table, labels, done, done + size)).labels
        done, k = done + size, k + 1
        if commit and k % commit == 0:
            models.commit({"here": {"rows": done}})
    models.sweep()
    models.commit({"here": {"rows": len(keys)}})
    return models, answers


def content(store):
    tables = ("about", "states", "positions", "expired")
    found = {name: store._all(f"SELECT * FROM {name} ORDER BY 1") for name in tables}
    return {**found, "quarantined": store.quarantined()}
