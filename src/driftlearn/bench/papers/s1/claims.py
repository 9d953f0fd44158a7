"""Checks of the claims about DTEL and other learners on synthetic and real streams.

The claims are in ``paper.json``, which names the check of each; `driftlearn.bench.papers.claim`
derives the verdicts.
"""

import itertools
from collections.abc import Mapping
from operator import itemgetter

import numpy as np

from driftlearn.bench.papers.claim import Evidence, all_within, gaps, listed, on_each
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.papers.s1.streams_and_learners import LEARNERS, TWICE, printed
from driftlearn.evaluate.significance import friedman, nemenyi, rank_sum, win_tie_loss

OTHERS = tuple(name for name in LEARNERS if name != "DTEL")
Streams = tuple[str, ...]


def spreads(outcome: Outcome, stream: str) -> dict[str, float]:
    """Return the standard deviation over chunks of each learner."""
    return {name: outcome.value(stream, name, "chunk_std") for name in LEARNERS}


def near_print(outcome: Outcome, streams: Streams) -> Evidence:
    """Check whether three learners are within 1.5 points of the published values on each stream."""
    means = printed("III")
    found = {
        f"{name} on {stream}": outcome.accuracy(stream, name) - means[stream][name]
        for name in ("DTEL", "SEA", "TIX")
        for stream in streams
    }
    return all_within(found, 1.5)


def counted(found: list[str], name: str, least: float) -> Evidence:
    """Check whether a learner occurs in a list more than `least` times."""
    count = found.count(name)
    return {"streams": count - least}, f"{count} of {len(found)}"


def best_on_nine(outcome: Outcome) -> Evidence:
    """Check whether DTEL has the best mean, to the published precision, on nine streams or more."""
    means = np.round([outcome.accuracies(name) for name in LEARNERS], 1)
    wins = int((means[0] >= means.max(axis=0)).sum())
    return {"streams": wins - 8.5}, f"{wins} of {means.shape[1]}"


def wins_by_rank_sum(outcome: Outcome) -> Evidence:
    """Check whether DTEL has more wins than losses against each other learner (rank-sum test)."""
    rows = list(win_tie_loss(outcome.results, "DTEL"))
    figure = ", ".join(f"{r['against']} {r['win']}-{r['tie']}-{r['loss']}" for r in rows)
    return {str(row["against"]): row["win"] - row["loss"] - 0.5 for row in rows}, figure


def steady(outcome: Outcome, streams: Streams) -> Evidence:
    """Check whether DTEL is equally accurate with abrupt and with gradual drift."""
    level = {stream: outcome.accuracy(stream, "DTEL") for stream in streams}
    found = {kind: level[f"{kind}200A"] - level[f"{kind}200G"] for kind in ("SEA", "CIR", "SIN")}
    return all_within(found, 1.0)


def extreme(
    outcome: Outcome, streams: Streams, learner: str, end: str, metric: str, everywhere: bool = True
) -> Evidence:
    """Check whether a learner has the smallest or largest value of a metric on the streams.

    This is required on all streams, or on more than half of them.
    """
    choose = {"smallest": min, "largest": max}[end]
    found = [choose(LEARNERS, key=lambda name: outcome.value(s, name, metric)) for s in streams]
    return counted(found, learner, len(streams) - 0.5 if everywhere else len(streams) / 2)


def tix_on_sta(outcome: Outcome, streams: Streams) -> Evidence:
    """Check whether TIX is as accurate as DTEL on these streams (nominal features)."""
    found = {s: outcome.accuracy(s, "TIX") - outcome.accuracy(s, "DTEL") for s in streams}
    return gaps(found, 0.5)[0], f"TIX - DTEL at least {min(found.values()):+.2f}"


def order_on_rot(outcome: Outcome, stream: str) -> Evidence:
    """Check whether the learners are ordered by accuracy as published on a stream."""
    order = ("DTEL", "TIX", "Learn++.NSE", "AUE2", "SEA")
    values = {name: outcome.accuracy(stream, name) for name in order}
    margins = {f"{a} above {b}": values[a] - values[b] for a, b in itertools.pairwise(order)}
    return margins, listed(values, ".1f").replace(",", " >")


