"""What the paper says of DTEL and its rivals on synthetic and real streams, as claims."""

from __future__ import annotations

import itertools

import numpy as np

from driftlearn.evaluate import rank_sum, win_tie_loss
from driftlearn.papers import Claim, Outcome, full_only
from driftlearn.papers.s1.streams_and_learners import LEARNERS, SYNTHETIC_STREAMS, printed

OTHERS = tuple(name for name in LEARNERS if name != "DTEL")
ABRUPT_AND_GRADUAL = tuple(f"{k}200{d}" for k in ("SEA", "CIR", "SIN") for d in "AG")


def best_share(outcome: Outcome, streams: tuple[str, ...], others: tuple[str, ...]) -> float:
    """Return the share of chunks on which DTEL is at least as good as each of others."""
    shares = []
    for stream in streams:
        result = outcome.results[stream]
        own = result.scores("DTEL")
        rivals = np.max([result.scores(name) for name in others], axis=0)
        known = ~np.isnan(own)
        shares.append((own[known] >= rivals[known]).mean())
    return float(np.mean(shares))


def of_kind(*kinds: str) -> tuple[str, ...]:
    """Return the streams of some kinds."""
    return tuple(name for name in SYNTHETIC_STREAMS if name.startswith(kinds))


def near(kind: str) -> Claim:
    """Say that three learners come within 1.5 points of print on the streams of a kind."""
    streams = of_kind(kind)
    means = printed("III")

    def judge(outcome: Outcome) -> tuple[bool, str]:
        gaps = {
            name: np.mean([outcome.accuracy(s, name) - means[s][name] for s in streams])
            for name in ("DTEL", "SEA", "TIX")
        }
        figure = ", ".join(f"{learner} {gap:+.2f}" for learner, gap in gaps.items())
        return all(abs(gap) <= 1.5 for gap in gaps.values()), figure

    text = f"DTEL, SEA and TIX within 1.5 points of the printed means on {kind}*"
    return Claim(text, judge, streams)


def best_on_nine(outcome: Outcome) -> tuple[bool, str]:
    """Judge on how many streams DTEL has the best mean, to the printed precision."""
    means = np.round([outcome.accuracies(name) for name in LEARNERS], 1)
    wins = int((means[0] >= means.max(axis=0)).sum())
    return wins >= 9, f"{wins} of {means.shape[1]}"


def wins_by_rank_sum(outcome: Outcome) -> tuple[bool, str]:
    """Judge whether DTEL wins more streams than it loses against everybody."""
    rows = list(win_tie_loss(outcome.results, "DTEL"))
    figure = ", ".join(f"{r['against']} {r['win']}-{r['tie']}-{r['loss']}" for r in rows)
    return all(row["win"] > row["loss"] for row in rows), figure


def steady(outcome: Outcome) -> tuple[bool, str]:
    """Judge whether abrupt and gradual drift are the same to DTEL."""
    gap = {k: outcome.accuracy(f"{k}200A", "DTEL") - outcome.accuracy(f"{k}200G", "DTEL")
           for k in ("SEA", "CIR", "SIN")}  # fmt: skip
    figure = ", ".join(f"{kind} {value:+.2f}" for kind, value in gap.items())
    return all(abs(value) < 1.0 for value in gap.values()), figure


def steadiest(outcome: Outcome) -> tuple[bool, str]:
    """Judge on how many of these streams DTEL has the smallest standard deviation."""
    streams = of_kind("SEA", "CIR", "SIN")
    least = [min(LEARNERS, key=lambda name: outcome.value(s, name, "chunk_std")) for s in streams]
    return least.count("DTEL") > len(streams) / 2, f"{least.count('DTEL')} of {len(streams)}"


def sea_is_worst(outcome: Outcome) -> tuple[bool, str]:
    """Judge whether SEA is the worst on the streams on which it is printed so."""
    streams = of_kind("ROT", "SIN", "STA")
    worst = [min(LEARNERS, key=lambda name: outcome.accuracy(s, name)) for s in streams]
    count = worst.count("SEA")
    return count == len(streams), f"{count} of {len(streams)}"


def sea_fluctuates(outcome: Outcome) -> tuple[bool, str]:
    """Judge whether SEA has the largest standard deviation where the features are names."""
    streams = of_kind("STA")
    most = [max(LEARNERS, key=lambda name: outcome.value(s, name, "chunk_std")) for s in streams]
    return most.count("SEA") == len(streams), f"{most.count('SEA')} of {len(streams)}"


def tix_on_sta(outcome: Outcome) -> tuple[bool, str]:
    """Judge whether TIX is as good as DTEL where the features are names."""
    gaps = [outcome.accuracy(s, "TIX") - outcome.accuracy(s, "DTEL") for s in of_kind("STA")]
    return min(gaps) >= -0.5, f"TIX - DTEL at least {min(gaps):+.2f}"


def order_on_rot(outcome: Outcome) -> tuple[bool, str]:
    """Judge the order of the learners on ROT200A."""
    order = ("DTEL", "TIX", "Learn++.NSE", "AUE2", "SEA")
    values = [outcome.accuracy("ROT200A", name) for name in order]
    figure = " > ".join(f"{name} {value:.1f}" for name, value in zip(order, values))
    return all(a > b for a, b in itertools.pairwise(values)), figure


def best_in_chunks(*kinds: str, least: float) -> Claim:
    """Say on what share of the chunks of some streams DTEL is the best at least."""
    streams = of_kind(*kinds)

    def judge(outcome: Outcome) -> tuple[bool, str]:
        share = best_share(outcome, streams, OTHERS)
        return share >= least, f"{share:.2f}"

    names = ", ".join(f"{kind}*" for kind in kinds)
    return Claim(f"DTEL the best on at least {least:.0%} of the chunks of {names}", judge, streams)


