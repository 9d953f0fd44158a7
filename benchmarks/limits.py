"""Learners compared with a lower bound: the time of the arithmetic that they cannot avoid.

The algorithms are those that no other library has, and those with so little arithmetic that other
libraries come close: naive Bayes, ensembles of it, and CART.

    python benchmarks/limits.py                        run all missing entries
    python benchmarks/limits.py --only "IBoost"        only entries whose name contains this
    python benchmarks/limits.py --chunks 20            only the first chunks of covertype

Each bound is measured in the same process, on the same rows, directly after the learner: compiled
functions or NumPy products that do the minimum work for the same result. Times are CPU seconds.
Results are lines of ``limits.jsonl``, which are part of the page of `comparison.py`.
"""

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import driftlearn as dl
from driftlearn.base._presort import presort
from driftlearn.bench.workbench._code_digest import code_digest
from driftlearn.ensemble.class_votes import class_weights, dynamic_vote, ensemble_decision
from driftlearn.naive_bayes._naive_bayes import NaiveBayesModel
from driftlearn.streams import SEA, load
from driftlearn.tree._fit_stump import fit_stump
from driftlearn.tree._grow_tree import grow, transfer_all
from driftlearn.tree._hoeffding_model import HoeffdingTreeModel
from driftlearn.tree._packed_trees import Forest, forest_labels, forest_leaves
from driftlearn.utils.rst import escaped, listed, section

SIZE = 1_000  # rows per chunk of covertype
LIMITS = 10, 5  # min_samples_split and min_samples_leaf of the trees of chunk learners
# rows on which online learners are trained before, and during, the measurement
WARM, TIMED = 5_000, 5_000
REPEATS = 50
# rows per chunk, and rows of covertype, in the comparison with other libraries
SMALL, FIELD = 250, 50_000
ONCE, SIX = -np.expm1(-1), -np.expm1(-6)  # share of nonzero Poisson draws with mean 1, 6


def best(function, repeats=REPEATS):
    """Return the CPU seconds of the fastest of several calls."""
    found = np.inf
    for _ in range(repeats):
        begun = time.process_time()
        function()
        found = min(found, time.process_time() - begun)
    return found


def covertype(args, size=SIZE, most=None):
    """Return the chunks of covertype, or of its first rows, with encoded labels."""
    stream = load("covertype")
    X, y = stream.take(min(stream.n_rows, args.chunks * SIZE, most or stream.n_rows))
    X, y = np.ascontiguousarray(X), np.unique(y, return_inverse=True)[1].astype(np.intp)
    return [(X[k : k + size], y[k : k + size]) for k in range(0, len(y), size)]


def over_chunks(model, chunks, least):
    """Return the seconds for predicting and learning all chunks, those of the bound, the accuracy.

    ``least(model, X, y)`` does the minimum work for a chunk before the model is trained on it, with
    compiled functions only, and returns its seconds.
    """
    ours = limit = 0.0
    right = args = 0
    for k, (X, y) in enumerate(chunks):
        limit += least(model, X, y)
        begun = time.process_time()
        if k:
            right += (model.predict(X) == y).sum()
            args += len(y)
        model.partial_fit(X, y)
        ours += time.process_time() - begun
    return ours, limit, right / args


def n_classes_of(chunks):
    return 1 + max(int(y.max()) for _, y in chunks)


def dtel(args):
    chunks = covertype(args)
    n_classes, trees, moved = n_classes_of(chunks), [], []

    def least(model, X, y):
        old = [trees[int(born) - 1] for born in model.archive_["created_at"]] if trees else []
        packed, weight, begun = Forest(*moved), np.ones(len(y)), time.process_time()
        forest_labels(packed, forest_leaves(packed, X))
        order = presort(X)
        trees.append(grow(X, order, y, weight, n_classes, *LIMITS))
        new = transfer_all(old, X, order, y, weight, n_classes, *LIMITS)
        seconds = time.process_time() - begun
        moved[:] = [*new, trees[-1]], [np.arange(n_classes)] * (len(new) + 1)
        return seconds

    moved += [], []
    ours, limit, accuracy = over_chunks(dl.DTELClassifier(), chunks, least)
    return {
        "ours": ours, "limit": limit, "unit": "s", "accuracy": accuracy,
        "what": f"covertype, {len(chunks)} chunks of {SIZE:,} rows, 25 trees, predict and learn",
        "how": "for every chunk: sort it, grow a tree, transfer the trees to it that are in the "
        "archive then, send its rows once through those that were transferred before; kernels "
        "alone",
    }  # fmt: skip


