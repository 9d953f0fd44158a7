"""Which model should predict for a key: its own, the global one, or a combination of several.

    DRIFTLEARN_DATA=... python benchmarks/cold_start.py choosing.jsonl --seeds 0 1 2 --all
    DRIFTLEARN_DATA=... python benchmarks/cold_start.py fresh.jsonl --seeds 100 101 102 --real
    python benchmarks/cold_start.py fresh.jsonl --tables

The sets of keys come from `cold_start_worlds.py`; evaluation is prequential. The rule, its
constants and the selection of pool models were chosen on seeds 0 to 2; ``--all`` includes the
rejected alternatives. The file has one line per set of keys; an interrupted run continues after
the last one. Real data sets have no seed; they were evaluated once, after all choices were made.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from cold_start_rules import AnyModels, BestRecords, FarApart, Scored
from cold_start_worlds import WORLDS, real_worlds, world
from scipy.stats import t

from driftlearn import GaussianNBClassifier, HoeffdingTreeClassifier, LeveragingBaggingClassifier
from driftlearn.ops.keyed.model_weights import ModelWeights, Rule, SharedPredictions
from driftlearn.ops.keyed.shared_models import MIN_ROWS, SharedModels
from driftlearn.preprocessing import TableEncoder, make_pipeline
from driftlearn.utils.table import Table

LEARNERS = {
    "naive Bayes": GaussianNBClassifier(),
    "Hoeffding tree": HoeffdingTreeClassifier(),
    "leveraging bagging": LeveragingBaggingClassifier(n_estimators=5, random_state=0),
}
RENEW = 2_000
MOST = 8
FADE = 0.98  # window of the recent accuracy of own models, in rows
FIRST = 10, 20, 50, 100
MEASURES = "all rows", *(f"first {n}" for n in FIRST), "50 after a change"
SHELVES = {"cover": SharedModels, "best records": BestRecords, "far apart": FarApart,
           "any": AnyModels}  # fmt: skip
RULE = "the rule"


class Voting:
    """`ModelWeights` with other constants."""

    def __init__(self, **numbers):
        self.weights, self.rule = ModelWeights(), Rule(**numbers)

    def vote(self, predictions, own, truth):
        return self.weights.vote(predictions, own, truth, self.rule)


#: Combination rules: selection of the pool, its size, and the rule.
WAYS = {
    RULE: ("cover", 4, Voting),
    "borrow 0": ("cover", 0, Voting),
    "borrow 2": ("cover", 2, Voting),
    "borrow 8": ("cover", 8, Voting),
}
OTHER_WAYS = {
    **{f"beta {b}": ("cover", 4, lambda b=b: Voting(beta=b)) for b in (0.2, 0.3, 0.5, 0.7)},
    **{f"share {s}": ("cover", 4, lambda s=s: Voting(share=s)) for s in (0.001, 0.03)},
    **{f"own {o}, global {e}": ("cover", 4, lambda o=o, e=e: Voting(own_prior=o, global_prior=e))
       for o, e in ((0.1, 0.7), (0.2, 0.5), (0.4, 0.3))},
    **{how: ("cover", 4, lambda how=how: Scored(how)) for how in ("leader", "AWE", "NSE")},
    **{f"shelf: {name}": (name, 4, Voting) for name in SHELVES if name != "cover"},
}  # fmt: skip


def columns(X):
    return {f"x{j}": X[:, j] for j in range(X.shape[1])}


class Life:
    """Train the models of a set of keys on its rows, and store the predictions of every model."""

    def __init__(self, world, learner, selections):
        def new():
            return make_pipeline(TableEncoder(), LEARNERS[learner])

        self.world, n = world, len(world.y)
        populations = {name: SHELVES[name](new(), MOST) for name in selections}
        own, self.own, records = {}, np.full(n, None), {}
        self.predictions = {name: [] for name in selections}
        self.starts = range(0, n, RENEW)
        for start in self.starts:
            rows = slice(start, start + RENEW)
            X, y, keys = world.X[rows], world.y[rows], world.keys[rows]
            for name, shared in populations.items():
                self.predictions[name].append(shared.test_then_train(columns(X), y))
            for key in np.unique(keys).tolist():
                at = np.flatnonzero(keys == key)
                model = own.setdefault(key, new())
                told = model.test_then_train(columns(X[at]), y[at]).tolist()
                self.own[start + at] = told
                total, right, tested = records.get(key, (0, 0.0, 0.0))
                for one, label in zip(told, y[at].tolist()):
                    right, tested = FADE * right + (one == label), FADE * tested + 1.0
                records[key] = total + len(at), right, tested
            candidates = [
                (str(key), own[key], (total, right / tested))
                for key, (total, right, tested) in records.items()
                if total >= MIN_ROWS
            ]
            for shared in populations.values():
                shared.refresh_pool(candidates)

    def spans(self):
        """Yield a key, the number of an interval between two pool refreshes, and its rows."""
        keys = self.world.keys
        for span, start in enumerate(self.starts):
            some = keys[start : start + RENEW]
            for key in np.unique(some).tolist():
                yield key, span, start + np.flatnonzero(some == key)

    def right(self, selection, pool_size, make):
        """Return for each row whether a combination rule was right."""
        rules, found = {}, np.zeros(len(self.own), dtype=bool)
        for key, span, rows in self.spans():
            all_predictions = self.predictions[selection][span]
            predictions = SharedPredictions(
                all_predictions.names[: 1 + pool_size], all_predictions.labels[: 1 + pool_size]
            )
            predictions = predictions.rows(rows - self.starts[span])
            truth = self.world.y[rows].tolist()
            outcomes, _ = rules.setdefault(key, make()).vote(
                predictions, self.own[rows].tolist(), truth
            )
            found[rows] = [one == label for one, label in zip(outcomes, truth)]
        return found

    def hindsight(self, pool_size):
        """Return the outcomes of the best model of each key and interval, chosen in hindsight."""
        found = np.zeros(len(self.own), dtype=bool)
        for _, span, rows in self.spans():
            labels = self.predictions["cover"][span].labels[
                : 1 + pool_size, rows - self.starts[span]
            ]
            right = np.vstack([labels, self.own[rows]]) == self.world.y[rows]
            found[rows] = right[right.sum(axis=1).argmax()]
        return found

    def alone(self, labels):
        return np.array(labels == self.world.y, dtype=bool)

    def everyone(self):
        return self.alone(
            np.concatenate([predictions.labels[0] for predictions in self.predictions["cover"]])
        )


def measured(world, right):
    """Return accuracies, None where there are no such rows."""
    place = np.empty(len(right), dtype=int)
    for key in np.unique(world.keys):
        at = np.flatnonzero(world.keys == key)
        place[at] = np.arange(len(at))
    young = (world.changed >= 0) & (world.changed < 50)
    masks = [place >= 0, *(place < n for n in FIRST), young]
    return [float(right[mask].mean()) if mask.any() else None for mask in masks]


def result(world, learner, ways):
    life = Life(world, learner, {selection for selection, _, _ in ways.values()} | {"cover"})
    found = {"own": life.alone(life.own), "global": life.everyone()}
    found["hindsight"] = life.hindsight(4)
    found |= {name: life.right(*way) for name, way in ways.items()}
    return {name: measured(world, right) for name, right in found.items()}


def tasks(seeds, real):
    for seed in seeds:
        for each in WORLDS:
            yield ", ".join(each), seed, lambda each=each, seed=seed: world(*each, seed)
    if real:
        for each in real_worlds():
            yield each.name, -1, lambda each=each: each


def mean(values, sign=""):
    """Format the mean in percent and the half-width of its 95 % interval."""
    values = 100 * np.array([value for value in values if value is not None])
    if not len(values):
        return "-"
    if len(values) < 2:
        return f"{values[0]:{sign}.1f}"
    half = t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5
    return f"{values.mean():{sign}.1f} ± {half:.1f}"


def gain(ways, way, measure=0):
    """Return the lead of a rule over the better one of own and global model."""
    better = [ways[each][measure] for each in ("own", "global")]
    return None if None in better else ways[way][measure] - max(better)


def tables(lines):
    """Print means over seeds, for each set of keys and for each rule over all of them."""
    shown = ("own", "global", "borrow 0", RULE, "hindsight")
    for measure in (0, 2, 5):
        rows = []
        for name in dict.fromkeys(line["world"] for line in lines):
            some = [line["ways"] for line in lines if line["world"] == name]
            if some[0]["own"][measure] is not None:
                means = [mean([way[each][measure] for way in some]) for each in shown]
                gains = [gain(way, RULE, measure) for way in some]
                rows.append((name, *means, mean(gains, "+")))
        if rows:
            print(f"{MEASURES[measure]}\n")
            print(Table(dict(zip(("population", *shown, "gain"), zip(*rows)))).text(), "\n")
    made = [line["ways"] for line in lines if line["seed"] >= 0]
    rows = []
    for way in made[0] if made else ():
        means = [mean([ways[way][k] for ways in made]).split(" ")[0] for k in range(len(MEASURES))]
        gains = [gain(ways, way) for ways in made]
        rows.append((way, *means, mean(gains, "+"), f"{100 * min(gains):+.1f}"))
    if rows:
        print(Table(dict(zip(("way", *MEASURES, "gain", "at worst"), zip(*rows)))).text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="file with a line of JSON for each set of keys")
    parser.add_argument("--seeds", type=int, nargs="*", default=[0])
    parser.add_argument("--learner", choices=LEARNERS, default="naive Bayes")
    parser.add_argument(
        "--all", action="store_true", help="include other rules, constants and pools"
    )
    parser.add_argument("--real", action="store_true", help="include real data sets")
    parser.add_argument("--tables", action="store_true", help="print the stored results")
    args = parser.parse_args()
    lines = []
    if args.file.exists():
        lines = [json.loads(line) for line in args.file.read_text("utf-8").splitlines()]
    if args.tables:
        return tables(lines)
    done = {(line["world"], line["seed"]) for line in lines}
    ways = WAYS | (OTHER_WAYS if args.all else {})
    for name, seed, make in tasks(args.seeds, args.real):
        if (name, seed) not in done:
            line = {"world": name, "seed": seed, "ways": result(make(), args.learner, ways)}
            with args.file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            print(name, seed, line["ways"][RULE], flush=True)


if __name__ == "__main__":
    main()
