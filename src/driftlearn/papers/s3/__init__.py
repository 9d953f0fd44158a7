"""S3: IBoost against AdaBoost on a window and online ensembles."""

from driftlearn.papers.s3._classes import COVERTYPE, ROT
from driftlearn.papers.s3._common import BATCH, LOGISTIC, STOCHASTIC, sea
from driftlearn.papers.s3._long import (
    FIGURE_5,
    FIGURE_6,
    NAIVE,
    STUMPS,
    WINDOW,
    figure_5,
    figure_6,
)
from driftlearn.papers.s3._noise import NOISE
from driftlearn.papers.s3._rivals import FIGURE_3, FIGURE_4, TABLE_4
from driftlearn.papers.s3._stumps import FIGURE_2, TABLE_2, table_2
from driftlearn.papers.s3._updates import TABLE_3, table_3

EXPERIMENTS = (
    TABLE_2,
    TABLE_3,
    TABLE_4,
    FIGURE_2,
    FIGURE_3,
    FIGURE_4,
    FIGURE_5,
    FIGURE_6,
    NOISE,
    ROT,
    COVERTYPE,
)

__all__ = [
    "BATCH",
    "COVERTYPE",
    "EXPERIMENTS",
    "FIGURE_2",
    "FIGURE_3",
    "FIGURE_4",
    "FIGURE_5",
    "FIGURE_6",
    "LOGISTIC",
    "NAIVE",
    "NOISE",
    "ROT",
    "STOCHASTIC",
    "STUMPS",
    "TABLE_2",
    "TABLE_3",
    "TABLE_4",
    "WINDOW",
    "figure_5",
    "figure_6",
    "sea",
    "table_2",
    "table_3",
]
