"""Comparison of learners over streams or seeds: significance tests and summary in words."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from driftlearn.bench.report import _curves
from driftlearn.bench.report._curves import repetitions, runs
from driftlearn.evaluate import metrics, not_beating, significance
from driftlearn.evaluate._repeat import AnyResult, Results, stacked
from driftlearn.utils.table import Table

#: The Friedman test needs three learners; its chi-square approximation needs several blocks.
LEAST_LEARNERS = 3
LEAST_BLOCKS = 5
MOST_NAMES = 6
TEST = "a rank-sum test over the chunks at 5 %"


class Ranking(NamedTuple):
    """Friedman test and critical difference of the Nemenyi test over blocks."""

    p: float
    gap: float


class Comparison(NamedTuple):
    """Comparison of learners over blocks (streams or seeds).

    Attributes
    ----------
    kind : {"streams", "seeds", "stream"}
        Kind of the blocks: several streams, several seeds of one stream, or a single run of one
        stream.
    blocks : list of str
        Names of the streams, or positions of the repetitions.
    means : dict of str to list of float
        Mean accuracy in each block, for each learner with a score in every block.
    left_out : list of str
        Learners without a score in some block.
    ranks : dict of str to float
        Mean ranks, best first; with a single block, ranks by accuracy.
    counts : Table or None
        Wins, ties and losses of the best learner against each other learner; None for one block.
    ranking : Ranking or None
        Test of the ranks; None if there are too few learners or blocks.
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
    """Compare learners over streams, over seeds, or over the chunks of one run."""
    if isinstance(result, Mapping):
        kind, blocks = "streams", {str(name): repetitions(one) for name, one in result.items()}
    else:
        found = repetitions(result)
        kind = "seeds" if len(found) > 1 else "stream"
        blocks = {str(i): [one] for i, one in enumerate(found)}
    # accuracies of each learner in each block, of shape (repetitions, chunks)
    scores = [
        {
            name: stacked([metrics.mean(stacked([run.scores(name) for run in same]), axis=0)
                           for same in block])
            for name in block[0][0].names
        }
        for block in blocks.values()
    ]  # fmt: skip
    every = {
        name: [float(metrics.mean(np.atleast_1d(metrics.mean(block[name]))))
               if name in block else np.nan for block in scores]
        for name in _curves.learners_of(result)
    }  # fmt: skip
    means = {name: values for name, values in every.items() if not np.isnan(values).any()}
    left_out = [name for name in every if name not in means]
    if len(means) < 2:
        return Comparison(kind, list(blocks), means, left_out, dict.fromkeys(means, 1.0))
    unsorted = significance.average_ranks(means)
    order = sorted(means, key=lambda name: (unsorted[name], -float(np.mean(means[name]))))
    ranks = {name: unsorted[name] for name in order}
    compared = [{name: block[name] for name in means} for block in scores]
    # The chunks of one run are not independent, so they cannot show that a lead is significant.
    counts = significance.win_tie_loss(compared, order[0], alpha=alpha) if len(blocks) > 1 else None
    ranking = None
    if len(means) >= LEAST_LEARNERS and len(blocks) >= LEAST_BLOCKS:
        gap = significance.nemenyi(len(means), len(blocks), alpha)
        ranking = Ranking(significance.friedman(means).p, gap)
    return Comparison(kind, list(blocks), means, left_out, ranks, counts, ranking)


