"""Streams that go from concept to concept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import cast

import numpy as np

from driftlearn.streams._generated import GeneratedStream
from driftlearn.streams._stream import Span, Stream
from driftlearn.streams._transitions import Transitions, sigmoid
from driftlearn.utils.arguments import check_positive, check_rows, check_seed, choose
from driftlearn.utils.typing import Floats, Ints, Rows

#: The probability of a row of the new concept; transitions without one leave nothing to chance.
CHANCES: dict[str, Callable[[Floats], Floats] | None] = {
    "abrupt": None,
    "sigmoid": sigmoid,
    "linear": lambda share: share,
    "incremental": None,
}


class Drifting(GeneratedStream):
    """A stream that goes from concept to concept, each of them a generated stream.

    Every row is drawn from one of the concepts. When a change comes, the next concept takes over
    at once (``"abrupt"``), or gradually: row by row chance decides which of the two is drawn from,
    the new one with a probability that grows as a sigmoid or linearly. In an incremental
    transition the parameters of the concept move instead, from the old values to the new ones.

    A concept has its number, and keeps it when it returns: see `concept_at`.

    Parameters
    ----------
    concepts : sequence of GeneratedStream
        The concepts; generators of one concept each, with the same features and classes, or such
        generators in wrappers as `LabelNoise`. `RandomRows` makes one of recorded rows.
    drift_at : sequence of int, default=None
        Rows at which the next concept begins, or begins to come in. None divides the stream
        evenly.
    transition : {"abrupt", "sigmoid", "linear", "incremental"}, default="abrupt"
        How the next concept comes in. For an incremental transition the concepts differ in
        parameters alone that their class declares as `movable`.
    width : int, default=0
        Rows that a transition takes; all but abrupt ones need some.
    order : sequence of int, default=None
        Numbers of the concepts in the order of their coming, as ``(0, 1, 0, 2)``. None takes them
        in turn, and after the last one the first again, as long as there are changes.
    n_rows : int or None, default=100_000
        Rows of the stream, whatever the concepts have; None is unlimited.
    chunk_size : int, default=1_000
        Rows in a chunk, and in a test set, where the reader does not say.
    random_state : int, default=None
        Seed of the whole, from which the seeds of the concepts follow. None takes that of the
        first concept.

    Notes
    -----
    A test set is drawn as the rows at its position are: from two concepts during a gradual
    transition. The sigmoid is ``1 / (1 + exp(-4 (row - p) / w))`` with ``width = 3 w`` around
    ``p = start + width / 2``, cut off at both ends, where it is nearer than 0.003 to 0 and 1: what
    other libraries call a change at ``p`` of width ``w``.

    A concept that moves by itself, as `RBF`, moves with the rows of the whole stream: it moves on
    while another one is in force.

    Examples
    --------
    >>> from driftlearn.streams import Drifting, Sine
    >>> stream = Drifting(
    ...     [Sine(1), Sine(2)],
    ...     drift_at=(3_000, 6_000, 9_000),
    ...     transition="sigmoid",
    ...     width=500,
    ...     n_rows=12_000,
    ...     random_state=0,
    ... )
    >>> stream.drift_spans
    [(3000, 3500), (6000, 6500), (9000, 9500)]
    >>> [stream.concept_at(row) for row in (0, 3_100, 3_400, 8_000, 11_000)]
    [0, 0, 1, 0, 1]
    """

    name = "drifting"

    def __init__(
        self,
        concepts: Sequence[GeneratedStream],
        drift_at: Sequence[int] | None = None,
        transition: str = "abrupt",
        width: int = 0,
        order: Sequence[int] | None = None,
        n_rows: int | None = 100_000,
        chunk_size: int = 1_000,
        random_state: int | None = None,
    ) -> None:
        self.n_rows = None if n_rows is None else check_positive("n_rows", n_rows)
        first = _check_concepts(concepts, self.n_rows)
        self.random_state = check_seed(first.random_state if random_state is None else random_state)
        self.concepts = seeded(concepts, self.random_state)
        self.transition = transition
        self.chunk_size = check_positive("chunk_size", chunk_size)
        self.n_features = first.n_features
        self.feature_names = first.feature_names
        self.classes = first.classes
        choose("transition", transition, CHANCES)
        self.drift_at, self.order = self._plan(drift_at, order)
        self._transitions = Transitions(self.drift_at, width, self.n_rows)
        self.width = self._transitions.width
        if self.drift_at and (transition == "abrupt") != (self.width == 0):
            raise ValueError(
                f"an abrupt transition has width 0, and others take some rows; got transition="
                f"{transition!r} and width={width}"
            )
        if transition == "incremental":
            for old, new in pairwise(self.order):
                _check_movable(self.concepts[old], self.concepts[new], old, new)

    def _plan(
        self, drift_at: Sequence[int] | None, order: Sequence[int] | None
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Give the rows of all changes, and the number of the concept of every segment."""
        k = len(self.concepts)
        if drift_at is None:
            n = k if order is None else len(order)
            if self.n_rows is None or n > self.n_rows:
                raise ValueError(
                    f"{self.n_rows or 'endless'} rows cannot be divided evenly; give drift_at"
                )
            drift_at = [i * self.n_rows // n for i in range(1, n)]
        drift_at = check_rows("drift_at", drift_at)
        if order is None:
            order = [i % k for i in range(len(drift_at) + 1)]
        if len(order) != len(drift_at) + 1:
            raise ValueError(
                f"order must have one concept more than drift_at has rows, {len(drift_at) + 1}; "
                f"got {tuple(order)!r}"
            )
        for number in order:
            if isinstance(number, bool) or number not in range(k):
                raise ValueError(f"order must have numbers of concepts, 0 to {k - 1}; got {number}")
        if any(old == new for old, new in pairwise(order)):
            raise ValueError(
                f"a concept cannot follow itself; got order={tuple(order)}, with {k} concepts"
            )
        return drift_at, tuple(int(number) for number in order)

    @property
    def drift_spans(self) -> list[Span]:
        """The transitions; before them one over all rows, if a concept moves by itself."""
        moving = any(concept.drift_spans for concept in self.concepts)
        return [*([(0, self.n_rows)] if moving else []), *self._transitions.spans]

    def concept_at(self, row: int) -> int:
        """Give the number of the concept in force; during a transition of the more likely one."""
        (segment,), (share,) = self._transitions.at(np.array([self._check_row(row)]))
        return self.order[segment - (share < 0.5)]

    def _sample(self, rng: np.random.Generator, rows: Ints, test: bool) -> Rows:
        segment, share = self._transitions.at(rows)
        chance = CHANCES[self.transition]
        if chance is not None:
            segment = segment - (rng.random(len(rows)) >= chance(share))
        if segment[0] == segment[-1] and np.all(segment == segment[0]):
            return self._source(segment[0], share)._sample(rng, rows, test)
        X = np.empty((len(rows), self.n_features))
        y = np.empty(len(rows), dtype=self.classes.dtype)
        for i in np.unique(segment):
            here = segment == i
            X[here], y[here] = self._source(i, share[here])._sample(rng, rows[here], test)
        return X, y

    def _source(self, segment: int, share: Floats) -> GeneratedStream:
        """Give what the rows of a segment are drawn from, that far after its beginning."""
        new = self.concepts[self.order[segment]]
        if self.transition != "incremental" or np.all(share == 1):
            return new
        old = self.concepts[self.order[segment - 1]]
        made = object.__new__(type(new))
        vars(made).update(vars(new))
        for name in new.movable:
            a, b = np.asarray(getattr(old, name)), np.asarray(getattr(new, name))
            part = share.reshape(-1, *(1,) * a.ndim)
            setattr(made, name, (1 - part) * a + part * b)
        return made


def seeded(concepts: Sequence[GeneratedStream], seed: int) -> tuple[GeneratedStream, ...]:
    """Give every concept a seed of its own, which follows from the seed of the whole."""
    others = np.random.SeedSequence(seed).generate_state(len(concepts) - 1)
    seeds = [seed, *map(int, others)]
    return tuple(cast(GeneratedStream, c._seeded(s)) for c, s in zip(concepts, seeds))


def _check_concepts(concepts: Sequence[Stream], n_rows: int | None) -> GeneratedStream:
    """Give the first concept, if all can be concepts of one stream."""
    if not isinstance(concepts, Sequence) or not concepts:
        raise ValueError(f"concepts must be a list of streams, one at least; got {concepts!r}")
    first = concepts[0]
    for k, concept in enumerate(concepts):
        what = f"concept {k}, {concept!r},"
        if not (isinstance(concept, Stream) and concept._drawable):
            raise ValueError(
                f"{what} is no generated stream, from which rows can be drawn in any order; rows "
                "of recorded data are drawn at random by RandomRows(...)"
            )
        if concept.drifts:
            raise ValueError(
                f"{what} changes by itself at row {concept.drifts[0]}; make it of one concept only"
            )
        end = np.inf if concept.n_rows is None else concept.n_rows
        if concept.drift_spans and end < (np.inf if n_rows is None else n_rows):
            raise ValueError(f"{what} moves for {end} rows, and {n_rows} are needed: give it more")
        if concept.n_features != first.n_features:
            raise ValueError(
                f"{what} has {concept.n_features} features, but concept 0 has {first.n_features}"
            )
        if not np.array_equal(concept.classes, first.classes):
            raise ValueError(
                f"{what} has the classes {concept.classes.tolist()}, but concept 0 has "
                f"{first.classes.tolist()}"
            )
    return cast(GeneratedStream, first)


def _check_movable(old: GeneratedStream, new: GeneratedStream, i: int, j: int) -> None:
    kind = type(new).__name__
    if type(old) is not type(new) or not new.movable:
        raise ValueError(
            f"an incremental transition moves the parameters of one generator that declares them "
            f"as movable; concepts {i} and {j} are {type(old).__name__} and {kind}"
        )
    before, after = old.params(), new.params()
    for name in sorted(after.keys() - {*new.movable, "random_state", "n_rows", "chunk_size"}):
        if not np.array_equal(before[name], after[name]):
            raise ValueError(
                f"concepts {i} and {j} differ in {name}, which cannot move; movable in {kind} are "
                f"{', '.join(new.movable)}"
            )
    for name in new.movable:
        if np.shape(getattr(old, name)) != np.shape(getattr(new, name)):
            raise ValueError(f"{name} has another number of values in concept {j} than in {i}")
