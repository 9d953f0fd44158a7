"""Lifelines of ensemble members: creation, concept and weight over time."""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from driftlearn.bench.report._comparison import listed
from driftlearn.bench.report._curves import block_means
from driftlearn.bench.report._html import safe
from driftlearn.bench.report._style import shortened
from driftlearn.bench.report._svg import SIDE, Axis, chart
from driftlearn.ensemble.history import WeightHistory
from driftlearn.evaluate._repeat import AnyResult
from driftlearn.utils.arguments import Floats, Ints

MOST_LANES = 130  # at 2.5 pixels per lane, the chart takes half the height of a screen
# with more lives, lines become hairlines: members created in succession are grouped
MOST_LIVES = 1000
LEVELS = 12  # number of distinguishable line widths
FULL = 0.9  # share of a lane's height taken by the line of the heaviest member
MOST_NAMED = 20  # lanes that are labeled with the names of their members
RECTANGLE = 26  # bytes that a segment of constant width takes on a page


class Life(NamedTuple):
    """Life of a member or group of members: first and last id, lane, relative weights."""

    first: int
    last: int
    lane: int
    shares: Floats


class Lives(NamedTuple):
    """Lives of all members: step boundaries in rows, lives, number of lanes, and group size."""

    edges: Floats
    lives: list[Life]
    n_lanes: int
    together: int

    def rows(self, life: Life) -> tuple[float, float]:
        """Return the first row and the end row of a life."""
        there = np.flatnonzero(~np.isnan(life.shares))
        return float(self.edges[there[0]]), float(self.edges[there[-1] + 1])


