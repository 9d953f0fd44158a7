"""Against the limit: algorithms that no other library has, beside the arithmetic they cannot avoid.

    python benchmarks/limits.py                        all that is not there yet
    python benchmarks/limits.py --only "IBoost"        those with this in their name
    python benchmarks/limits.py --chunks 20            the first chunks of covertype only

The limit of each is measured in the same process, on the same rows, right after it: the kernels, or
NumPy's products, that do the least work by which the answer could be had, without anything around
them. Seconds are of the processor. Results are lines of ``limits.jsonl``, which the page of
`field.py` shows.
"""

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import driftlearn as dl
from driftlearn._code_digest import code_digest
from driftlearn.engines.hoeffding_model import HoeffdingTreeModel
from driftlearn.kernels.fit_stump import fit_stump
from driftlearn.kernels.grow_tree import grow, transfer
from driftlearn.kernels.packed_trees import forest_labels, pack
from driftlearn.kernels.presort import presort
from driftlearn.papers.page import escaped, listed, section
from driftlearn.parts.class_votes import class_weights, dynamic_vote, ensemble_decision
from driftlearn.streams import SEA, load

SIZE = 1_000  # rows of a chunk of covertype
WARM, TIMED = 5_000, 5_000  # rows that online learners learn before the clock runs, and while
REPEATS = 50


def best(function, repeats=REPEATS):
    """Return the processor seconds of the fastest of several calls."""
    found = np.inf
    for _ in range(repeats):
        begun = time.process_time()
        function()
        found = min(found, time.process_time() - begun)
    return found


def covertype(asked):
    """Return the chunks of covertype, with codes for labels."""
    stream = load("covertype")
    X, y = stream.take(min(stream.n_rows, asked.chunks * SIZE))
    y = np.unique(y, return_inverse=True)[1].astype(np.intp)
    return [(X[k : k + SIZE], y[k : k + SIZE]) for k in range(0, len(y), SIZE)]


def over_chunks(model, chunks):
    """Return the seconds of asking and learning all chunks, and the share that was right."""
    right = asked = 0
    begun = time.process_time()
    for k, (X, y) in enumerate(chunks):
        if k:
            right += (model.predict(X) == y).sum()
            asked += len(y)
        model.partial_fit(X, y)
    return time.process_time() - begun, right / asked


def grown(chunks):
    """Return a tree of each chunk, and the seconds of sorting and growing one, in the mean."""
    n_classes = 1 + max(int(y.max()) for _, y in chunks)
    weight, begun = np.ones(SIZE), time.process_time()
    trees = [grow(X, presort(X), y, weight[: len(y)], n_classes, 10) for X, y in chunks]
    return trees, (time.process_time() - begun) / len(chunks), n_classes


def dtel(asked):
    chunks = covertype(asked)
    seconds, accuracy = over_chunks(dl.DTELClassifier(), chunks)
    some = chunks[-26:]
    trees, growing, n_classes = grown(some)
    (X, y), weight = some[-1], np.ones(len(some[-1][1]))
    order, old = presort(X), trees[:-1]
    moving = best(lambda: [transfer(tree, X, order, y, weight, n_classes, 10) for tree in old], 5)
    packed = pack(old, [np.arange(n_classes)] * len(old))
    voting = best(lambda: forest_labels(packed, X), 5)
    return {
        "ours": seconds, "limit": len(chunks) * (growing + moving + voting), "unit": "s",
        "accuracy": accuracy,
        "what": f"covertype, {len(chunks)} chunks of {SIZE:,} rows, 25 trees, asked and learned",
        "how": "for every chunk: sort it, grow a tree, transfer 25 trees to it, send its rows "
        "through 25 trees once; kernels alone, on the last chunks",
    }  # fmt: skip


def nse(asked):
    chunks = covertype(asked)
    seconds, accuracy = over_chunks(dl.LearnPPNSEClassifier(), chunks)
    trees, growing, n_classes = grown(chunks)
    packed = pack(trees, [np.arange(n_classes)] * len(trees))
    voting = best(lambda: forest_labels(packed, chunks[-1][0]), 5)
    limit = len(chunks) * growing + voting * (len(chunks) + 1) / 2
    return {
        "ours": seconds, "limit": limit, "unit": "s", "accuracy": accuracy,
        "what": f"covertype, {len(chunks)} chunks of {SIZE:,} rows, all members kept",
        "how": "for every chunk: sort it, grow a tree, send its rows once through all trees so "
        "far, which are packed; kernels alone",
    }  # fmt: skip


def per_row(model, bound, what, how):
    """Return microseconds a row of `learn` once the ensemble is full, and of the limit."""
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
    """Return the seconds of a product of so many rows of 200 votes with a weight for each."""
    rng = np.random.default_rng(0)
    votes, weight = rng.choice([-1.0, 1.0], (rows, 200)), rng.random(200)
    return best(lambda: [votes @ weight for _ in range(20)]) / 20


