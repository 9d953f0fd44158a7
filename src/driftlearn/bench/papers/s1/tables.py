"""Tables III and V to VII, Figures 2 to 4, and two variants: DTEL and four other learners."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import driftlearn as dl
from driftlearn.bench.papers.drawing import courses, dots, ranks, sweeps
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.outcome import Outcome, table_of
from driftlearn.bench.papers.paper import published, published_rows
from driftlearn.bench.papers.s1 import streams_and_learners as s1
from driftlearn.bench.papers.s1.claims import transfer_share
from driftlearn.evaluate import average_ranks, prequential, win_tie_loss
from driftlearn.streams._led_poker import PokerHands
from driftlearn.utils.table import Table

TABLES = published()["S1"]["tables"]
NUMBERS = {**s1.printed("III"), **s1.printed("V")}
PART = "DTEL_transfer_part"
SECONDS = published_rows("S1", "VII")
SHORTER, SHORTER_REAL = "the first 40 of 120 chunks", "the first 15,000 rows"
table = partial(Experiment.of_paper, "S1")


def counts_table(number: str, outcome: Outcome) -> Table:
    """Return the wins, ties and losses of DTEL by the rank-sum test, published and ours."""
    known = TABLES[number]["win_tie_loss_vs_DTEL"]
    rows = [
        (name, "-".join(map(str, known[name])), "-".join(map(str, counts)))
        for name, *counts in (row.values() for row in win_tie_loss(outcome.results, "DTEL"))
    ]
    return table_of(("against", "published", "ours"), rows)


def rank_table(outcome: Outcome) -> Table:
    """Return mean ranks: as published, as computed from the published means, and ours.

    The ranks from published means are computed over all 19 streams, and over the streams that were
    run.
    """
    recomputed, same = (
        average_ranks({name: [NUMBERS[stream][name] for stream in streams] for name in s1.LEARNERS})
        for streams in (NUMBERS, outcome.results)
    )
    known = dict(zip(s1.LEARNERS, TABLES["VI"]["rows"]["rank"]))
    rows = [
        (name, known[name], *(round(value, 4) for value in (recomputed[name], same[name], ours)))
        for name, ours in outcome.mean_ranks().items()
    ]
    streams = f"of {len(outcome.results)} streams"
    return table_of(("learner", "printed", "from the printed means", streams, "ours"), rows)


def share_table(outcome: Outcome) -> Table:
    """Return the percentage of DTEL's time that is spent on transfers, for each stream."""
    rows = []
    for stream in outcome.results:
        share = 100 * SECONDS[stream][PART] / SECONDS[stream]["DTEL"]
        rows.append((stream, round(share, 1), round(transfer_share(outcome, stream), 1)))
    return table_of(("stream", "published", "ours"), rows)


def accuracies(
    number: str, item: str, drawn: partial[Any], size: str, short: dict[str, Any], **fields: Any
) -> Iterator[Experiment]:
    """Yield a table of accuracies and the figure of the same runs, with their reduced versions.

    Parameters
    ----------
    number, item : str
        The number of the table, and the name of the figure.
    drawn : callable
        Function that draws the figure.
    size : str
        Description of the reduction.
    short : mapping of str to callable
        The reduced streams.
    **fields
        Common fields of both experiments.
    """
    fields["numbers"] = s1.printed(number)
    counts = {"DTEL's wins, ties and losses by the rank-sum test": partial(counts_table, number)}
    further = {"chunk_std": s1.printed(number, "std")}
    name = f"table {number}"
    full = table(name, figures={name: dots}, further=further, extras=counts, **fields)
    yield full.with_quick(size, streams=short)
    yield table(item, figures={item: drawn}, **fields).with_quick(size, streams=short)


TABLE_III, FIGURE_2 = accuracies(
    "III", "figure 2", partial(courses, columns=3, over="chunk"), SHORTER, s1.SHORT_SYNTHETIC,
    streams=s1.SYNTHETIC_STREAMS, learners=s1.LEARNERS,
    alternatives={**s1.OTHER_LEARNERS, **s1.OTHER_STREAMS},
)  # fmt: skip
TABLE_V, FIGURE_3 = accuracies(
    "V", "figure 3", partial(courses, over="chunk"), SHORTER_REAL, s1.SHORT_REAL,
    streams=s1.REAL_STREAMS, learners=s1.LEARNERS, protocol=prequential, options=s1.BY_CHUNK,
    alternatives=s1.OTHER_READINGS,
)  # fmt: skip

