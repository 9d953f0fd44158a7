"""Rows per second and peak memory of every generator for a million rows.

    python benchmarks/bench_streams.py

Memory is what Python and NumPy allocate while the stream is read in chunks of 1,000 rows (by
tracemalloc, in a second pass, because tracing is slow).
"""

import time
import tracemalloc

from driftlearn.streams import (
    LED,
    RBF,
    SEA,
    Agrawal,
    AssetNegotiation,
    ClassImbalance,
    Drifting,
    Hyperplane,
    IrrelevantFeatures,
    LabelNoise,
    MissingValues,
    Mixed,
    PokerHands,
    RandomTree,
    Sine,
    Waveform,
)
from driftlearn.utils.table import Table

STREAMS = {
    "RBF, moving centres": RBF(n_rows=1_000_000, random_state=0),
    "LED, swapped attributes": LED(n_rows=1_000_000, random_state=0),
    "SEA": SEA(n_rows=1_000_000, random_state=0),
    "poker hands": PokerHands(n_rows=1_000_000, random_state=0),
    "Sine": Sine(random_state=0),
    "Mixed": Mixed(random_state=0),
    "hyperplane, moving": Hyperplane(random_state=0),
    "Agrawal, function 1": Agrawal(1, random_state=0),
    "Agrawal, function 5": Agrawal(5, random_state=0),
    "Agrawal, perturbed": Agrawal(1, 0.05, random_state=0),
    "asset negotiation": AssetNegotiation(random_state=0),
    "random tree": RandomTree(random_state=0),
    "waveform, 21": Waveform(random_state=0),
    "waveform, 40": Waveform(irrelevant=True, random_state=0),
    "Sine, abrupt A-B-A-B": Drifting(
        [Sine(1), Sine(2)], (250_000, 500_000, 750_000), n_rows=1_000_000, random_state=0
    ),
    "Sine, sigmoid of 500,000 rows": Drifting(
        [Sine(1), Sine(2)], (250_000,), "sigmoid", 500_000, n_rows=1_000_000, random_state=0
    ),
    "Sine, label noise": LabelNoise(Sine(random_state=0)),
    "Sine, 1:10": ClassImbalance(Sine(random_state=0)),
    "Sine, 1:100": ClassImbalance(Sine(random_state=0), ((1, 100),)),
    "Sine, missing values": MissingValues(Sine(random_state=0)),
    "Sine, irrelevant features": IrrelevantFeatures(Sine(random_state=0)),
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
