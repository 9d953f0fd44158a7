"""Figure 4: how large DTEL's archive should be."""

from functools import partial

import numpy as np

from driftlearn import DTELClassifier
from driftlearn.bench.papers.claim import Claim, Judged, full_only, stated
from driftlearn.bench.papers.drawing.over_a_parameter import sweeps
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.papers.s1.streams_and_learners import (
    ROT_NOTE,
    SHORT_SYNTHETIC,
    SYNTHETIC_STREAMS,
)

SIZES = (1, 5, 10, 15, 20, 25, 30, 40)
STREAMS = ("SEA200A", "ROT200A", "CIR200A", "SIN200A", "STA200A")


def named(size: int) -> str:
    """Return what DTEL with an archive of this size is called."""
    return f"DTEL {size}"


def values(outcome: Outcome, stream: str, sizes: tuple[int, ...]) -> list[float]:
    """Return the accuracy with each size, in percent."""
    return [outcome.accuracy(stream, named(size)) for size in sizes]


def rises(outcome: Outcome) -> Judged:
    """Judge whether the trend of accuracy over the sizes up to 20 is upwards."""
    sizes = SIZES[:5]
    found = {s: values(outcome, s, sizes) for s in STREAMS if s != "STA200A"}
    slopes = {s: float(np.polyfit(sizes, course, 1)[0]) for s, course in found.items()}
    return slopes, ", ".join(f"{s} {slope:+.2f} a member" for s, slope in slopes.items())


def flat(sizes: tuple[int, ...], most: float, streams: tuple[str, ...], outcome: Outcome) -> Judged:
    """Judge whether accuracy stays within some points over sizes."""
    widths = {}
    for stream in streams:
        found = values(outcome, stream, sizes)
        widths[stream] = max(found) - min(found)
    margins = {stream: most - width for stream, width in widths.items()}
    return margins, ", ".join(f"{s} {w:.2f}" for s, w in widths.items())


def panels() -> dict[str, dict[str, dict[float, tuple[str, str]]]]:
    """Return the lines of the figure: one a stream, over sizes."""
    return {
        "archive size": {stream: {size: (stream, named(size)) for size in SIZES}
                         for stream in STREAMS}
    }  # fmt: skip


FIGURE_4 = Experiment(
    paper="S1",
    item="figure 4",
    title="DTEL's accuracy by the size of its archive, five streams with abrupt drift",
    streams={name: SYNTHETIC_STREAMS[name] for name in STREAMS},
    learners={named(size): DTELClassifier.as_published(n_estimators=size) for size in SIZES},
    claims=(
        *full_only(
            *stated(
                "Section IV-C",
                "when the archive size is smaller than 20, the average accuracy improves with the "
                "size increasing",
                Claim("up to a size of 20 the trend is upwards, STA200A apart", rises),
            ),
            *stated(
                "Section IV-C",
                "Then, the accuracy results remain roughly stable when the value is larger",
                Claim("from 20 on accuracy stays within 1.5 points",
                      partial(flat, SIZES[4:], 1.5, STREAMS)),
            ),
        ),
        *stated(
            "Section IV-C, on STA200A",
            "a very small archive size is enough to facilitate the incremental learning with "
            "concept drift",
            Claim("STA200A: accuracy stays within a point from size 1 on",
                  partial(flat, SIZES, 1.0, ("STA200A",)), ("STA200A",)),
        ),
    ),
    notes={"ROT": ROT_NOTE},
    figures={"figure 4": partial(sweeps, panels=panels(), log=False)},
).with_quick(
    "the first 40 of 120 chunks", streams={name: SHORT_SYNTHETIC[name] for name in STREAMS}
)  # fmt: skip
