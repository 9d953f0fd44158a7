"""Rounds that test a learner on all concepts of a stream at the end of each period."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from driftlearn.evaluate._rounds import batches, own_seed
from driftlearn.evaluate._run import Learn, Predict, Round


def named_concept(concept: Any) -> Any:
    """Return the name of a concept in tables and files.

    Numbers and strings are returned as they are. Anything else, such as an array of centers, gets a
    short name that is equal for equal concepts.
    """
    if isinstance(concept, np.generic):
        concept = concept.item()
    if isinstance(concept, (str, int, float)):
        return concept
    content = concept.tobytes() if isinstance(concept, np.ndarray) else repr(concept).encode()
    return f"{type(concept).__name__}-{hashlib.sha256(content).hexdigest()[:8]}"


class Period(NamedTuple):
    """Rows ``begin`` to ``end - 1`` between two drifts, and the concept at their end."""

    begin: int
    end: int
    concept: Any


def periods(stream: Any) -> list[Period]:
    """Return the periods of a stream; the concept of each is that of its last row."""
    drifts = [int(drift) for drift in getattr(stream, "drifts", None) or ()]
    n_rows = getattr(stream, "n_rows", None)
    if not drifts or n_rows is None or not hasattr(stream, "concept_at"):
        name = getattr(stream, "name", type(stream).__name__)
        lacks = (
            f"its drifts are unknown (drifts: {drifts})"
            if not drifts
            else "its number of rows is unknown"
            if n_rows is None
            else "it has no method concept_at"
        )
        raise ValueError(f"the concepts protocol cannot be used on {name}: {lacks}")
    ends = [*drifts, n_rows]
    return [
        Period(begin, end, named_concept(stream.concept_at(end - 1)))
        for begin, end in zip([0, *drifts], ends)
    ]


def concept_rounds(
    stream: Iterable[Any],
    chunk_size: int | None = None,
    test_size: int | None = None,
    random_state: int | None = None,
) -> Iterator[Round]:
    """Train on a period, then test on all concepts: one round per period and concept.

    A chunk that contains a drift belongs to the period after it.
    """
    waiting = periods(stream)
    if not hasattr(stream, "test_set"):
        raise ValueError(
            "the concepts protocol requires a stream with the method test_set(row, n, random_state)"
        )
    tests = _tests(stream, waiting, test_size, own_seed(stream, random_state))
    learned: list[Learn] = []
    begin = stop = 0
    for start, rows in batches(stream, chunk_size):
        while start + len(rows[1]) > waiting[0].end:
            yield from _closed(waiting.pop(0), learned, tests, begin, stop)
            learned, begin = [], stop
        learned.append(Learn(*rows))
        stop = start + len(rows[1])
    yield from _closed(waiting.pop(0), learned, tests, begin, stop)


def _tests(stream: Any, all_of: list[Period], size: int | None, seed: int) -> list[Predict]:
    """Draw a test set for each concept at the end of its first period."""
    rows: dict[Any, int] = {}
    for period in all_of:
        rows.setdefault(period.concept, period.end - 1)
    seeds = np.random.SeedSequence(seed).generate_state(len(rows))
    drawn = (stream.test_set(row, size, int(each)) for row, each in zip(rows.values(), seeds))
    return [Predict(X, y, fixed=True, drawn=True) for X, y in drawn]


def _closed(
    period: Period, learned: list[Learn], tests: list[Predict], begin: int, stop: int
) -> Iterator[Round]:
    if not learned:
        raise ValueError(
            f"rows {period.begin} to {period.end - 1}, between two drifts, do not contain a "
            "complete chunk. Use a smaller chunk_size."
        )
    yield Round(begin, stop, [*learned, tests[0]])
    for test in tests[1:]:
        yield Round(stop, stop, [test])