def stump_of_a_window(X, y):
    """Return the seconds of sorting and fitting a stump to 200 rows."""
    codes, weight = np.unique(y[:200], return_inverse=True)[1].astype(np.intp), np.ones(200)
    window = np.ascontiguousarray(X[:200])
    return best(lambda: fit_stump(window, presort(window), codes, weight, 2))


def made_for(model, X, y):
    """Return the share of rows after which a member was made, times what a stump costs."""
    return (model.members_["id"].max() + 1) / (WARM + TIMED) * stump_of_a_window(X, y)


def iboost_batch(asked):
    model = dl.IBoostClassifier(n_estimators=200, window_size=200, update="batch", random_state=0)
    return per_row(
        model, lambda *_: 2 * products(200), "M = n = 200, learned",
        "two products of the 200 x 200 votes with a vector, by NumPy",
    )  # fmt: skip


def iboost_stochastic(asked):
    model = dl.IBoostClassifier(n_estimators=200, window_size=200, random_state=0)
    return per_row(
        model, lambda m, X, y: products(5) + products(1) + made_for(m, X, y),
        "M = n = 200, five updates, learned",
        "the new row's and five rows' 200 votes times the weights, by NumPy, and a stump fitted to "
        "200 rows as often as one was made",
    )  # fmt: skip


def flb(asked):
    model = dl.FLBClassifier(random_state=0)
    return per_row(
        model, lambda m, X, y: products(1) + made_for(m, X, y),
        "200 stumps, blocks of 200, learned",
        "the row's 200 votes times the weights, by NumPy, and a stump fitted to 200 rows as often "
        "as one was made",
    )  # fmt: skip


def nsonline_boost(asked):
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
        "20 times: a Hoeffding tree asked about the row and taught it once, the kernel alone",
    )  # fmt: skip


def votes(decide):
    """Return an entry for a vote of 40 members on 10 classes."""

    def entry(asked, rows=2_000, members=40, classes=10):
        rng = np.random.default_rng(0)
        labels = rng.integers(classes, size=(members, rows)).astype(np.int32)
        run, all_of_them = decide(rng, labels, classes), rng.random((rows, members * classes))
        once = best(lambda: all_of_them.sum(axis=1), 20)
        return {
            "ours": 1e6 * best(run, 20) / rows, "limit": 1e6 * once / rows, "unit": "us a row",
            "what": f"{members} members, {classes} classes, after the members have spoken",
            "how": "a number for every member and class read and added up once, by NumPy",
        }  # fmt: skip

    return entry


def of_mt_and_nc(rng, labels, classes):
    weight, knows = rng.random(len(labels)), rng.random((len(labels), classes)) < 0.7
    return lambda: dynamic_vote(labels, weight, knows, True)


def of_udnc(rng, labels, classes):
    group = np.repeat(np.arange(len(labels) // 5), 5)
    counts = rng.integers(1, 50, size=(len(labels) // 5, classes)).astype(float)
    each = class_weights(rng.random(len(labels)), counts[group], counts.sum(axis=0))
    return lambda: ensemble_decision(labels, each, group, counts)


ENTRIES = {
    "DTEL": dtel,
    "Learn++.NSE": nse,
    "IBoost, batch": iboost_batch,
    "IBoost, stochastic": iboost_stochastic,
    "votes of Learn++.MT and NC": votes(of_mt_and_nc),
    "votes of Learn++.UDNC": votes(of_udnc),
    "FLB": flb,
    "NSOnlineBoost": nsonline_boost,
}


def read_lines(path):
    """Return the newest line of every entry."""
    found = {}
    for text in path.read_text("utf-8").splitlines() if path.exists() else ():
        try:
            line = json.loads(text)
        except ValueError:  # it was cut
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
        "What no other library has stands beside the least work by which its answer could be had, "
        "measured in the same process (``python benchmarks/limits.py``). *Times* is how far we are "
        "from it: 1 would be the limit."
    )
    body = listed([escaped(cell) for cell in row] for row in rows)
    return [*section("Against the limit"), about, "", *body]


def run(asked, path):
    code = code_digest()
    for name, entry in ENTRIES.items():
        known, settings = read_lines(path).get(name, {}), [code, asked.chunks]
        if asked.only not in name or (known.get("settings") == settings and not asked.again):
            continue
        try:
            found = entry(asked)
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
    parser.add_argument("--only", default="", help="those with this in their name")
    parser.add_argument("--chunks", type=int, default=582, help="of covertype, at most")
    parser.add_argument("--again", action="store_true", help="also what is there already")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    asked.work.mkdir(parents=True, exist_ok=True)
    try:
        run(asked, asked.work / "limits.jsonl")
    except KeyboardInterrupt:
        sys.exit("\nstopped; the same command goes on from here")


if __name__ == "__main__":
    main()