def nse(args):
    chunks = covertype(args)
    n_classes, packed = n_classes_of(chunks), Forest([], [])

    def least(model, X, y):
        begun = time.process_time()
        forest_labels(packed, forest_leaves(packed, X))
        tree = grow(X, presort(X), y, np.ones(len(y)), n_classes, *LIMITS)
        seconds = time.process_time() - begun
        packed.append(tree, np.arange(n_classes))
        return seconds

    ours, limit, accuracy = over_chunks(dl.LearnPPNSEClassifier(), chunks, least)
    return {
        "ours": ours, "limit": limit, "unit": "s", "accuracy": accuracy,
        "what": f"covertype, {len(chunks)} chunks of {SIZE:,} rows, all members kept",
        "how": "for every chunk: sort it, grow a tree, send its rows once through all trees so "
        "far, which are packed; kernels alone",
    }  # fmt: skip


def in_small_chunks(model, least, how):
    """Return an entry: prequential evaluation in chunks of 250 rows of covertype."""

    def entry(args):
        chunks = covertype(args, SMALL, FIELD)
        work = least(n_classes_of(chunks))
        ours, limit, accuracy = over_chunks(model(), chunks, lambda _, X, y: work(X, y))
        what = f"covertype, {len(chunks)} chunks of {SMALL} rows, predicted and learned"
        return {
            "ours": ours, "limit": limit, "unit": "s", "accuracy": accuracy, "what": what,
            "how": how,
        }  # fmt: skip

    return entry


class Anew:
    """CART classifier that is retrained on every chunk."""

    def __init__(self):
        self.tree = dl.CARTClassifier()
        self.predict = self.tree.predict
        self.partial_fit = self.tree.fit


def bayes_alone(n_classes):
    """Return a function that predicts and trains with the naive Bayes model only."""
    models = []

    def work(X, y):
        models[:] = models or [NaiveBayesModel(X.shape[1], n_classes)]
        out, weight, begun = np.empty((len(y), n_classes)), np.ones(len(y)), time.process_time()
        models[0].scores_many(X, out)
        models[0].learn_many(X, y, weight)
        return time.process_time() - begun

    return work


