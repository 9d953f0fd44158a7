"""What the page says in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from driftlearn.bench.report._compare import LEAST_BLOCKS, LEAST_LEARNERS, Comparison
from driftlearn.bench.report._curves import repetitions, runs, spread
from driftlearn.evaluate import not_beating
from driftlearn.evaluate._repeat import AnyResult, Results

MOST_NAMES = 6


def title(key: str) -> str:
    """Return the heading of a metric on page and terminal: its name in Python, with blanks.

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
    """Say who is best where, by how much, and whether that is more than luck."""
    best = comparison.best
    if best is None:
        return "No learner has an accuracy: nobody could be tested on any chunk."
    if isinstance(result, Mapping):
        text = _of_streams(comparison)
    else:
        text = _of_one(result, comparison, result.stream if stream is None else stream)
    if comparison.left_out:
        text += f" {listed(comparison.left_out)} could not be compared: scores are missing."
    return " ".join([text.rstrip(), *_not_beating(result, stream)])


def _not_beating(result: AnyResult | Results, stream: str | None) -> list[str]:
    """Say who does not beat a baseline; of many streams, on which somebody does not."""
    if not isinstance(result, Mapping):
        return not_beating(result, stream)
    said = {name: not_beating(one, name) for name, one in result.items()}
    where = [name for name, each in said.items() if each]
    if sum(map(len, said.values())) > MOST_NAMES:
        return [f"Not all learners beat the baselines on {listed(where)}; see there."]
    return [sentence for each in said.values() for sentence in each]


def _of_one(result: AnyResult, comparison: Comparison, stream: str) -> str:
    names = list(comparison.ranks)
    best = names[0]
    row = result.summary(best)
    off, over = spread(result, row)
    deviation = "" if np.isnan(off) else f" ± {off:.4f} (standard deviation over {over})"
    text = f"with an accuracy of {row['accuracy']:.4f}{deviation}"
    stream = f"the stream {stream}"
    if len(names) == 1:
        return f"The learner {best} ran alone on {stream}, {text}. {same_rows(result)}"
    second = names[1]
    lead = row["accuracy"] - result.summary(second)["accuracy"]
    ahead = f"{lead:.4f} ahead of" if lead >= 0 else f"{-lead:.4f} behind, yet ranked above,"
    text = f"The learner {best} is best on {stream} {text}, {ahead} {second}. "
    return text + _counted(comparison) + _ranked(comparison) + same_rows(result)


def same_rows(result: AnyResult) -> str:
    """Say of a stream without randomness that its seeds are no repetitions."""
    n, several = len(repetitions(result)), len(runs(result))
    if n == several:
        return ""
    return f" All {several} seeds are over the same rows and count as {counted(n, 'repetition')}."


def _of_streams(comparison: Comparison) -> str:
    names = list(comparison.ranks)
    if len(names) == 1:
        return f"The learner {names[0]} ran alone on {len(comparison.blocks)} streams."
    first, second = (comparison.ranks[name] for name in names[:2])
    over = f"over {len(comparison.blocks)} streams"
    if first == second:
        both = f"The learners {names[0]} and {names[1]}"
        text = f"{both} share the best mean rank {over} ({first:.2f}). "
    else:
        text = (
            f"The learner {names[0]} has the best mean rank {over} ({first:.2f}), before "
            f"{names[1]} ({second:.2f}). "
        )
    won: dict[str, list[str]] = {}
    for i, stream in enumerate(comparison.blocks):
        top = max(values[i] for values in comparison.means.values())
        for name, values in comparison.means.items():
            if values[i] == top:
                won.setdefault(name, []).append(stream)
    order = sorted(won, key=lambda name: -len(won[name]))
    text += "Most accurate: " + "; ".join(f"{name} on {listed(won[name])}" for name in order)
    return text + ". " + _counted(comparison) + _ranked(comparison)


def _counted(comparison: Comparison) -> str:
    """Say against whom the best one's lead is significant."""
    if comparison.counts is None:
        return ""
    counts, n = comparison.counts.to_dicts(), len(comparison.blocks)
    test = "a rank-sum test over the chunks at 5 %"
    if n == 1:
        found: dict[str, list[str]] = {"win": [], "tie": [], "loss": []}
        for row in counts:
            found[next(word for word in found if row[word])].append(row["against"])
        said = {
            "win": "it is significantly better than",
            "tie": "it cannot be told from",
            "loss": "it is significantly worse than",
        }
        parts = [f"{said[word]} {listed(names)}" for word, names in found.items() if names]
        return f"By {test} {'; '.join(parts)}. "
    second = list(comparison.ranks)[1]
    row = next(row for row in counts if row["against"] == second)
    return (
        f"By {test} it beats {second} on {row['win']} of {n} {comparison.kind}, cannot be told "
        f"from it on {row['tie']} and loses on {row['loss']}. "
    )


def _ranked(comparison: Comparison) -> str:
    """Say what Friedman's and Nemenyi's tests find, or why they were not made."""
    ranking, names = comparison.ranking, list(comparison.ranks)
    if ranking is None:
        if len(comparison.blocks) == 1:
            return ""
        return (
            f"Ranks are tested with {LEAST_LEARNERS} learners and {LEAST_BLOCKS} "
            f"{comparison.kind} or more; here are {len(names)} and {len(comparison.blocks)}."
        )
    p = "p < 0.001" if ranking.p < 0.001 else f"p = {ranking.p:.3f}"
    over = f"over the {len(comparison.blocks)} {comparison.kind}"
    if ranking.p >= 0.05:
        return f"Friedman's test {over} finds no difference between the learners ({p})."
    gap = comparison.ranks[names[0]] + ranking.gap
    equal = [name for name in names[1:] if comparison.ranks[name] < gap]
    worse = [name for name in names[1:] if comparison.ranks[name] >= gap]
    parts = [f"{names[0]} is significantly better than {listed(worse)}"] if worse else []
    parts += [f"cannot be told from {listed(equal)}"] if equal else []
    if not worse:
        parts[0] = f"{names[0]} {parts[0]}"
    return f"Friedman's test {over} finds a difference ({p}); by Nemenyi's, {' and '.join(parts)}."


def subtitle(result: AnyResult | Results) -> str:
    """Say how much was run: rows, chunks, learners, classes, drifts, seeds."""
    if isinstance(result, Mapping):
        seeds = {len(runs(one)) for one in result.values()}
        learners = max(len(one.names) for one in result.values())
        many = f"{min(seeds)} to {max(seeds)}" if len(seeds) > 1 else f"{seeds.pop()}"
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
    """Say where the dashed lines stand."""
    if not len(drifts):
        return ""
    rows = listed([f"{drift:,}" for drift in drifts], most=12)
    if len(drifts) == 1:
        return f"Dashed vertical line: known drift at row {rows}. "
    return f"Dashed vertical lines: known drifts at rows {rows}. "
