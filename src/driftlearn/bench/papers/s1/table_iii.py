"""Table III and Figure 2: fifteen synthetic streams."""

from dataclasses import replace
from functools import partial

from driftlearn.bench.papers.drawing.accuracy_along_streams import courses
from driftlearn.bench.papers.drawing.published_beside_ours import dots
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.s1 import claims
from driftlearn.bench.papers.s1.streams_and_learners import (
    LEARNERS,
    NSE_NOTE,
    OTHER_LEARNERS,
    OTHER_STREAMS,
    ROT_NOTE,
    SHORT_SYNTHETIC,
    SYNTHETIC_STREAMS,
    counts_table,
    printed,
)

TABLE_III = Experiment(
    paper="S1",
    item="table III",
    title="accuracy on fifteen synthetic streams, train and test chunk from the same concept",
    streams=SYNTHETIC_STREAMS,
    learners=LEARNERS,
    numbers=printed("III"),
    claims=claims.TABLE_III,
    notes={"Learn++.NSE": NSE_NOTE, "ROT": ROT_NOTE},
    further={"chunk_std": printed("III", "std")},
    extras={"DTEL's wins, ties and losses by the rank-sum test": partial(counts_table, "III")},
    figures={"table III": dots},
    alternatives={**OTHER_LEARNERS, **OTHER_STREAMS},
).with_quick("the first 40 of 120 chunks", streams=SHORT_SYNTHETIC)

FIGURE_2 = replace(
    TABLE_III,
    item="figure 2",
    title="accuracy over the chunks of fifteen synthetic streams",
    claims=claims.FIGURE_2,
    further={},
    extras={},
    figures={"figure 2": partial(courses, columns=3, over="chunk")},
).with_quick("the first 40 of 120 chunks", streams=SHORT_SYNTHETIC)
