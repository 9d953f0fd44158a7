"""Gaussian classes of which one is rare, Learn++.UDNC, and the printed numbers."""

from typing import Any

import numpy as np

from driftlearn import LearnPPUDNCClassifier, MLPGoalClassifier
from driftlearn.bench.papers.outcome import Outcome, table_of
from driftlearn.bench.papers.paper import published
from driftlearn.evaluate.metrics import std
from driftlearn.streams._data_set_generators import GaussianClasses
from driftlearn.utils.table import Table

UDNC, PLAIN, FILLED = "Learn++.UDNC", "Learn++.UDNC, no transfer", "Learn++.UDNC with SMOTE"
MLP_A = MLPGoalClassifier.network_a(hidden_layer_size=20)
MLP_B = MLPGoalClassifier.network_b()
GAUSSIAN = ("experiment 1", "experiment 2")
SETS = ("D1", "D2", "D3", "D4")
IMBALANCE = ("1:50", "1:100")


def udnc(base: Any, n_per_chunk: int) -> dict[str, Any]:
    """Return Learn++.UDNC with and without its transfer function."""
    return {
        UDNC: LearnPPUDNCClassifier.as_published(base, n_per_chunk),
        PLAIN: LearnPPUDNCClassifier.as_published(base, n_per_chunk, transfer=None),
    }


def printed(number: str) -> dict[str, np.ndarray]:
    """Return the printed numbers of a table by learner: a row after each data set."""
    rows = published()["S4"]["tables"][number]["rows"]
    return {
        learner: np.array([[*row["recall"], row["overall"], row["overall_ci"]]
                           for row in cells.values()])
        for learner, cells in rows.items()
    }  # fmt: skip


def rare(n_rare: int, seed: int) -> GaussianClasses:
    """Return four data sets of the four Gaussian classes, of which class 1 is rare in all."""
    return GaussianClasses(((n_rare, 500, 500, 500),) * 4, random_state=seed)


def spread_table(outcome: Outcome) -> Table:
    """Return the standard deviation of the recall of each class, printed and over our seeds."""
    rows: list[tuple[Any, ...]] = []
    tests = outcome.experiment.tests
    for (stream, result), number in zip(outcome.results.items(), "23"):
        known = published()["S4"]["tables"][number]["rows"]
        for learner in result.names:
            ours = 100 * std(result.recalls(learner), axis=0)
            for k, test in enumerate(tests):
                if learner in known:
                    printed = np.array(known[learner][test]["ci"], dtype=float)
                    rows.append((stream, learner, test, "published", *printed.tolist()))
                rows.append((stream, learner, test, "ours", *ours[k].round(2).tolist()))
    names = ("stream", "learner", "after", "figures", "1", "2", "3", "4")
    return table_of(names, rows)
