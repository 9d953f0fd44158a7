"""Table V and Figure 3: real streams."""

from dataclasses import replace
from functools import partial

from driftlearn.bench.papers.drawing.accuracy_along_streams import courses
from driftlearn.bench.papers.drawing.published_beside_ours import dots
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.s1 import claims
from driftlearn.bench.papers.s1.streams_and_learners import (
    BY_CHUNK,
    CTR_NOTE,
    LEARNERS,
    OTHER_READINGS,
    POKER_NOTE,
    REAL_STREAMS,
    SHORT_REAL,
    counts_table,
    printed,
)
from driftlearn.evaluate._protocols import prequential

QUICK = "the first 15,000 rows"

TABLE_V = Experiment(
    paper="S1",
    item="table V",
    title="accuracy on real streams, test then train in chunks of 1,000",
    streams=REAL_STREAMS,
    learners=LEARNERS,
    protocol=prequential,
    options=BY_CHUNK,
    numbers=printed("V"),
    claims=claims.TABLE_V,
    notes={"PokerHand": POKER_NOTE, "CTRPrediction": CTR_NOTE},
    further={"chunk_std": printed("V", "std")},
    extras={"DTEL's wins, ties and losses by the rank-sum test": partial(counts_table, "V")},
    figures={"table V": dots},
    alternatives=OTHER_READINGS,
).with_quick(QUICK, streams=SHORT_REAL)

FIGURE_3 = replace(
    TABLE_V,
    item="figure 3",
    title="accuracy over the chunks of real streams",
    claims=claims.FIGURE_3,
    further={},
    extras={},
    figures={"figure 3": partial(courses, over="chunk")},
).with_quick(QUICK, streams=SHORT_REAL)
