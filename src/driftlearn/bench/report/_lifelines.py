"""The lives of an ensemble's members: when each was born, in which concept, how it counted."""

from __future__ import annotations

from heapq import heappop, heappush
from html import escape
from typing import NamedTuple

import numpy as np

from driftlearn.bench.report._plot import SIDE, Stage, chart
from driftlearn.bench.report._svg import shortened
from driftlearn.bench.report._words import listed
from driftlearn.ensemble.history import WeightHistory
from driftlearn.evaluate._repeat import AnyResult
from driftlearn.utils.safe_text import printable
from driftlearn.utils.typing import Floats, Ints

MOST_LANES = 130  # at two and a half pixels each a picture is half as high as a screen
MOST_LIVES = 1000  # more are hairlines: neighbours by birth are drawn as one
LEVELS = 12  # widths of a line that can be told apart
RECT = 26  # bytes of a stretch of one width


class Life(NamedTuple):
    """A member, or neighbours by birth: the first and last id, the lane, widths by step."""

    first: int
    last: int
    lane: int
    shares: Floats


class Lives(NamedTuple):
    """All lives of an ensemble: edges of the steps in rows, the lives, how many lanes."""

    edges: Floats
    lives: list[Life]
    n_lanes: int
    together: int


def lives(history: WeightHistory, last_row: int, most_columns: int) -> Lives:
    """Return the lives of members, packed into as few lanes as were alive at a time.

    Weights are shares of the heaviest of their step. Of more members than can be seen, those that
    follow each other by birth are taken together, with the sum of their weights.

    Parameters
    ----------
    history : WeightHistory
        The weights.
    last_row : int
        The row at the end of the last step.
    most_columns : int
        The most widths of a life.

    Examples
    --------
    >>> history = WeightHistory.of([1, 2, 3], [[1], [1, 2], [2]], [[1.0], [1.0, 0.5], [2.0]])
    >>> found = lives(history, 300, 100)
    >>> [(life.first, life.lane) for life in found.lives], found.edges.tolist()
    ([(1, 0), (2, 1)], [0.0, 100.0, 200.0, 300.0])
    """
    together = 1
    while True:
        ids, table = _grouped(history, together)
        begins, ends = _span(table)
        lanes = _packed(begins, ends)
        n_lanes = int(lanes.max()) + 1
        if len(ids) <= MOST_LIVES and n_lanes <= MOST_LANES:
            break
        together *= 2
    heaviest = np.nanmax(np.nan_to_num(table), axis=0)
    shares = np.clip(table / np.where(heaviest > 0, heaviest, 1.0), 0.0, 1.0)
    size = -(-shares.shape[1] // most_columns)
    starts = np.arange(0, shares.shape[1], size)
    known = np.add.reduceat((~np.isnan(shares)).astype(int), starts, axis=1)
    sums = np.add.reduceat(np.nan_to_num(shares), starts, axis=1)
    shares = np.where(known > 0, sums / np.maximum(known, 1), np.nan)
    steps = history.steps.astype(float)
    before = np.concatenate([[0.0 if len(steps) < 2 else 2 * steps[0] - steps[1]], steps])
    edges = np.append(before[starts], steps[-1])
    edges = np.clip(edges, 0, None) / max(float(steps[-1]), 1.0) * last_row
    return Lives(
        edges,
        [Life(int(a), int(b), int(lane), row) for (a, b), lane, row in zip(ids, lanes, shares)],
        n_lanes,
        together,
    )


def _grouped(history: WeightHistory, together: int) -> tuple[list[tuple[int, int]], Floats]:
    """Return the first and last id of each group of members, and their weights by step."""
    n = -(-len(history.ids) // together)
    table = np.zeros((n, len(history.steps)))
    there = np.zeros(table.shape, dtype=bool)
    group = history.member // together
    np.add.at(table, (group, history.step), history.weight)
    there[group, history.step] = True
    ids = history.ids
    ends = [(ids[k * together], ids[min((k + 1) * together, len(ids)) - 1]) for k in range(n)]
    return ends, np.where(there, table, np.nan)


def _span(table: Floats) -> tuple[Ints, Ints]:
    there = ~np.isnan(table)
    return there.argmax(axis=1), table.shape[1] - there[:, ::-1].argmax(axis=1)


def _packed(begins: Ints, ends: Ints) -> Ints:
    """Return a lane for each life, the lowest that is free when it begins."""
    lanes = np.zeros(len(begins), dtype=int)
    busy: list[tuple[int, int]] = []
    free: list[int] = []
    for k in np.argsort(begins, kind="stable").tolist():
        while busy and busy[0][0] <= begins[k]:
            heappush(free, heappop(busy)[1])
        lanes[k] = heappop(free) if free else len(busy)
        heappush(busy, (int(ends[k]), int(lanes[k])))
    return lanes


def lifelines(result: AnyResult, name: str, stage: Stage, most_bytes: int) -> str:
    """Draw the lives of the members of an ensemble: a line each, as wide as its weight.

    Parameters
    ----------
    result : Result or RepeatedResult
        Of several seeds the first is drawn.
    name : str
        The learner.
    stage : Stage
        The stream.
    most_bytes : int
        How large the picture may become, more or less.
    """
    history = result.histories[name]
    last_row = int(result.rows(name)[-1])
    lanes = min(len(history.ids), MOST_LANES)
    found = lives(history, last_row, int(np.clip(most_bytes // (RECT * lanes), 24, 240)))
    x = stage.x(found.edges)
    tall = SIDE / found.n_lanes
    body = ""
    for life in found.lives:
        tip = _told(life, found, stage, history, [*map(str, result.classes.tolist())])
        body += _life(life, x, found, tall, stage, tip)
    n = len(history.ids)
    alive = int((history.step == len(history.steps) - 1).sum())
    alt = (
        f"Members of {name}: {n:,} were born, {alive:,} are there at the end; "
        f"{found.n_lanes} lines beside each other."
    )
    many = f" {found.together} members that follow each other are one line." * (found.together > 1)
    note = (
        "A line is a member: its colour is the concept in which it was born, its width its weight "
        f"beside the heaviest of the step. A free line is used again.{many} "
        "Point at a line to read more."
    )
    height = float(np.clip(14 * found.n_lanes, 90, 320))
    return chart(stage, body, title=f"Members of {name}", alt=alt, height=height, note=note)


def _life(life: Life, x: Ints, found: Lives, tall: float, stage: Stage, tip: str) -> str:
    """Return a life as rectangles of one width each."""
    levels = np.where(np.isnan(life.shares), 0, np.maximum(np.round(LEVELS * life.shares), 1))
    changes = np.concatenate([[0], np.flatnonzero(np.diff(levels)) + 1, [len(levels)]])
    middle = (life.lane + 0.5) * tall
    d = ""
    for a, b in zip(changes[:-1].tolist(), changes[1:].tolist()):
        if levels[a]:
            thick = max(round(levels[a] / LEVELS * 0.9 * tall), 1)
            wide = x[b] - x[a]
            d += f"M{x[a]},{round(middle - thick / 2)}h{wide}v{thick}h-{wide}z"
    colour = stage.concepts.css(stage.concepts.at(_rows(life, found)[0]))
    return f'<path class="life" style="--c: {colour}" data-tip="{escape(tip)}" d="{d}"/>'


def _rows(life: Life, found: Lives) -> tuple[float, float]:
    """Return the row at which a life begins, and the one at which it ends."""
    there = np.flatnonzero(~np.isnan(life.shares))
    return float(found.edges[there[0]]), float(found.edges[there[-1] + 1])


def _told(
    life: Life, found: Lives, stage: Stage, history: WeightHistory, classes: list[str]
) -> str:
    """Return what is told of a life under the pointer: when, where, weight, error, classes."""
    first, last = _rows(life, found)
    concept = stage.concepts.at(first)
    where = "" if concept is None else f", born in concept {stage.concepts.names[concept]}"
    parts = [f"rows {first:,.0f} to {last:,.0f}{where}"]
    parts.append(f"mean weight {np.nanmean(life.shares):.2f} of the heaviest")
    who = f"member {life.first}" if life.first == life.last else (
        f"members {life.first} to {life.last}"
    )  # fmt: skip
    if history.notes is not None:
        begin, end = np.searchsorted(history.ids, [life.first, life.last + 1]).tolist()
        notes, several = history.notes, end - begin > 1
        names = [*filter(None, map(notes.name, range(begin, end)))]
        who += f" ({listed([*map(shortened, names)])})" if names else ""
        errors = notes.errors[begin:end]
        if not np.isnan(errors).all():
            parts.append(f"{'mean ' * several}error {np.nanmean(errors):.3f} at last")
        known = {str(label) for k in range(begin, end) for label in notes.classes(k)}
        if known:
            parts.append(f"know{'s' * (not several)} {_named(known, classes)}")
    return printable(f"{who}, {'; '.join(parts)}")


def _named(known: set[str], classes: list[str]) -> str:
    """Return which classes these are; of many the first few.

    Examples
    --------
    >>> _named({"a", "b"}, ["a", "b"]), _named({"b"}, ["a", "b"])
    ('all 2 classes', '1 of 2 classes: b')
    """
    if known >= {*classes}:
        return f"all {len(classes)} classes"
    there = [shortened(label) for label in classes if label in known]
    return f"{len(there)} of {len(classes)} classes: {listed(there)}"
