"""Rounds: what each protocol makes of a stream, tests and training in their order."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from numbers import Integral
from typing import Any

import numpy as np

from driftlearn.evaluate._run import Act, Learn, LearnRows, Predict, Round, TestThenTrain
from driftlearn.utils._poisson import poisson
from driftlearn.utils.typing import Ints

Delay = int | float | Callable[[int], float]
Use = Callable[[int], tuple[Ints, Ints]]


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
            raise ValueError(
                f"batch {number} of the stream is not a pair (X, y): give a stream, as those of "
                "driftlearn.streams, of which from_arrays(X, y) makes one of arrays, or pairs"
            )
        yield row, (X, y)
        row += len(y)


def prequential_rounds(
    stream: Iterable[Any], chunk_size: int | None = None, every: int | None = None
) -> Iterator[Round]:
    """Test on each chunk, then train on it; the first is only trained on."""
    if chunk_size == 1 and every is not None and hasattr(stream, "chunks"):
        yield from _row_by_row(stream, every)
        return
    yield from grouped(_chunk_by_chunk(stream, chunk_size), every or 1)


def _chunk_by_chunk(stream: Iterable[Any], chunk_size: int | None) -> Iterator[Round]:
    for number, (start, rows) in enumerate(batches(stream, chunk_size)):
        acts: list[Act] = [Predict(*rows)] if number else []
        yield Round(start, start + len(rows[1]), [*acts, Learn(*rows)])


def _row_by_row(stream: Iterable[Any], every: int) -> Iterator[Round]:
    """Do the same in chunks of one row, `every` of them to a round."""
    for number, (start, (X, y)) in enumerate(batches(stream, every)):
        untested = 0 if number else 1
        acts: list[Act] = [Learn(X[:1], y[:1])] if untested else []
        if len(y) > untested:
            acts.append(TestThenTrain(X[untested:], y[untested:]))
        yield Round(start, start + len(y), acts)


def grouped(rounds: Iterable[Round], every: int) -> Iterator[Round]:
    """Join rounds until they stand for so many rows."""
    acts: list[Act] = []
    begin = stop = 0
    for round_ in rounds:
        if stop == begin:
            begin = round_.start
        acts += round_.acts
        stop = round_.stop
        if stop - begin >= every:
            yield Round(begin, stop, acts)
            acts, begin = [], stop
    if acts or stop > begin:
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
    stream: Iterable[Any],
    chunk_size: int | None = None,
    delay: Delay = 0,
    every: int | None = None,
) -> Iterator[Round]:
    """Test on each chunk; train on the rows whose labels have arrived by its end."""
    rounds = _arriving(batches(stream, chunk_size), delay, lambda n: (np.ones(n, int),) * 2)
    yield from rounds if every is None else grouped(rounds, every)


def fold_rounds(
    stream: Iterable[Any],
    fold: int,
    n_folds: int,
    scheme: str,
    chunk_size: int | None = None,
    delay: Delay = 0,
    every: int | None = None,
    random_state: int = 0,
) -> Iterator[Round]:
    """Test one of several learners on some rows and train it on others, by a draw for each row."""
    draws = np.random.default_rng([random_state, fold] if scheme == "bootstrap" else random_state)

    def use(n: int) -> tuple[Ints, Ints]:
        u = draws.random(n)
        if scheme == "bootstrap":
            times = np.array([poisson(each, 1.0) for each in u], dtype=int)
            return (times == 0).astype(int), times
        mine = (u * n_folds).astype(int) == fold
        return (mine.astype(int), (~mine).astype(int))[:: 1 if scheme == "cross" else -1]

    if chunk_size == 1 and every is not None and hasattr(stream, "chunks"):
        rounds = _arriving(_single_rows(batches(stream, every)), delay, use, drawn=True)
        for round_ in grouped(rounds, every):
            yield round_._replace(acts=_joined(round_.acts))
        return
    rounds = _arriving(batches(stream, chunk_size), delay, use, drawn=True)
    yield from rounds if every is None else grouped(rounds, every)


def _arriving(
    chunks: Iterable[Any], delay: Delay, use: Use, drawn: bool = False
) -> Iterator[Round]:
    """Yield a round a chunk: test on its rows, train on those whose labels have arrived.

    `use` says of the next n rows whether each is tested, and how often it is learned; `drawn`, that
    not all of them are.
    """
    late = delay if callable(delay) else lambda row: delay
    waiting: list[tuple[float, int, int, Any, Any]] = []
    taught = False
    for start, (X, y) in chunks:
        X, y = np.asarray(X), np.asarray(y)
        stop = start + len(y)
        tested, times = use(len(y))
        for i, row in enumerate(range(start, stop)):
            wait = late(row)
            if not wait >= 0:
                raise ValueError(f"the delay of row {row} must not be negative, got {wait}")
            if times[i]:
                heapq.heappush(waiting, (row + wait, row, times[i], X[i], y[i]))
        arrived = []
        while waiting and waiting[0][0] < stop:
            arrived.append(heapq.heappop(waiting))
        acts: list[Act] = []
        if taught and tested.any():
            rows = slice(None) if tested.all() else tested > 0
            acts.append(Predict(X[rows], y[rows], drawn=drawn))
        if arrived:
            again, late_X, late_y = ([a[k] for a in arrived] for k in (2, 3, 4))
            rows = np.repeat(np.arange(len(again)), np.array(again, dtype=int))
            acts.append(Learn(np.stack(late_X)[rows], np.array(late_y)[rows]))
        yield Round(start, stop, acts)
        taught = taught or bool(arrived)


def _single_rows(chunks: Iterable[Any]) -> Iterator[Any]:
    for start, (X, y) in chunks:
        for i in range(len(y)):
            yield start + i, (X[i : i + 1], y[i : i + 1])


def _joined(acts: Iterable[Any]) -> list[Act]:
    """Join acts of single rows: tests in a row are one, and so are rows to be learned."""
    joined: list[Act] = []
    for kind, group in groupby(acts, type):
        some = list(group)
        X, y = (np.concatenate(parts) for parts in zip(*(act[:2] for act in some)))
        joined.append(LearnRows(X, y) if kind is Learn else Predict(X, y, drawn=some[0].drawn))
    return joined