def lives(history: WeightHistory, last_row: int, most_columns: int) -> Lives:
    """Return the lives of members, packed into the minimum number of lanes.

    Weights are relative to the largest weight at the step. If there are too many members to
    distinguish, consecutively created members are grouped and their weights are summed.

    Parameters
    ----------
    history : WeightHistory
        The weights.
    last_row : int
        The row at the end of the last step.
    most_columns : int
        Maximum number of line widths in a life.

    Examples
    --------
    >>> history = WeightHistory.of([1, 2, 3], [[1], [1, 2], [2]], [[1.0], [1.0, 0.5], [2.0]])
    >>> found = lives(history, 300, 100)
    >>> [(life.first, life.lane) for life in found.lives], found.edges.tolist()
    ([(1, 0), (2, 1)], [0.0, 100.0, 200.0, 300.0])
    """
    together = 1
    while True:
        groups = [history.ids[k : k + together] for k in range(0, len(history.ids), together)]
        table = np.full((len(groups), len(history.steps)), np.nan)
        at = history.member // together, history.step
        table[at] = 0.0
        np.add.at(table, at, history.weight)
        there = ~np.isnan(table)
        begins, ends = there.argmax(axis=1), table.shape[1] - there[:, ::-1].argmax(axis=1)
        lanes = _packed(begins, ends)
        n_lanes = int(lanes.max()) + 1
        if len(groups) <= MOST_LIVES and n_lanes <= MOST_LANES:
            break
        together *= 2
    heaviest = np.nanmax(np.nan_to_num(table), axis=0)
    shares = np.clip(table / np.where(heaviest > 0, heaviest, 1.0), 0.0, 1.0)
    size = -(-shares.shape[1] // most_columns)
    steps = history.steps.astype(float)
    before = np.concatenate([[0.0 if len(steps) < 2 else 2 * steps[0] - steps[1]], steps])
    edges = np.append(before[np.arange(0, table.shape[1], size)], steps[-1])
    edges = np.clip(edges, 0, None) / max(float(steps[-1]), 1.0) * last_row
    found = [Life(int(ids[0]), int(ids[-1]), int(lane), row)
             for ids, lane, row in zip(groups, lanes, block_means(shares, size))]  # fmt: skip
    return Lives(edges, found, n_lanes, together)


def lane_names(found: Lives, history: WeightHistory) -> list[str]:
    """Return the name of the member in each lane, or an empty list.

    Members have names in ensembles of fixed candidates, such as `AutoClassifier`.
    """
    if history.notes is None or found.n_lanes > MOST_NAMED or found.together > 1:
        return []
    names = [""] * found.n_lanes
    for life in found.lives:
        names[life.lane] = history.notes.name(int(np.searchsorted(history.ids, life.first)))
    return names if any(names) else []


def _packed(begins: Ints, ends: Ints) -> Ints:
    """Return a lane for each life: the lowest free lane at its beginning."""
    lanes = np.zeros(len(begins), dtype=int)
    busy: list[tuple[int, int]] = []
    free: list[int] = []
    for k in np.argsort(begins, kind="stable").tolist():
        while busy and busy[0][0] <= begins[k]:
            heappush(free, heappop(busy)[1])
        lanes[k] = heappop(free) if free else len(busy)
        heappush(busy, (int(ends[k]), int(lanes[k])))
    return lanes


def stretches(life: Life) -> Iterator[tuple[int, int, float]]:
    """Yield (first step, end step, width) of each segment of constant width.

    Widths are fractions of the lane height, rounded to multiples of 1 / `LEVELS`. Members without
    weight are drawn with the smallest width.
    """
    levels = np.where(np.isnan(life.shares), 0, np.maximum(np.round(LEVELS * life.shares), 1))
    changes = np.concatenate([[0], np.flatnonzero(np.diff(levels)) + 1, [len(levels)]]).tolist()
    for begin, end in pairwise(changes):
        if levels[begin]:
            yield begin, end, float(FULL * levels[begin] / LEVELS)


def lifelines(result: AnyResult, name: str, axis: Axis, most_bytes: int) -> str:
    """Draw the lifelines of ensemble members; the width of a line is the weight of the member.

    Parameters
    ----------
    result : Result or RepeatedResult
        The result; with several seeds, only the first is drawn.
    name : str
        The learner.
    axis : Axis
        The horizontal axis.
    most_bytes : int
        Approximate maximum size of the chart.
    """
    history = result.histories[name]
    lanes = min(len(history.ids), MOST_LANES)
    most_columns = int(np.clip(most_bytes // (RECTANGLE * lanes), 24, 240))
    found = lives(history, int(result.rows(name)[-1]), most_columns)
    x, tall, body = axis.x(found.edges), SIDE / found.n_lanes, ""
    classes = [*map(str, result.classes.tolist())]
    for life in found.lives:
        d = ""
        for begin, end, share in stretches(life):
            thick, wide = max(round(share * tall), 1), x[end] - x[begin]
            top = round((life.lane + 0.5) * tall - thick / 2)
            d += f"M{x[begin]},{top}h{wide}v{thick}h-{wide}z"
        color = axis.concepts.css(axis.concepts.at(found.rows(life)[0]))
        tip = safe(_tip(life, found, axis, history, classes))
        body += f'<path class="life" style="--c: {color}" data-tip="{tip}" d="{d}"/>'
    n = len(history.ids)
    alive = int((history.step == len(history.steps) - 1).sum())
    alt = (
        f"Members of {name}: {n:,} were created, {alive:,} are left at the end; "
        f"they are drawn in {found.n_lanes} lanes."
    )
    many = f" Each line is a group of {found.together} members." * (found.together > 1)
    note = (
        "Each line is a member. Its color is the concept in force at its creation; its width is "
        f"its weight relative to the heaviest member of the step.{many} Lines are reused when "
        "members are removed. Point at a line for details."
    )
    height = float(np.clip(14 * found.n_lanes, 90, 320))
    title = f"Members of {name}"
    names = [shortened(each, 16) for each in lane_names(found, history)]
    ticks = [(1 - (lane + 0.5) / len(names), each) for lane, each in enumerate(names)]
    return chart(axis, body, title=title, alt=alt, height=height, ticks=ticks, note=note)


def _tip(life: Life, found: Lives, axis: Axis, history: WeightHistory, classes: list[str]) -> str:
    """Return the tooltip of a member: rows, concept, weight, error and classes."""
    first, last = found.rows(life)
    concept = axis.concepts.at(first)
    where = "" if concept is None else f", created under concept {axis.concepts.names[concept]}"
    parts = [f"rows {first:,.0f} to {last:,.0f}{where}",
             f"mean weight {np.nanmean(life.shares):.2f} of the heaviest"]  # fmt: skip
    several = life.first != life.last
    member = f"members {life.first} to {life.last}" if several else f"member {life.first}"
    if history.notes is not None:
        begin, end = np.searchsorted(history.ids, [life.first, life.last + 1]).tolist()
        notes = history.notes
        names = [*filter(None, map(notes.name, range(begin, end)))]
        member += f" ({listed([*map(shortened, names)])})" if names else ""
        errors = notes.errors[begin:end]
        if not np.isnan(errors).all():
            parts.append(f"last {'mean ' * (end - begin > 1)}error {np.nanmean(errors):.3f}")
        known = {str(label) for k in range(begin, end) for label in notes.classes(k)}
        there = [shortened(label) for label in classes if label in known]
        if known >= {*classes}:
            parts.append(f"trained on all {len(classes)} classes")
        elif known:
            of = f"{len(there)} of {len(classes)} classes"
            parts.append(f"trained on {of}: {listed(there)}")
    return f"{member}, {'; '.join(parts)}"
