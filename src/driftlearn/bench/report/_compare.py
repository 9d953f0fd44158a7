"""Who is better than whom, and is it more than luck: what the page says on significance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from driftlearn.bench.report._critical_difference import indistinct
from driftlearn.bench.report._curves import learners_of, repetitions
from driftlearn.evaluate import metrics, significance
from driftlearn.evaluate._repeat import AnyResult, Results, stacked
from driftlearn.evaluate._result import Result
from driftlearn.utils.table import Table
from driftlearn.utils.typing import Floats

#: Friedman's test needs three learners, and its chi-square means little for a few blocks.
LEAST_LEARNERS = 3
LEAST_BLOCKS = 5


class Ranking(NamedTuple):
    """Friedman's test and Nemenyi's critical difference over blocks."""

    p: float
    gap: float
    groups: list[tuple[int, int]]


class Comparison(NamedTuple):
    """The learners of a page beside each other.

    Attributes
    ----------
    kind : {"streams", "seeds", "stream"}
        What a block is: a stream of several, a seed of several, or the one repetition there is.
    blocks : list of str
        The names of the streams, or the positions of the repetitions.
    means : dict of str to list of float
        For each learner that has a score in every block, its mean accuracy in each.
    left_out : list of str
        The learners that lack a score somewhere.
    ranks : dict of str to float
        Mean ranks, the best first; ranked by accuracy where there is one block.
    counts : Table or None
        Wins, ties and losses of the best against each other one.
    ranking : Ranking or None
        The test of the ranks, where there are enough learners and blocks for one.
    """

    kind: str
    blocks: list[str]
    means: dict[str, list[float]]
    left_out: list[str]
    ranks: dict[str, float]
    counts: Table | None
    ranking: Ranking | None

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
    scores = [
        {name: _scores(block, name) for name in block[0][0].names} for block in blocks.values()
    ]
    means: dict[str, list[float]] = {}
    left_out = []
    for name in learners_of(result):
        values = [_mean(block[name]) if name in block else np.nan for block in scores]
        if np.isnan(values).any():
            left_out.append(name)
        else:
            means[name] = values
    if len(means) < 2:
        return Comparison(
            kind, list(blocks), means, left_out, dict.fromkeys(means, 1.0), None, None
        )
    ranks = significance.average_ranks(means)
    order = sorted(means, key=lambda name: (ranks[name], -float(np.mean(means[name]))))
    ranks = {name: ranks[name] for name in order}
    kept = [{name: block[name] for name in means} for block in scores]
    counts = significance.win_tie_loss(kept, order[0], alpha=alpha)
    ranking = None
    if len(means) >= LEAST_LEARNERS and len(blocks) >= LEAST_BLOCKS:
        gap = significance.nemenyi(len(means), len(blocks), alpha)
        ranking = Ranking(
            significance.friedman(means).p, gap, indistinct(list(ranks.values()), gap)
        )
    return Comparison(kind, list(blocks), means, left_out, ranks, counts, ranking)


def _scores(block: list[list[Result]], name: str) -> Floats:
    """Return a learner's accuracies, shape (repetitions, chunks)."""
    means = [metrics.mean(stacked([run.scores(name) for run in same]), axis=0) for same in block]
    return stacked(means)


def _mean(scores: Floats) -> float:
    """Return the mean over repetitions of the mean over chunks, as the summary has it."""
    return float(metrics.mean(np.atleast_1d(metrics.mean(scores))))
