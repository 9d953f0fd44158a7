"""Cost of the voting rules of the Learn++ family, without the predictions of the members.

    python benchmarks/bench_votes.py

Nanoseconds per row, for calls with 2,000 rows and growing numbers of members and classes, and this
time divided by members x classes, which should become constant. The fastest of several runs counts.
"""

import numpy as np
from _timing import best_in_turn

from driftlearn.ensemble.class_votes import class_weights, dynamic_vote, ensemble_decision
from driftlearn.utils.table import Table

ROWS = 2_000


def main():
    rng = np.random.default_rng(0)
    rows = []
    for members in (10, 40, 160):
        for classes in (3, 10, 30):
            labels = rng.integers(classes, size=(members, ROWS)).astype(np.int32)
            weight = rng.random(members)
            trained_on = rng.random((members, classes)) < 0.7
            group = np.repeat(np.arange(members // 5), 5)
            counts = rng.integers(1, 50, size=(members // 5, classes)).astype(float)
            each = class_weights(weight, counts[group], counts.sum(axis=0))
            found = best_in_turn(
                {
                    "MT, NC": lambda a=labels, w=weight, k=trained_on: dynamic_vote(a, w, k, True),
                    "UDNC": lambda a=labels, w=each, g=group, n=counts: ensemble_decision(
                        a, w, g, n
                    ),
                },
                rounds=5,
            )
            for name, seconds in found.items():
                ns = 1e9 * seconds / ROWS
                rows.append((name, members, classes, ns, ns / (members * classes)))
    rows.sort(key=lambda row: row[:3])
    names = ("vote", "members", "classes", "ns a row", "ns / (members x classes)")
    print(Table(dict(zip(names, zip(*rows)))))


if __name__ == "__main__":
    main()
