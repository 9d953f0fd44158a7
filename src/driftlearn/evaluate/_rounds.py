"""Rounds of testing and training, as generated from a stream by each protocol."""

import hashlib
import heapq
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from driftlearn.evaluate._run import Action, Learn, LearnRows, Predict, Round, TestThenTrain
from driftlearn.utils._poisson import poisson
from driftlearn.utils.arguments import Ints

Delay = int | float | Callable[[int], float]
Use = Callable[[int], tuple[Ints, Ints]]


def batches(stream: Iterable[Any], chunk_size: int | None) -> Iterator[tuple[int, tuple[Any, Any]]]:
    """Yield the first row number and the rows of each chunk of a stream or iterable."""
    if hasattr(stream, "chunks"):
        for batch in stream.chunks() if chunk_size is None else stream.chunks(chunk_size):
            yield int(batch.start), (batch.X, batch.y)
        return
    if isinstance(stream, np.ndarray) or hasattr(stream, "columns"):
        raise _no_stream(stream, 0)
    if chunk_size is not None:
        raise ValueError(
            f"chunk_size cannot be set if the stream is an iterable of batches. Got {chunk_size}."
        )
    row = 0
    for number, batch in enumerate(stream):
        if hasattr(batch, "X") and hasattr(batch, "y"):
            X, y = batch.X, batch.y
        elif isinstance(batch, (tuple, list)) and len(batch) == 2:
            X, y = batch
        else:
            raise _no_stream(stream, number)
        yield row, (X, y)
        row += len(y)


def _no_stream(stream: Any, number: int) -> ValueError:
    return ValueError(
        "stream must be a Stream or yield (X, y) batches. Got "
        f"{type(stream).__name__}, whose batch {number} is not a pair. Use "
        "streams.from_frame(df, target=...) or streams.from_arrays(X, y)."
    )


def prequential_rounds(
    stream: Iterable[Any], chunk_size: int | None = None, every: int | None = None
) -> Iterator[Round]:
    """Test on each chunk, then train on it; the first is only trained on."""
    if hasattr(stream, "chunks") and every is not None and chunk_size == 1:
        yield from _row_by_row(stream, every)
        return
    yield from grouped(_chunk_by_chunk(stream, chunk_size), every or 1)


def _chunk_by_chunk(stream: Iterable[Any], chunk_size: int | None) -> Iterator[Round]:
    for number, (start, rows) in enumerate(batches(stream, chunk_size)):
        actions: list[Action] = [Predict(*rows)] if number else []
        yield Round(start, start + len(rows[1]), [*actions, Learn(*rows)])


def _row_by_row(stream: Iterable[Any], every: int) -> Iterator[Round]:
    """Yield rounds of `every` chunks of one row."""
    for number, (start, (X, y)) in enumerate(batches(stream, every)):
        untested = 0 if number else 1
        actions: list[Action] = [Learn(X[:1], y[:1])] if untested else []
        if len(y) > untested:
            actions.append(TestThenTrain(X[untested:], y[untested:]))
        yield Round(start, start + len(y), actions)


def grouped(rounds: Iterable[Round], every: int) -> Iterator[Round]:
    """Join consecutive rounds until they cover `every` rows."""
    actions: list[Action] = []
    begin = stop = 0
    for round_ in rounds:
        if stop == begin:
            begin = round_.start
        actions += round_.actions
        stop = round_.stop
        if stop - begin >= every:
            yield Round(begin, stop, actions)
            actions, begin = [], stop
    if actions or stop > begin:
        yield Round(begin, stop, actions)


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
        raise ValueError("holdout requires a stream with the method test_set(row, n, random_state)")
    random_state = own_seed(stream, random_state)
    chunks = batches(stream, every if chunk_size is None else chunk_size)
    learned = (Round(start, start + len(y), [Learn(X, y)]) for start, (X, y) in chunks)
    held_out: Predict | None = None
    concept: Any = None
    for number, (begin, stop, actions) in enumerate(grouped(learned, every or 1)):
        now = _concept(stream, stop - 1)
        if not fixed or held_out is None or not np.array_equal(now, concept):
            # The seed is hashed, so that test rows differ from the rows of a stream with the same
            # seed.
            seed = np.random.SeedSequence([random_state, number]).generate_state(1)[0]
            X, y = stream.test_set(stop - 1, test_size, random_state=int(seed))
            held_out, concept = Predict(X, y, fixed, drawn=True), now
        yield Round(begin, stop, [*actions, held_out])


