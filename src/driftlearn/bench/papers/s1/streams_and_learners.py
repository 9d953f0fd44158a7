"""The five learners, the streams (full and reduced) and the published numbers."""

from functools import partial
from typing import Any

import driftlearn as dl
from driftlearn import streams
from driftlearn.bench.papers.paper import published

LEARNERS = {
    "DTEL": dl.DTELClassifier.as_published(n_estimators=25),
    "SEA": dl.SEAClassifier.as_published(n_estimators=25, variant="dtel"),
    "Learn++.NSE": dl.LearnPPNSEClassifier.as_published(use_distribution="resample"),
    "AUE2": dl.AUE2Classifier.as_published(n_estimators=25),
    "TIX": dl.TIXClassifier.as_published(n_estimators=25),
}
REAL = {
    "Covertype": ("covertype", 581_000),
    "PokerHand": ("poker", 99_000),
    "Electricity": ("electricity", 44_000),
}
TWICE = "DTEL, transfer twice"
BY_CHUNK: dict[str, Any] = {"chunk_size": 1_000, "log_loss": False}


def changed(name: str, seed: int, **chunks: int) -> Any:
    """Return a synthetic stream with changed parameters, which are given in chunks."""
    whole = streams.s1_stream(name, seed)
    other = {key: count * int(name[3:6]) for key, count in chunks.items()}
    stream = type(whole)(**{**whole.params(), **other})
    stream.name = name
    return stream


def real(name: str, n_rows: int, seed: int) -> Any:
    """Return the first rows of a real stream; the seed is ignored."""
    return streams.load(name, n_rows=n_rows)


def every(kind: str, chunks: int) -> dict[str, Any]:
    """Return the streams of one kind, whose concepts have this number of chunks."""
    names = [name for name in streams.S1_STREAMS if name.startswith(kind)]
    return {name: partial(changed, name, segment=chunks) for name in names}


SYNTHETIC_STREAMS = {name: partial(streams.s1_stream, name) for name in streams.S1_STREAMS}
REAL_STREAMS = {name: partial(real, *about) for name, about in REAL.items()}
SHORT_SYNTHETIC = {name: partial(changed, name, n_rows=40) for name in streams.S1_STREAMS}
SHORT_REAL = {name: partial(real, file, 15_000) for name, (file, _) in REAL.items()}
OTHER_READINGS = {
    "Learn++.NSE trained on the whole chunk": {
        "Learn++.NSE": dl.LearnPPNSEClassifier.as_published()
    },
    "SEA as Street and Kim have it": {"SEA": dl.SEAClassifier.as_published(n_estimators=25)},
}
OTHER_LEARNERS = {
    **OTHER_READINGS,
    "SEA as they have it, without delay": {
        "SEA": dl.SEAClassifier.as_published(n_estimators=25, delay=False)
    },
    "Learn++.NSE of 25 members": {
        "Learn++.NSE": dl.LearnPPNSEClassifier.as_published(
            n_estimators=25, prune="error", use_distribution="resample"
        )
    },
    "DTEL over trees grown to the end": {
        "DTEL": dl.DTELClassifier.as_published(
            dl.CARTClassifier.as_published(min_samples_split=2), n_estimators=25
        )
    },
}
OTHER_STREAMS = {
    "CIR 15 chunks a radius": every("CIR", 15),
    "STA 15 chunks a rule": every("STA", 15),
}


class TransferTwice(dl.CARTClassifier):
    """CART classifier that performs every transfer twice and returns the second result.

    DTEL makes the same predictions with this class as with `CARTClassifier`. The difference in time
    is the time of the transfers, which is thus measured without a timer inside DTEL.
    """

    def _transferred(self, chunk: Any) -> dl.CARTClassifier:
        super()._transferred(chunk)
        return super()._transferred(chunk)


def printed(table: str, figure: str = "mean") -> dict[str, dict[str, float]]:
    """Return the published means or standard deviations of a table by stream and learner."""
    rows = published()["S1"]["tables"][table]["rows"]
    return {
        stream: {learner: cell[figure] for learner, cell in cells.items()}
        for stream, cells in rows.items()
    }
