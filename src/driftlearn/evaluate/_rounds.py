"""Rounds: what each protocol makes of a stream, tests and training in their order."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from numbers import Integral
from typing import Any

import numpy as np

from driftlearn.evaluate._run import Learn, Predict, Round

Delay = int | float | Callable[[int], float]


def batches(stream: Iterable[Any], chunk_size: int | None) -> Iterator[tuple[int, tuple[Any, Any]]]:
    """Yield the first row number and the rows of each chunk of a stream or iterable."""
    if hasattr(stream, "chunks"):
        for batch in stream.chunks() if chunk_size is None else stream.chunks(chunk_size):
            yield int(batch.start), (batch.X, batch.y)
        return
    if chunk_size is not None:
        raise ValueError(
            f"chunk_size={chunk_size} was given, but an iterable comes in batches of its own"
        )
    row = 0
    for number, batch in enumerate(stream):
        if hasattr(batch, "X") and hasattr(batch, "y"):
            X, y = batch.X, batch.y
        elif isinstance(batch, (tuple, list)) and len(batch) == 2:
            X, y = batch
        else:
            raise ValueError(f"batch {number} of the stream is not a pair (X, y)")
        yield row, (X, y)
        row += len(y)


def prequential_rounds(
    stream: Iterable[Any], chunk_size: int | None = None, every: int | None = None
) -> Iterator[Round]:
    """Test on each chunk, then train on it; the first is only trained on."""
    acts: list[Learn | Predict] = []
    begin = stop = 0
    for number, (start, rows) in enumerate(batches(stream, chunk_size)):
        if not acts:
            begin = start
        if number:
            acts.append(Predict(*rows))
        acts.append(Learn(*rows))
        stop = start + len(rows[1])
        if stop - begin >= (every or 1):
            yield Round(begin, stop, acts)
            acts = []
    if acts:
        yield Round(begin, stop, acts)


def holdout_rounds(
    stream: Iterable[Any],
    chunk_size: int | None = None,
    test_size: int | None = None,
    every: int | None = None,
    fixed: bool = False,
    random_state: int | None = None,
) -> Iterator[Round]:
    """Train on a chunk, then test on other rows of the concept in force at its end."""
    if not hasattr(stream, "test_set"):
        raise ValueError("a hold-out test needs a stream that has test_set(row, n, random_state)")
    random_state = own_seed(stream, random_state)
    waiting: list[Learn] = []
    begin = number = 0
    held_out, concept = None, None

    def test(start: int, stop: int) -> Round:
        nonlocal held_out, concept
        now = _concept(stream, stop - 1)
        if not fixed or held_out is None or not np.array_equal(now, concept):
            # Hashed, so that the test draws never are the draws of a stream with the same seed.
            seed = np.random.SeedSequence([random_state, number]).generate_state(1)[0]
            rows = stream.test_set(stop - 1, test_size, random_state=int(seed))
            held_out = Predict(rows[0], rows[1], fixed, drawn=True)
            concept = now
        return Round(start, stop, [*waiting, held_out])

    for start, rows in batches(stream, every if chunk_size is None else chunk_size):
        if not waiting:
            begin = start
        waiting.append(Learn(*rows))
        stop = start + len(rows[1])
        if stop - begin >= (every or 1):
            yield test(begin, stop)
            waiting, number = [], number + 1
    if waiting:
        yield test(begin, stop)


def own_seed(stream: Any, random_state: int | None) -> int:
    """Return the seed of test draws: the one given, or the stream's own."""
    if random_state is not None:
        return random_state
    own = getattr(stream, "random_state", None)
    return int(own) if isinstance(own, Integral) else 0


def _concept(stream: Any, row: int) -> Any:
    """Return what is in force at a row; failing that, how many drifts there were."""
    if hasattr(stream, "concept_at"):
        return stream.concept_at(row)
    return bisect_right(list(stream.drifts), row)


def delayed_rounds(
    stream: Iterable[Any], chunk_size: int | None = None, delay: Delay = 0
) -> Iterator[Round]:
    """Test on each chunk; train on the rows whose labels have arrived by its end."""
    late = delay if callable(delay) else lambda row: delay
    waiting: list[tuple[float, int, Any, Any]] = []
    taught = False
    for start, (X, y) in batches(stream, chunk_size):
        X, y = np.asarray(X), np.asarray(y)
        stop = start + len(y)
        for i, row in enumerate(range(start, stop)):
            wait = late(row)
            if not wait >= 0:
                raise ValueError(f"the delay of row {row} must not be negative, got {wait}")
            heapq.heappush(waiting, (row + wait, row, X[i], y[i]))
        arrived = []
        while waiting and waiting[0][0] < stop:
            arrived.append(heapq.heappop(waiting))
        acts: list[Learn | Predict] = [Predict(X, y)] if taught else []
        if arrived:
            late_X, late_y = ([a[k] for a in arrived] for k in (2, 3))
            acts.append(Learn(np.stack(late_X), np.array(late_y)))
        yield Round(start, stop, acts)
        taught = taught or bool(arrived)
