"""Sentences on a page of results: who is best, by how much, and how much was run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from driftlearn.bench.report._compare import LEAST_BLOCKS, LEAST_LEARNERS, Comparison
from driftlearn.bench.report._curves import accuracy_deviation, repetitions, runs
from driftlearn.evaluate import not_beating
from driftlearn.evaluate._repeat import AnyResult, Results

MOST_NAMES = 6
TEST = "a rank-sum test over the chunks at 5 %"


def title(key: str) -> str:
    """Return the heading of a metric: its Python name with blanks.

    Examples
    --------
    >>> title("balanced_accuracy")
    'balanced accuracy'
    """
    return key.replace("_", " ")


def listed(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Join names for a sentence.

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
    """Return which learner is best where, by how much, and whether that is significant."""
    if comparison.best is None:
        return "No learner has an accuracy: no row was tested."
    if isinstance(result, Mapping):
        text = _of_streams(comparison)
    else:
        text = _of_one(result, comparison, result.stream if stream is None else stream)
    if comparison.left_out:
        text += f" {listed(comparison.left_out)} could not be compared: scores are missing."
    return " ".join([text.rstrip(), *_not_beating(result, stream)])


def _not_beating(result: AnyResult | Results, stream: str | None) -> list[str]:
    """Return which learners do not beat a baseline; if they are many, on which streams."""
    if not isinstance(result, Mapping):
        return not_beating(result, stream)
    sentences = {name: not_beating(one, name) for name, one in result.items()}
    if sum(map(len, sentences.values())) > MOST_NAMES:
        where = [name for name, each in sentences.items() if each]
        return [f"Some learners do not beat the baselines on {listed(where)}; see there."]
    return [sentence for each in sentences.values() for sentence in each]


def _of_one(result: AnyResult, comparison: Comparison, stream: str) -> str:
    best, *others = comparison.ranks
    row = result.summary(best)
    off, over = accuracy_deviation(result, row)
    deviation = "" if np.isnan(off) else f" ± {off:.4f} (standard deviation over {over})"
    text = f"with an accuracy of {row['accuracy']:.4f}{deviation}"
    if not others:
        return f"The learner {best} ran alone on the stream {stream}, {text}. {same_rows(result)}"
    lead = row["accuracy"] - result.summary(others[0])["accuracy"]
    ahead = f"{lead:.4f} ahead of" if lead >= 0 else f"{-lead:.4f} behind, yet ranked above,"
    text = f"The learner {best} is best on the stream {stream} {text}, {ahead} {others[0]}. "
    return text + _counted(comparison) + _ranked(comparison) + same_rows(result)


def same_rows(result: AnyResult) -> str:
    """Return a warning if seeds are no independent repetitions because the rows are the same."""
    n, several = len(repetitions(result)), len(runs(result))
    if n == several:
        return ""
    return f" All {several} seeds are over the same rows and count as {counted(n, 'repetition')}."


def _of_streams(comparison: Comparison) -> str:
    names, over = list(comparison.ranks), f"{len(comparison.blocks)} streams"
    if len(names) == 1:
        return f"The learner {names[0]} ran alone on {over}."
    first, second = (comparison.ranks[name] for name in names[:2])
    if first == second:
        both = f"The learners {names[0]} and {names[1]}"
        text = f"{both} share the best mean rank over {over} ({first:.2f}). "
    else:
        text = (
            f"The learner {names[0]} has the best mean rank over {over} ({first:.2f}), before "
            f"{names[1]} ({second:.2f}). "
        )
    won: dict[str, list[str]] = {}
    for stream, values in zip(comparison.blocks, zip(*comparison.means.values())):
        for name, value in zip(comparison.means, values):
            if value == max(values):
                won.setdefault(name, []).append(stream)
    order = sorted(won, key=lambda name: -len(won[name]))
    text += "Most accurate: " + "; ".join(f"{name} on {listed(won[name])}" for name in order)
    return text + ". " + _counted(comparison) + _ranked(comparison)


def _counted(comparison: Comparison) -> str:
    """Return from which learners the best one differs significantly."""
    if comparison.counts is None:
        return ""
    counts, n = comparison.counts.to_dicts(), len(comparison.blocks)
    if n == 1:
        verdicts = {
            "win": "it is significantly better than",
            "tie": "it does not differ significantly from",
            "loss": "it is significantly worse than",
        }
        found = {word: [row["against"] for row in counts if row[word]] for word in verdicts}
        parts = [f"{verdicts[word]} {listed(names)}" for word, names in found.items() if names]
        return f"By {TEST}, {'; '.join(parts)}. "
    second = list(comparison.ranks)[1]
    row = next(row for row in counts if row["against"] == second)
    return (
        f"By {TEST}, it beats {second} on {row['win']} of {n} {comparison.kind}, does not differ "
        f"on {row['tie']} and loses on {row['loss']}. "
    )


def _ranked(comparison: Comparison) -> str:
    """Return the outcome of the Friedman and Nemenyi tests, or why they were not made."""
    ranking, (best, *others) = comparison.ranking, comparison.ranks
    blocks = f"{len(comparison.blocks)} {comparison.kind}"
    if ranking is None:
        if len(comparison.blocks) == 1:
            return ""
        return (
            f"Testing ranks needs at least {LEAST_LEARNERS} learners and {LEAST_BLOCKS} "
            f"{comparison.kind}; here are {len(others) + 1} and {len(comparison.blocks)}."
        )
    p = "p < 0.001" if ranking.p < 0.001 else f"p = {ranking.p:.3f}"
    if ranking.p >= 0.05:
        return (
            f"The Friedman test over the {blocks} finds no difference between the learners ({p})."
        )
    limit = comparison.ranks[best] + ranking.gap
    worse = [name for name in others if comparison.ranks[name] >= limit]
    equal = [name for name in others if comparison.ranks[name] < limit]
    parts = [f"is significantly better than {listed(worse)}"] if worse else []
    parts += [f"does not differ significantly from {listed(equal)}"] if equal else []
    return (
        f"The Friedman test over the {blocks} finds a difference ({p}); by the Nemenyi test, "
        f"{best} {' and '.join(parts)}."
    )


def subtitle(result: AnyResult | Results) -> str:
    """Return how much was run: rows, chunks, learners, classes, drifts, seeds."""
    if isinstance(result, Mapping):
        seeds = sorted({len(runs(one)) for one in result.values()})
        learners = max(len(one.names) for one in result.values())
        many = f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"{seeds[0]}"
        return f"{counted(len(result), 'stream')}, {counted(learners, 'learner')}, seeds: {many}."
    rows = max((result.rows(name) for name in result.names), key=len)
    parts = [f"{counted(int(rows[-1]), 'row')} in {counted(len(rows), 'chunk')}"]
    parts += [counted(len(result.names), "learner"), counted(len(result.classes), "class")]
    if result.drifts:
        parts.append(counted(len(result.drifts), "known drift"))
    if len(runs(result)) > 1:
        parts.append(counted(len(runs(result)), "seed"))
    return ", ".join(parts) + "."


def counted(n: int, thing: str) -> str:
    """Return a number and a noun.

    Examples
    --------
    >>> counted(1, "class"), counted(2000, "class"), counted(2, "seed")
    ('1 class', '2,000 classes', '2 seeds')
    """
    plural = "es" if thing.endswith("s") else "s"
    return f"{n:,} {thing}{'' if n == 1 else plural}"


def drift_note(drifts: Sequence[int]) -> str:
    """Return what the dashed lines are."""
    if not len(drifts):
        return ""
    rows = listed([f"{drift:,}" for drift in drifts], most=12)
    if len(drifts) == 1:
        return f"Dashed vertical line: known drift at row {rows}. "
    return f"Dashed vertical lines: known drifts at rows {rows}. "