ALL: dict[str, Any] = {
    "streams": {**s1.SYNTHETIC_STREAMS, **s1.REAL_STREAMS},
    "protocols": dict.fromkeys(s1.REAL, (prequential, s1.BY_CHUNK)),
}
ALL_SHORT: dict[str, Any] = {
    "size": "the first 40 of 120 chunks, and 15,000 rows of the real streams",
    "streams": {**s1.SHORT_SYNTHETIC, **s1.SHORT_REAL},
}
TABLE_VI = table(
    "table VI",
    learners=s1.LEARNERS,
    numbers=NUMBERS,
    extras={"mean ranks": rank_table},
    figures={"table VI": ranks},
    alternatives={**s1.OTHER_READINGS, **s1.OTHER_STREAMS},
    **ALL,
).with_quick(**ALL_SHORT)
TABLE_VII = table(
    "table VII",
    learners={
        **s1.LEARNERS,
        s1.TWICE: dl.DTELClassifier.as_published(s1.TransferTwice.as_published(), n_estimators=25),
    },
    further={"seconds": SECONDS},
    extras={"part of DTEL's time that transfers take, in percent": share_table},
    figures={
        "table VII": partial(
            dots, metric="seconds", label="seconds", log=True, learners=tuple(s1.LEARNERS)
        )
    },
    **ALL,
).with_quick(**ALL_SHORT)

ABRUPT = ("SEA200A", "ROT200A", "CIR200A", "SIN200A", "STA200A")
ABRUPT_STREAMS = {name: s1.SYNTHETIC_STREAMS[name] for name in ABRUPT}
ABRUPT_SHORT = {name: s1.SHORT_SYNTHETIC[name] for name in ABRUPT}
SIZES = (1, 5, 10, 15, 20, 25, 30, 40)
SIZE_LINES: dict[str, dict[float, tuple[str, str]]] = {
    stream: {size: (stream, f"DTEL {size}") for size in SIZES} for stream in ABRUPT
}
FIGURE_4 = table(
    "figure 4",
    streams=ABRUPT_STREAMS,
    learners={f"DTEL {size}": dl.DTELClassifier.as_published(n_estimators=size) for size in SIZES},
    figures={"figure 4": partial(sweeps, panels={"archive size": SIZE_LINES}, log=False)},
).with_quick(SHORTER, streams=ABRUPT_SHORT)

dtel = partial(dl.DTELClassifier.as_published, n_estimators=25)
OTHERS = {
    f"DTEL {measure.replace('_', ' ')}": dtel(diversity=measure)
    for measure in ("disagreement", "double_fault", "entropy")
}
FEWER = {f"DTEL {k} transfers": dtel(n_transfers=k) for k in (10, 5)}
DIVERSITY = table(
    "variant diversity",
    streams=ABRUPT_STREAMS,
    learners={"DTEL": s1.LEARNERS["DTEL"], **OTHERS, **FEWER},
    figures={"variant diversity": partial(courses, columns=2, over="chunk", smooth=10)},
).with_quick(SHORTER, streams=ABRUPT_SHORT)


def dealt(seed: int, n_rows: int = 1_000_000) -> PokerHands:
    """Return hands from a fair deck."""
    return PokerHands(n_rows, random_state=seed)


DEALT = "dealt hands"
POKER = table(
    "variant poker",
    streams={DEALT: dealt},
    learners=s1.LEARNERS,
    protocol=prequential,
    options=s1.BY_CHUNK,
    numbers={DEALT: s1.printed("V")["PokerHand"]},
    further={"chunk_std": {DEALT: s1.printed("V", "std")["PokerHand"]}},
    figures={"variant poker": partial(courses, over="chunk")},
).with_quick("20,000 of 1,000,000 hands", streams={DEALT: partial(dealt, n_rows=20_000)})