def best_share(
    outcome: Outcome, stream: str, least: float, others: tuple[str, ...] = OTHERS
) -> Evidence:
    """Check whether DTEL is at least as accurate as `others` on a share of the chunks."""
    result = outcome.results[stream]
    own = result.scores("DTEL")
    rivals = np.max([result.scores(name) for name in others], axis=0)
    known = ~np.isnan(own)
    share = float((own[known] >= rivals[known]).mean())
    return {"share of chunks": share - least}, f"{share:.2f}"


def best_in_chunks(outcome: Outcome, streams: Streams, least: float) -> Evidence:
    """Check whether DTEL is the best on a share of the chunks of each stream."""
    found = {stream: best_share(outcome, stream, least) for stream in streams}
    margins = {stream: parts["share of chunks"] for stream, (parts, _) in found.items()}
    return margins, ", ".join(f"{stream} {figure}" for stream, (_, figure) in found.items())


@on_each
def unmoved(outcome: Outcome, stream: str) -> Evidence:
    """Check whether DTEL loses less accuracy than AUE2 in the chunk after a change."""
    dtel, aue2 = (_loss(outcome, stream, name) for name in ("DTEL", "AUE2"))
    return {"": aue2 - dtel}, f"DTEL loses {dtel:.1f} points, AUE2 {aue2:.1f}"


def _loss(outcome: Outcome, stream: str, name: str) -> float:
    """Return the mean loss of accuracy in the chunk after a change, in points."""
    result = outcome.results[stream]
    scores, stops = result.scores(name).mean(axis=0), result.rows(name)
    first = np.searchsorted(stops, result.drifts, side="right")
    losses = [scores[k - 5 : k].mean() - scores[k] for k in first[first < len(stops)]]
    return 100 * float(np.mean(losses))


@on_each
def two_steady_three_not(outcome: Outcome, stream: str) -> Evidence:
    """Check whether DTEL and TIX have less than half the standard deviation of the others."""
    values = spreads(outcome, stream)
    others = min(values[name] for name in ("SEA", "AUE2", "Learn++.NSE"))
    return {"": others / 2 - max(values["DTEL"], values["TIX"])}, listed(values, ".1f")


def best_by(outcome: Outcome, stream: str, learner: str, points: float) -> Evidence:
    """Check whether a learner leads each other learner on a stream by a number of points."""
    values = {name: outcome.accuracy(stream, name) for name in LEARNERS}
    own = values.pop(learner)
    figure = f"{learner} {own:.2f}, next {max(values.values()):.2f}"
    return {name: own - value - points for name, value in values.items()}, figure


def steadier(outcome: Outcome, stream: str, learner: str, other: str) -> Evidence:
    """Check whether a learner has a smaller standard deviation over chunks than `other`."""
    values = {name: outcome.value(stream, name, "chunk_std") for name in (learner, other)}
    return {other: values[other] - values[learner]}, listed(values)


def no_difference(outcome: Outcome, stream: str) -> Evidence:
    """Check whether the rank-sum test finds no difference between DTEL and the other learners."""
    result = outcome.results[stream].results[0]
    found = {name: rank_sum(result.scores("DTEL"), result.scores(name)) for name in OTHERS}
    margins = {name: 0.5 if each == "tie" else -0.5 for name, each in found.items()}
    return margins, ", ".join(f"{name} {each}" for name, each in found.items())


def steadiest_on_covertype(outcome: Outcome, stream: str) -> Evidence:
    """Check whether DTEL has the smallest standard deviation and SEA the largest."""
    return _at_the_ends(spreads(outcome, stream), ".1f")


def first(outcome: Outcome) -> Evidence:
    """Check whether DTEL has the best mean rank and SEA the worst."""
    return _at_the_ends(outcome.mean_ranks(), ".2f")


def _at_the_ends(values: Mapping[str, float], form: str) -> Evidence:
    """Check whether DTEL has the smallest value and SEA the largest."""
    middle = [value for name, value in values.items() if name not in ("DTEL", "SEA")]
    margins = {"DTEL": min(middle) - values["DTEL"], "SEA": values["SEA"] - max(middle)}
    return margins, listed(dict(sorted(values.items(), key=itemgetter(1))), form)


