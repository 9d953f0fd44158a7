"""A million rows of every generator: rows per second, and the peak of memory.

    python benchmarks/bench_streams.py

Memory is what Python and NumPy allocate while the stream is consumed in chunks of 1,000 (by
tracemalloc, in a second pass, because tracing slows the first down).
"""

import time
import tracemalloc

from driftlearn._table import Table
from driftlearn.streams import LED, RBF, SEA, PokerHands

STREAMS = {
    "RBF, moving centres": RBF(n_rows=1_000_000, random_state=0),
    "LED, swapped attributes": LED(n_rows=1_000_000, random_state=0),
    "SEA": SEA(n_rows=1_000_000, random_state=0),
    "poker hands": PokerHands(n_rows=1_000_000, random_state=0),
}


def consumed(stream):
    return sum(len(batch.y) for batch in stream.chunks(1000))


def main():
    rows = []
    for name, stream in STREAMS.items():
        start = time.perf_counter()
        n = consumed(stream)
        seconds = time.perf_counter() - start
        tracemalloc.start()
        consumed(stream)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        rows.append((name, n, n / seconds, peak))
    print(Table(dict(zip(("stream", "rows", "rows/s", "peak MB"), zip(*rows)))))


if __name__ == "__main__":
    main()
