"""Time per chunk of Learn++.NSE with up to a thousand members, and its profile.

    python benchmarks/bench_nse_members.py

Prints the time of `partial_fit` on a chunk of 250 rows for a growing number of members, the fastest
of several chunks, and the profile of a chunk with a thousand members.
"""

import cProfile
import pstats
import time

import numpy as np

from driftlearn import LearnPPNSEClassifier
from driftlearn.streams import SEA
from driftlearn.utils.table import Table

ROWS, STOPS = 250, (100, 200, 400, 600, 800, 1000)


def main():
    stream = SEA(n_rows=ROWS * (max(STOPS) + 20), noise=0.1, random_state=0)
    chunks = stream.chunks(ROWS)
    model, times, found = LearnPPNSEClassifier(), [], []
    for members, batch in enumerate(chunks, start=1):
        start = time.perf_counter()
        model.partial_fit(batch.X, batch.y)
        times.append(1e3 * (time.perf_counter() - start))
        if members in STOPS:
            nodes = sum(tree.size_ for tree in model.estimators_)
            found.append((members, nodes, min(times[-10:])))
        if members == max(STOPS):
            break
    members, nodes, ms = (np.array(column) for column in zip(*found))
    each = 1e3 * ms / members
    print(Table({"members": members, "nodes": nodes, "ms a chunk": ms, "us a member": each}))
    slope, fixed = np.polyfit(members, ms, 1)
    left = ms - (slope * members + fixed)
    law = f"{fixed:.2f} + {slope:.5f} x members"
    print(f"\nms a chunk = {law}, largest residual {abs(left).max():.2f} ms")

    rest = [next(chunks) for _ in range(10)]
    profile = cProfile.Profile()
    profile.enable()
    for batch in rest:
        model.partial_fit(batch.X, batch.y)
    profile.disable()
    stats = pstats.Stats(profile)
    total = stats.total_tt
    rows = sorted(((own, *where) for where, (_, _, own, _, _) in stats.stats.items()), reverse=True)
    print("\nprofile of ten chunks with a thousand members")
    print(
        Table(
            {
                "share": [f"{own / total:.0%}" for own, *_ in rows[:6]],
                "where": [f"{file.rsplit('/', 1)[-1]}: {name}" for _, file, _, name in rows[:6]],
            }
        )
    )


if __name__ == "__main__":
    main()