def trees_alone(n_trees):
    """Return a function that predicts with the last trees and grows `k` trees per chunk."""

    def of(n_classes):
        last = []

        def work(X, y):
            weight, begun = np.ones(len(y)), time.process_time()
            if last:
                forest_labels(last[0], forest_leaves(last[0], X))
            # the first tree is trained on all rows, the others on nine tenths
            for k in range(n_trees):
                kept = slice(0, len(y) - len(y) // 10 if k else len(y))
                tree = grow(X[kept], presort(X[kept]), y[kept], weight[kept], n_classes, 10)
                last[:] = last if k else [Forest([tree], [np.arange(n_classes)])]
            return time.process_time() - begun

        return work

    return of


def per_row(model, bound, what, how):
    """Return microseconds per row of `learn` once the ensemble is full, and of the bound."""
    stream = SEA.iboost(random_state=0)
    X, y = stream.take(WARM + TIMED)
    model.partial_fit(X[:WARM], y[:WARM])
    accuracy = float((model.predict(X[WARM:]) == y[WARM:]).mean())
    begun = time.process_time()
    model.partial_fit(X[WARM:], y[WARM:])
    us = 1e6 * (time.process_time() - begun) / TIMED
    return {
        "ours": us, "limit": 1e6 * bound(model, X, y), "unit": "us a row",
        "accuracy": accuracy, "what": what, "how": how,
    }  # fmt: skip


def products(rows):
    """Return the seconds of a product of 200 votes and weights for this number of rows."""
    rng = np.random.default_rng(0)
    votes, weight = rng.choice([-1.0, 1.0], (rows, 200)), rng.random(200)
    return best(lambda: [votes @ weight for _ in range(20)]) / 20


def stump_of_a_window(X, y):
    """Return the seconds to sort 200 rows and fit a stump to them."""
    codes, weight = np.unique(y[:200], return_inverse=True)[1].astype(np.intp), np.ones(200)
    window = np.ascontiguousarray(X[:200])
    return best(lambda: fit_stump(window, presort(window), codes, weight, 2))


def made_for(model, X, y):
    """Return the cost of a stump, times the share of rows after which a member was created."""
    return (model.members_["id"].max() + 1) / (WARM + TIMED) * stump_of_a_window(X, y)


def iboost_batch(args):
    some = np.random.default_rng(0).random(200)

    def five_updates(*_):
        return 5 * (2 * products(200) + best(lambda: np.exp(some)) + best(lambda: np.log(some)))

    model = dl.IBoostClassifier(n_estimators=200, window_size=200, update="batch", random_state=0)
    return per_row(
        model, five_updates, "M = n = 200, five updates, learned",
        "for each of five updates: two products of the 200 x 200 votes with a vector, the weights "
        "of 200 rows (exp) and the steps of 200 members (log), by NumPy",
    )  # fmt: skip


def iboost_stochastic(args):
    model = dl.IBoostClassifier(n_estimators=200, window_size=200, random_state=0)
    return per_row(
        model, lambda m, X, y: products(5) + products(1) + made_for(m, X, y),
        "M = n = 200, five updates, learned",
        "the new row's and five rows' 200 votes times the weights, by NumPy, and a stump fitted to "
        "200 rows as often as one was made",
    )  # fmt: skip


def flb(args):
    model = dl.FLBClassifier(random_state=0)
    return per_row(
        model, lambda m, X, y: 6 * products(200) / 200 + made_for(m, X, y),
        "200 stumps, blocks of 200, five of them a block, learned",
        "the row's 200 votes times the weights, before the block and after each of its five "
        "stumps, by NumPy, and a stump fitted to 200 rows as often as one was made",
    )  # fmt: skip


def nsonline_boost(args):
    def twenty(model, X, y):
        codes = np.unique(y, return_inverse=True)[1].astype(np.intp)
        tree, out = HoeffdingTreeModel(X.shape[1], 2, 50), np.zeros((TIMED, 2))
        begun = time.process_time()
        tree.learn_many(X[:TIMED], codes[:TIMED], np.ones(TIMED))
        tree.scores_many(X[WARM:], out)
        return 20 * (time.process_time() - begun) / TIMED

    model = dl.NSOnlineBoostClassifier(random_state=0)
    return per_row(
        model, twenty, "20 Hoeffding trees, learned",
        "20 times: a Hoeffding tree predicts the row and learns it once, the kernel alone",
    )  # fmt: skip


def over_naive_bayes(kind, share, again=False, **params):
    """Return an entry for ten members that predict every row and are trained on `share` of them.

    If `again` is true, they predict again after training.
    """

    def entry(args):
        X, y = SEA(n_rows=WARM + TIMED, noise=0.1, random_state=0).take(WARM + TIMED)
        y = np.unique(y, return_inverse=True)[1].astype(np.intp)
        model = kind(dl.GaussianNBClassifier(), n_estimators=10, random_state=0, **params)
        model.partial_fit(X[:WARM], y[:WARM])
        begun = time.process_time()
        predictions = model.test_then_train(X[WARM:], y[WARM:])
        us = 1e6 * (time.process_time() - begun) / TIMED
        trained, one = int(share * TIMED), NaiveBayesModel(X.shape[1], 2)
        out, ones = np.zeros((TIMED, 2)), np.ones(TIMED)

        def least():
            one.test_and_learn_many(X[:trained], y[:trained], ones[:trained], out[:trained])
            one.scores_many(X[trained:TIMED], out[trained:])
            if again:
                one.scores_many(X[:TIMED], out)

        again_text = " and predicts once more" if again else ""
        return {
            "ours": us, "limit": 10 * 1e6 * best(least, 20) / TIMED, "unit": "us a row",
            "accuracy": float((predictions == y[WARM:]).mean()),
            "what": "SEA, 10 members, each row predicted and learned",
            "how": f"ten times: naive Bayes predicts each row, learns {share:.1%} of them"
            f"{again_text}, the kernel alone; no votes, weights, random numbers or detectors",
        }  # fmt: skip

    return entry


def votes(decide, beside="", also=lambda labels: None):
    """Return an entry for a vote of 40 members on 10 classes.

    `also` is further work that this voting rule cannot avoid, `beside` its description.
    """

    def entry(args, rows=2_000, members=40, classes=10):
        rng = np.random.default_rng(0)
        labels = rng.integers(classes, size=(members, rows)).astype(np.int32)
        run, all_of_them = decide(rng, labels, classes), rng.random((rows, members * classes))
        once = best(lambda: all_of_them.sum(axis=1), 20) + best(lambda: also(labels), 20)
        return {
            "ours": 1e6 * best(run, 20) / rows, "limit": 1e6 * once / rows, "unit": "us a row",
            "what": f"{members} members, {classes} classes, after the members have predicted",
            "how": "a number for every member and class read and added up once" + beside
            + ", by NumPy",
        }  # fmt: skip

    return entry


def of_mt_and_nc(rng, labels, classes):
    weight, trained_on = rng.random(len(labels)), rng.random((len(labels), classes)) < 0.7
    return lambda: dynamic_vote(labels, weight, trained_on, True)


def of_udnc(rng, labels, classes):
    group = np.repeat(np.arange(len(labels) // 5), 5)
    counts = rng.integers(1, 50, size=(len(labels) // 5, classes)).astype(float)
    each = class_weights(rng.random(len(labels)), counts[group], counts.sum(axis=0))
    return lambda: ensemble_decision(labels, each, group, counts)


def powers(labels):
    """Raise as many numbers to a power as the classes predicted by sub-ensembles of five."""
    named = np.full(labels.size * 4 // 5, 0.5)  # of ten classes, five members predict about four
    return np.exp(2.0 * np.log(named))


ENTRIES = {
    "DTEL": dtel,
    "Learn++.NSE": nse,
    "IBoost, batch": iboost_batch,
    "IBoost, stochastic": iboost_stochastic,
    "votes of Learn++.MT and NC": votes(of_mt_and_nc),
    "votes of Learn++.UDNC": votes(
        of_udnc, ", and what each eighth of the members names raised to a power", powers
    ),
    "FLB": flb,
    "NSOnlineBoost": nsonline_boost,
    "naive Bayes": in_small_chunks(
        dl.GaussianNBClassifier, bayes_alone, "predicted and learned, by the compiled model alone"
    ),
    "CART": in_small_chunks(
        Anew,
        trees_alone(1),
        "for every chunk: rows sent through the last tree, sorted, a tree grown; kernels alone",
    ),
    "AWE, CART": in_small_chunks(
        lambda: dl.AWEClassifier(dl.CARTClassifier(), n_estimators=10, n_stored=10),
        trees_alone(11),
        "for every chunk: a tree of all rows and ten of nine tenths, each sorted and grown, rows "
        "sent through one; kernels alone",
    ),
    "online bagging, naive Bayes": over_naive_bayes(dl.OnlineBaggingClassifier, ONCE),
    "ADWIN bagging, naive Bayes": over_naive_bayes(dl.ADWINBaggingClassifier, ONCE),
    "leveraging bagging, naive Bayes": over_naive_bayes(dl.LeveragingBaggingClassifier, SIX),
    "OnlineBoost, naive Bayes": over_naive_bayes(
        dl.OnlineBoostClassifier, ONCE, again=True, restart_delta=None
    ),
}


def read_lines(path):
    """Return the newest result of every entry."""
    found = {}
    for text in path.read_text("utf-8").splitlines() if path.exists() else ():
        try:
            line = json.loads(text)
        except ValueError:  # an incomplete line
            continue
        found[line["name"]] = line
    return found


def section_of(path):
    """Return the section of the page, as lines."""
    rows = [["algorithm", "what", "accuracy", "ours", "limit", "times", "how it is computed"]]
    for name, line in read_lines(path).items():
        share = f"{100 * line['accuracy']:.1f} %" if "accuracy" in line else ""
        sizes = [f"{line[part]:,.3g} {line['unit']}" for part in ("ours", "limit")]
        times = f"{line['ours'] / line['limit']:.1f}"
        rows.append([name, line["what"], share, *sizes, times, line["how"]])
    about = (
        "Time compared with the least work that gives the same predictions, measured in the same "
        "process (``python benchmarks/limits.py``). *Times* is the ratio; 1 would be the limit."
    )
    body = listed([escaped(cell) for cell in row] for row in rows)
    return [*section("Compared with the least work"), about, "", *body]


def run(args, path):
    code = code_digest()
    for name, entry in ENTRIES.items():
        known, settings = read_lines(path).get(name, {}), [code, args.chunks]
        if args.only not in name or (known.get("settings") == settings and not args.again):
            continue
        try:
            found = entry(args)
        except OSError as problem:
            print(f"{name} is left out: {problem}")
            continue
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"name": name, "settings": settings, **found}) + "\n")
        sizes = f"{found['ours']:.3g} {found['unit']}, limit {found['limit']:.3g}"
        print(f"{name}: {sizes}, {found['ours'] / found['limit']:.1f} times", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, default=Path(".bench"), help="folder of results")
    parser.add_argument("--only", default="", help="only entries whose name contains this string")
    parser.add_argument(
        "--chunks", type=int, default=582, help="maximum number of chunks of covertype"
    )
    parser.add_argument("--again", action="store_true", help="repeat stored measurements")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    args.work.mkdir(parents=True, exist_ok=True)
    try:
        run(args, args.work / "limits.jsonl")
    except KeyboardInterrupt:
        sys.exit("\nstopped; the same command goes on from here")


if __name__ == "__main__":
    main()