def differ(outcome: Outcome) -> Evidence:
    """Check whether the Friedman test finds a difference."""
    test = friedman({name: outcome.accuracies(name) for name in LEARNERS})
    return {"5 % - p": 0.05 - test.p}, f"chi2 = {test.chi2:.2f}, p = {test.p:.1e}"


def better_than_each(outcome: Outcome) -> Evidence:
    """Check whether DTEL leads all other mean ranks by the critical difference."""
    found = outcome.mean_ranks()
    gap = nemenyi(len(found), len(outcome.results))
    nearest = min(rank for name, rank in found.items() if name != "DTEL") - found["DTEL"]
    return {"ranks": nearest - gap}, f"next rank {nearest:+.2f}, critical difference {gap:.2f}"


def slowest(outcome: Outcome) -> Evidence:
    """Check whether DTEL takes longest on every stream."""
    found = [
        max(LEARNERS, key=lambda name: outcome.value(s, name, "seconds")) for s in outcome.results
    ]
    margins, figure = counted(found, "DTEL", len(found) - 0.5)
    others = {name: found.count(name) for name in OTHERS if name in found}
    return margins, ", ".join([figure, *(f"{name} {count}" for name, count in others.items())])


def ten_times(outcome: Outcome) -> Evidence:
    """Check whether DTEL takes about ten times as long as the others (median, at least 7)."""
    times = {name: np.array([outcome.value(s, name, "seconds") for s in outcome.results])
             for name in LEARNERS}  # fmt: skip
    own = times.pop("DTEL")
    ratios = {name: float(np.median(own / other)) for name, other in times.items()}
    return {"times": float(np.median(list(ratios.values()))) - 7.0}, listed(ratios, ".1f")


def transfer_share(outcome: Outcome, stream: str) -> float:
    """Return the percentage of DTEL's time that is spent on transfers."""
    once, twice = (outcome.value(stream, name, "seconds") for name in ("DTEL", TWICE))
    return 100.0 * (twice - once) / once


def mostly_transfer(outcome: Outcome) -> Evidence:
    """Check whether transfers take more than three quarters of DTEL's time on every stream."""
    shares = [transfer_share(outcome, stream) for stream in outcome.results]
    return {"percent": min(shares) - 75}, f"{min(shares):.0f} to {max(shares):.0f} percent"


def rises(outcome: Outcome) -> Evidence:
    """Check whether accuracy increases with the archive size up to 20."""
    sizes = _sizes(outcome, most=20)
    slopes = {
        stream: float(np.polyfit(sizes, _by_size(outcome, stream, sizes), 1)[0])
        for stream in outcome.experiment.streams
        if stream != "STA200A"
    }
    figure = ", ".join(f"{stream} {slope:+.2f} a member" for stream, slope in slopes.items())
    return slopes, figure


def flat(outcome: Outcome, streams: Streams, smallest: int, most: float) -> Evidence:
    """Check whether accuracy varies by at most `most` points from archive size `smallest` on."""
    sizes = _sizes(outcome, least=smallest)
    widths = {stream: float(np.ptp(_by_size(outcome, stream, sizes))) for stream in streams}
    return {stream: most - width for stream, width in widths.items()}, listed(widths)


def _sizes(outcome: Outcome, least: int = 0, most: int = 1_000) -> list[int]:
    sizes = [learner.n_estimators for learner in outcome.experiment.learners.values()]
    return [size for size in sizes if least <= size <= most]


def _by_size(outcome: Outcome, stream: str, sizes: list[int]) -> list[float]:
    """Return the accuracy of DTEL for each archive size, in percent."""
    return [outcome.accuracy(stream, f"DTEL {size}") for size in sizes]


def not_worse(outcome: Outcome, learner: str, than: str, points: float) -> Evidence:
    """Check whether a learner is at most `points` worse than another learner on every stream."""
    streams = outcome.experiment.streams
    found = {s: outcome.accuracy(s, learner) - outcome.accuracy(s, than) for s in streams}
    return gaps(found, points)


def faster(outcome: Outcome, learner: str, than: str) -> Evidence:
    """Check whether a learner takes less time than another learner on every stream."""
    shares = {s: outcome.value(s, learner, "seconds") / outcome.value(s, than, "seconds")
              for s in outcome.experiment.streams}  # fmt: skip
    return {s: 1 - share for s, share in shares.items()}, f"of its time: {listed(shares, '.0%')}"