def unmoved(outcome: Outcome) -> tuple[bool, str]:
    """Judge whether changes of SEA cost DTEL less than AUE2, in the chunk after them."""
    losses = {"DTEL": [], "AUE2": []}  # type: dict[str, list[float]]
    for stream in of_kind("SEA"):
        result = outcome.results[stream]
        for name, loss in losses.items():
            scores, stops = result.scores(name).mean(axis=0), result.rows(name)
            first = np.searchsorted(stops, result.drifts, side="right")
            loss += [scores[k - 5 : k].mean() - scores[k] for k in first[first < len(stops)]]
    dtel, aue2 = (100 * float(np.mean(loss)) for loss in losses.values())
    return dtel < aue2, f"DTEL loses {dtel:.1f} points, AUE2 {aue2:.1f}"


def two_steady_three_not(outcome: Outcome) -> tuple[bool, str]:
    """Judge whether DTEL and TIX fluctuate less than half as much as the others on STA."""
    values = {name: np.mean([outcome.value(s, name, "chunk_std") for s in of_kind("STA")])
              for name in LEARNERS}  # fmt: skip
    steady = max(values["DTEL"], values["TIX"])
    others = min(values[name] for name in ("SEA", "AUE2", "Learn++.NSE"))
    return bool(steady < others / 2), ", ".join(f"{n} {v:.1f}" for n, v in values.items())


def best_by(stream: str, learner: str, points: float) -> Claim:
    """Say by how many points more than any other a learner has right on a stream."""

    def judge(outcome: Outcome) -> tuple[bool, str]:
        values = {name: outcome.accuracy(stream, name) for name in LEARNERS}
        second = max(value for name, value in values.items() if name != learner)
        figure = f"{learner} {values[learner]:.2f}, next {second:.2f}"
        return values[learner] - second > points, figure

    margin = f" by more than {points} points" if points else ""
    return Claim(f"{learner} best on {stream}{margin}", judge, (stream,))


def no_difference(outcome: Outcome) -> tuple[bool, str]:
    """Judge whether the rank-sum test tells DTEL from any other on Electricity."""
    result = outcome.results["Electricity"].results[0]
    answers = {name: rank_sum(result.scores("DTEL"), result.scores(name))
               for name in LEARNERS if name != "DTEL"}  # fmt: skip
    figure = ", ".join(f"{name} {answer}" for name, answer in answers.items())
    return set(answers.values()) == {"tie"}, figure


def steadiest_on_covertype(outcome: Outcome) -> tuple[bool, str]:
    """Judge whether DTEL fluctuates least on Covertype, and SEA most."""
    values = {name: outcome.value("Covertype", name, "chunk_std") for name in LEARNERS}
    order = sorted(values, key=values.__getitem__)
    figure = ", ".join(f"{name} {values[name]:.1f}" for name in order)
    return (order[0], order[-1]) == ("DTEL", "SEA"), figure


def poker_in_chunks(outcome: Outcome) -> tuple[bool, str]:
    """Judge on what share of PokerHand's chunks DTEL is better than two others."""
    share = best_share(outcome, ("PokerHand",), ("Learn++.NSE", "TIX"))
    return share >= 0.95, f"{share:.2f}"


# fmt: off
ELECTRICITY = Claim("Electricity: no significant difference to DTEL", no_difference,
                    ("Electricity",))
TABLE_III = (
    *full_only(
        *(near(kind) for kind in ("SEA", "CIR", "SIN", "STA")),
        Claim("DTEL best or tied on at least 9 of 15 streams", best_on_nine),
        Claim("DTEL beats each other learner on more streams than it loses", wins_by_rank_sum),
        Claim("DTEL: abrupt and gradual drift within a point on SEA, CIR, SIN", steady,
              ABRUPT_AND_GRADUAL),
        Claim("DTEL has the smallest standard deviation on most of SEA, CIR, SIN", steadiest,
              of_kind("SEA", "CIR", "SIN")),
        Claim("SEA worst on all of ROT, SIN and STA", sea_is_worst, of_kind("ROT", "SIN", "STA")),
    ),
    Claim("SEA has the largest standard deviation on STA", sea_fluctuates, of_kind("STA")),
    Claim("TIX at least DTEL - 0.5 on STA", tix_on_sta, of_kind("STA")),
    Claim("on ROT200A DTEL > TIX > Learn++.NSE > AUE2 > SEA", order_on_rot, ("ROT200A",),
          full_only=True),
)
FIGURE_2 = (
    *full_only(best_in_chunks("ROT", least=0.95), best_in_chunks("SIN", least=0.8)),
    Claim("SEA: changes cost DTEL less than AUE2", unmoved, of_kind("SEA")),
    Claim("STA: DTEL and TIX fluctuate less than half as much as the others",
          two_steady_three_not, of_kind("STA")),
)
TABLE_V = full_only(
    best_by("Covertype", "DTEL", 0),
    best_by("Covertype", "DTEL", 3),
    best_by("PokerHand", "SEA", 0),
    ELECTRICITY,
)
FIGURE_3 = full_only(
    Claim("Covertype: DTEL fluctuates least, SEA most", steadiest_on_covertype, ("Covertype",)),
    Claim("PokerHand: DTEL above Learn++.NSE and TIX in all chunks but one in twenty",
          poker_in_chunks, ("PokerHand",)),
    ELECTRICITY,
)
# fmt: on