def own_seed(stream: Any, random_state: int | None) -> int:
    """Return the seed of the test rows: `random_state`, or that of the stream."""
    if random_state is not None:
        return random_state
    own = getattr(stream, "random_state", None)
    return int(own) if isinstance(own, Integral) else 0


def _concept(stream: Any, row: int) -> Any:
    """Return the concept in force at a row or, if unknown, the number of drifts before it."""
    if hasattr(stream, "concept_at"):
        return stream.concept_at(row)
    return bisect_right(list(stream.drifts), row)


def delayed_rounds(
    stream: Iterable[Any], chunk_size: int | None = None, delay: Delay = 0, every: int | None = None
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
    """Test one fold of the learners on some rows and train it on others, drawn at random."""
    draws = np.random.default_rng([random_state, fold] if scheme == "bootstrap" else random_state)

    def use(n: int) -> tuple[Ints, Ints]:
        u = draws.random(n)
        if scheme == "bootstrap":
            times = np.array([poisson(each, 1.0) for each in u], dtype=int)
            return (times == 0).astype(int), times
        mine = (u * n_folds).astype(int) == fold
        return (mine.astype(int), (~mine).astype(int))[:: 1 if scheme == "cross" else -1]

    by_row = chunk_size == 1 and every is not None and hasattr(stream, "chunks")
    chunks = batches(stream, every if by_row else chunk_size)
    if by_row:
        chunks = (
            (start + i, (X[i : i + 1], y[i : i + 1]))
            for start, (X, y) in chunks
            for i in range(len(y))
        )
    rounds = _arriving(chunks, delay, use, drawn=True)
    for round_ in rounds if every is None else grouped(rounds, every):
        yield round_._replace(actions=_joined(round_.actions)) if by_row else round_


def _arriving(
    chunks: Iterable[Any], delay: Delay, use: Use, drawn: bool = False
) -> Iterator[Round]:
    """Yield one round per chunk: test on its rows, train on those whose labels have arrived.

    `use` returns, for the next n rows, whether to test on each row and how often to train on it.
    `drawn` is True if some rows are not tested.
    """
    late = delay if callable(delay) else lambda row: delay
    waiting: list[tuple[float, int, int, Any, Any]] = []
    is_trained = False
    for start, (X, y) in chunks:
        X, y = np.asarray(X), np.asarray(y)
        stop = start + len(y)
        tested, times = use(len(y))
        for i, row in enumerate(range(start, stop)):
            wait = late(row)
            if not wait >= 0:
                raise ValueError(f"delay must be >= 0. Got {wait} for row {row}.")
            if times[i]:
                heapq.heappush(waiting, (row + wait, row, times[i], X[i], y[i]))
        arrived = []
        while waiting and waiting[0][0] < stop:
            arrived.append(heapq.heappop(waiting))
        actions: list[Action] = []
        if is_trained and tested.any():
            rows = slice(None) if tested.all() else tested > 0
            actions.append(Predict(X[rows], y[rows], drawn=drawn))
        if arrived:
            again, late_X, late_y = ([a[k] for a in arrived] for k in (2, 3, 4))
            rows = np.repeat(np.arange(len(again)), np.array(again, dtype=int))
            actions.append(Learn(np.stack(late_X)[rows], np.array(late_y)[rows]))
        yield Round(start, stop, actions)
        is_trained = is_trained or bool(arrived)


def _joined(actions: Iterable[Any]) -> list[Action]:
    """Join actions on single rows: consecutive tests, and consecutive training rows."""
    joined: list[Action] = []
    for kind, group in groupby(actions, type):
        some = list(group)
        X, y = (np.concatenate(parts) for parts in zip(*(action[:2] for action in some)))
        joined.append(LearnRows(X, y) if kind is Learn else Predict(X, y, drawn=some[0].drawn))
    return joined


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
    n_rows: Any = getattr(stream, "n_rows", None)
    lacks = {
        "its drifts are unknown (drifts: [])": not drifts,
        "its number of rows is unknown": n_rows is None,
        "it has no method concept_at": not hasattr(stream, "concept_at"),
    }
    for what, is_missing in lacks.items():
        if is_missing:
            name = getattr(stream, "name", type(stream).__name__)
            raise ValueError(f"the concepts protocol cannot be used on {name}: {what}")
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
    """Train on each period, then test on every concept: one round per period and concept.

    A chunk that contains a drift is assigned to the period after that drift.
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
