"""Tables III and V to VII, Figures 2 to 4, and two variants: DTEL and four other learners."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from driftlearn import DTELClassifier
from driftlearn.bench.papers.drawing import courses, dots, ranks, sweeps
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.papers.paper import published
from driftlearn.bench.papers.s1 import streams_and_learners as s1
from driftlearn.bench.papers.s1.claims import transfer_share
from driftlearn.evaluate._protocols import prequential
from driftlearn.evaluate.significance import average_ranks, win_tie_loss
from driftlearn.streams._led_poker import PokerHands
from driftlearn.utils.table import Table

TABLES = published()["S1"]["tables"]
NUMBERS = {**s1.printed("III"), **s1.printed("V")}
PART = "DTEL_transfer_part"
SECONDS = {
    stream: dict(zip(TABLES["VII"]["columns"], row))
    for stream, row in TABLES["VII"]["rows"].items()
}
SHORTER, SHORTER_REAL = "the first 40 of 120 chunks", "the first 15,000 rows"
table = partial(Experiment.of_paper, "S1")


def counts_table(number: str, outcome: Outcome) -> Table:
    """Return the wins, ties and losses of DTEL by the rank-sum test, published and ours."""
    known = TABLES[number]["win_tie_loss_vs_DTEL"]
    rows = list(win_tie_loss(outcome.results, "DTEL"))
    return Table(
        {
            "against": [row["against"] for row in rows],
            "published": ["-".join(map(str, known[row["against"]])) for row in rows],
            "ours": [f"{row['win']}-{row['tie']}-{row['loss']}" for row in rows],
        }
    )


def rank_table(outcome: Outcome) -> Table:
    """Return mean ranks: as published, as computed from the published means, and ours.

    The ranks from published means are computed over all 19 streams, and over the streams that were
    run.
    """
    found = outcome.mean_ranks()
    recomputed, same = (
        average_ranks({name: [NUMBERS[stream][name] for stream in streams] for name in s1.LEARNERS})
        for streams in (NUMBERS, outcome.results)
    )
    known = dict(zip(s1.LEARNERS, TABLES["VI"]["rows"]["rank"]))
    return Table(
        {
            "learner": list(found),
            "printed": [known[name] for name in found],
            "from the printed means": [round(recomputed[name], 4) for name in found],
            f"of {len(outcome.results)} streams": [round(same[name], 4) for name in found],
            "ours": [round(rank, 4) for rank in found.values()],
        }
    )


def share_table(outcome: Outcome) -> Table:
    """Return the percentage of DTEL's time that is spent on transfers, for each stream."""
    streams = list(outcome.results)
    return Table(
        {
            "stream": streams,
            "published": [round(100 * SECONDS[s][PART] / SECONDS[s]["DTEL"], 1) for s in streams],
            "ours": [round(transfer_share(outcome, stream), 1) for stream in streams],
        }
    )


def accuracies(
    number: str, item: str, drawn: partial[Any], size: str, short: dict[str, Any], **fields: Any
) -> Iterator[Experiment]:
    """Yield a table of accuracies, and the figure of the same runs, each with its smaller version.

    Parameters
    ----------
    number, item : str
        The number of the table, and the name of the figure.
    drawn : callable
        Draws the figure.
    size, short
        How both are reduced, and the streams then.
    **fields
        The fields of both.
    """
    numbers = s1.printed(number)
    of_table: dict[str, Any] = {
        "further": {"chunk_std": s1.printed(number, "std")},
        "extras": {
            "DTEL's wins, ties and losses by the rank-sum test": partial(counts_table, number)
        },
    }
    for name, draw, more in ((f"table {number}", dots, of_table), (item, drawn, {})):
        full = table(name, numbers=numbers, figures={name: draw}, **more, **fields)
        yield full.with_quick(size, streams=short)


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
        s1.TWICE: DTELClassifier.as_published(s1.TransferTwice(), n_estimators=25),
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
FIGURE_4 = table(
    "figure 4",
    streams=ABRUPT_STREAMS,
    learners={f"DTEL {size}": DTELClassifier.as_published(n_estimators=size) for size in SIZES},
    figures={
        "figure 4": partial(
            sweeps,
            panels={
                "archive size": {
                    stream: {size: (stream, f"DTEL {size}") for size in SIZES} for stream in ABRUPT
                }
            },
            log=False,
        )
    },
).with_quick(SHORTER, streams=ABRUPT_SHORT)

OTHERS = {
    f"DTEL {measure.replace('_', ' ')}": DTELClassifier.as_published(
        n_estimators=25, diversity=measure
    )
    for measure in ("disagreement", "double_fault", "entropy")
}
FEWER = {
    f"DTEL {k} transfers": DTELClassifier.as_published(n_estimators=25, n_transfers=k)
    for k in (10, 5)
}
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
