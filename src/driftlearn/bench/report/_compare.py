"""Comparison of learners over streams or seeds, with tests of significance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from driftlearn.bench.report._curves import learners_of, repetitions
from driftlearn.bench.report._rank_diagram import indistinct
from driftlearn.evaluate import metrics, significance
from driftlearn.evaluate._repeat import AnyResult, Results, stacked
from driftlearn.utils.table import Table

#: The Friedman test needs three learners, and its chi-square approximation several blocks.
LEAST_LEARNERS = 3
LEAST_BLOCKS = 5


class Ranking(NamedTuple):
    """The Friedman test and the critical difference of the Nemenyi test over blocks."""

    p: float
    gap: float
    groups: list[tuple[int, int]]


class Comparison(NamedTuple):
    """Learners compared with each other.

    Attributes
    ----------
    kind : {"streams", "seeds", "stream"}
        What a block is: one of several streams, one of several seeds, or the only repetition.
    blocks : list of str
        The names of the streams, or the positions of the repetitions.
    means : dict of str to list of float
        The mean accuracy in each block, for each learner with a score in every block.
    left_out : list of str
        The learners without a score in some block.
    ranks : dict of str to float
        Mean ranks, the best first; in a single block, ranks by accuracy.
    counts : Table or None
        Wins, ties and losses of the best learner against each other one.
    ranking : Ranking or None
        The test of the ranks, if there are enough learners and blocks.
    """

    kind: str
    blocks: list[str]
    means: dict[str, list[float]]
    left_out: list[str]
    ranks: dict[str, float]
    counts: Table | None = None
    ranking: Ranking | None = None

    @property
    def best(self) -> str | None:
        """The learner with the best mean rank."""
        return next(iter(self.ranks), None)


def compare(result: AnyResult | Results, alpha: float = 0.05) -> Comparison:
    """Compare the learners over streams, over seeds, or over the chunks of one run."""
    if isinstance(result, Mapping):
        kind, blocks = "streams", {str(name): repetitions(one) for name, one in result.items()}
    else:
        found = repetitions(result)
        kind = "seeds" if len(found) > 1 else "stream"
        blocks = {str(i): [one] for i, one in enumerate(found)}
    # The accuracies of each learner in each block, shape (repetitions, chunks).
    scores = [
        {
            name: stacked([metrics.mean(stacked([run.scores(name) for run in same]), axis=0)
                           for same in block])
            for name in block[0][0].names
        }
        for block in blocks.values()
    ]  # fmt: skip
    means: dict[str, list[float]] = {}
    left_out = []
    for name in learners_of(result):
        values = [float(metrics.mean(np.atleast_1d(metrics.mean(block[name]))))
                  if name in block else np.nan for block in scores]  # fmt: skip
        if np.isnan(values).any():
            left_out.append(name)
        else:
            means[name] = values
    if len(means) < 2:
        return Comparison(kind, list(blocks), means, left_out, dict.fromkeys(means, 1.0))
    ranks = significance.average_ranks(means)
    order = sorted(means, key=lambda name: (ranks[name], -float(np.mean(means[name]))))
    ranks = {name: ranks[name] for name in order}
    compared = [{name: block[name] for name in means} for block in scores]
    counts = significance.win_tie_loss(compared, order[0], alpha=alpha)
    ranking = None
    if len(means) >= LEAST_LEARNERS and len(blocks) >= LEAST_BLOCKS:
        gap = significance.nemenyi(len(means), len(blocks), alpha)
        ranking = Ranking(
            significance.friedman(means).p, gap, indistinct(list(ranks.values()), gap)
        )
    return Comparison(kind, list(blocks), means, left_out, ranks, counts, ranking)