def listed(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Join names for use in a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], most=2)
    ('a, b and c', 'a, b and 2 others')
    """
    names = [str(name) for name in names]
    if len(names) > most + 1:
        names = [*names[:most], f"{len(names) - most} others"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def summary(result: AnyResult | Results, comparison: Comparison, stream: str | None = None) -> str:
    """Return a summary in words: best learner, its lead, and whether the lead is significant."""
    if comparison.best is None:
        return "There are no accuracies, because no rows were tested."
    if isinstance(result, Mapping):
        text = _of_streams(comparison)
        found = {name: not_beating(one, name) for name, one in result.items()}
        worse = [sentence for sentences in found.values() for sentence in sentences]
        if len(worse) > MOST_NAMES:
            where = listed([name for name, sentences in found.items() if sentences])
            worse = [f"Some learners do not beat the baselines on {where}; see these streams."]
    else:
        text = _of_one(result, comparison, result.stream if stream is None else stream)
        worse = not_beating(result, stream)
    if comparison.left_out:
        text += f" {listed(comparison.left_out)} could not be compared, because scores are missing."
    return " ".join([text.rstrip(), *worse])


def _of_one(result: AnyResult, comparison: Comparison, stream: str) -> str:
    best, *others = comparison.ranks
    row = result.summary(best)
    off, over = _curves.accuracy_deviation(result, row)
    deviation = "" if np.isnan(off) else f" ± {off:.4f} (standard deviation over {over})"
    text = f"with an accuracy of {row['accuracy']:.4f}{deviation}"
    n, n_seeds, same_rows = len(repetitions(result)), len(runs(result)), ""
    if n < n_seeds:
        as_few = counted(n, "repetition")
        same_rows = f" All {n_seeds} seeds are over the same rows and count as {as_few}."
    if not others:
        return f"Only the learner {best} was run on the stream {stream}, {text}. {same_rows}"
    lead = row["accuracy"] - result.summary(others[0])["accuracy"]
    ahead = f"{lead:.4f} ahead of" if lead >= 0 else f"{-lead:.4f} behind, yet ranked above,"
    text = f"The learner {best} is best on the stream {stream} {text}, {ahead} {others[0]}. "
    return text + _counted(comparison) + _ranked(comparison) + same_rows


def _of_streams(comparison: Comparison) -> str:
    names, over = list(comparison.ranks), f"{len(comparison.blocks)} streams"
    if len(names) == 1:
        return f"Only the learner {names[0]} was run, on {over}."
    first, second = (comparison.ranks[name] for name in names[:2])
    text = (
        f"The learner {names[0]} has the best mean rank over {over} ({first:.2f}), followed by "
        f"{names[1]} ({second:.2f}). "
    )
    if first == second:
        both = f"The learners {names[0]} and {names[1]}"
        text = f"{both} share the best mean rank over {over} ({first:.2f}). "
    won: dict[str, list[str]] = {}
    for k, stream in enumerate(comparison.blocks):
        best = max(means[k] for means in comparison.means.values())
        for name, means in comparison.means.items():
            if means[k] == best:
                won.setdefault(name, []).append(stream)
    order = sorted(won, key=lambda name: -len(won[name]))
    text += "Most accurate: " + "; ".join(f"{name} on {listed(won[name])}" for name in order)
    return text + ". " + _counted(comparison) + _ranked(comparison)


def _counted(comparison: Comparison) -> str:
    """Return a sentence on how often the best learner beats the second."""
    if comparison.counts is None:
        return "One run cannot show whether the lead is significant; use several seeds. "
    counts, n = comparison.counts.to_dicts(), len(comparison.blocks)
    second = list(comparison.ranks)[1]
    row = next(row for row in counts if row["against"] == second)
    return (
        f"By {TEST}, it beats {second} on {row['win']} of {n} {comparison.kind}, does not differ "
        f"on {row['tie']} and loses on {row['loss']}. "
    )


def _ranked(comparison: Comparison) -> str:
    """Return a sentence on the Friedman and Nemenyi tests, or on why they were not applied."""
    ranking, (best, *others) = comparison.ranking, comparison.ranks
    blocks = f"{len(comparison.blocks)} {comparison.kind}"
    if ranking is None:
        if len(comparison.blocks) == 1:
            return ""
        needs = f"{LEAST_LEARNERS} learners and {LEAST_BLOCKS} {comparison.kind}"
        here = f"{len(others) + 1} and {len(comparison.blocks)}"
        return f"The rank tests require at least {needs}. There are {here}."
    p = "p < 0.001" if ranking.p < 0.001 else f"p = {ranking.p:.3f}"
    test = f"The Friedman test over the {blocks} finds"
    if ranking.p >= 0.05:
        return f"{test} no difference between the learners ({p})."
    limit = comparison.ranks[best] + ranking.gap
    groups = {
        "is significantly better than": [n for n in others if comparison.ranks[n] >= limit],
        "does not differ significantly from": [n for n in others if comparison.ranks[n] < limit],
    }
    parts = [f"{verb} {listed(names)}" for verb, names in groups.items() if names]
    return f"{test} a difference ({p}); by the Nemenyi test, {best} {' and '.join(parts)}."


def subtitle(result: AnyResult | Results) -> str:
    """Return the size of an evaluation: rows, chunks, learners, classes, drifts, seeds."""
    if isinstance(result, Mapping):
        seeds = sorted({len(runs(one)) for one in result.values()})
        learners = max(len(one.names) for one in result.values())
        many = f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"{seeds[0]}"
        return f"{counted(len(result), 'stream')}, {counted(learners, 'learner')}, seeds: {many}."
    rows = _curves.longest_rows(result)
    counts = {"learner": len(result.names), "class": len(result.classes)}
    counts |= {"known drift": len(result.drifts)} if result.drifts else {}
    counts |= {"seed": len(runs(result))} if len(runs(result)) > 1 else {}
    size = f"{counted(int(rows[-1]), 'row')} in {counted(len(rows), 'chunk')}"
    return ", ".join([size, *(counted(n, thing) for thing, n in counts.items())]) + "."


def counted(n: int, thing: str) -> str:
    """Return a number with a noun in singular or plural.

    Examples
    --------
    >>> counted(1, "class"), counted(2000, "class"), counted(2, "seed")
    ('1 class', '2,000 classes', '2 seeds')
    """
    plural = "es" if thing.endswith("s") else "s"
    return f"{n:,} {thing}{'' if n == 1 else plural}"


def drift_note(drifts: Sequence[int]) -> str:
    """Return a sentence that explains the dashed drift lines."""
    if not len(drifts):
        return ""
    rows, s = listed([f"{drift:,}" for drift in drifts], most=12), "s" * (len(drifts) > 1)
    return f"Dashed vertical line{s}: known drift{s} at row{s} {rows}. "
