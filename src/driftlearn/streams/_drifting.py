"""Streams that switch between concepts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

import numpy as np

from driftlearn.streams._generated import GeneratedStream, Transitions
from driftlearn.streams._stream import Span, Stream
from driftlearn.utils import arguments
from driftlearn.utils.arguments import Floats, Ints, Rows

# The sigmoid goes from about exp(-6) to 1 - exp(-6), which are within 0.25 % of 0 and 1.
STEEPNESS = 12.0


def sigmoid(share: Floats) -> Floats:
    """Return the probability of the new concept for the progress of a sigmoid transition."""
    bent = 1 / (1 + np.exp(-STEEPNESS * (share - 0.5)))
    return np.where(share < 1, bent, 1.0)


#: Probability of the new concept as a function of the progress of a transition; None for
#: transitions without randomness.
CHANCES: dict[str, Callable[[Floats], Floats] | None] = {
    "abrupt": None,
    "sigmoid": sigmoid,
    "linear": lambda share: share,
    "incremental": None,
}


@dataclass(repr=False, eq=False)
class Drifting(GeneratedStream):
    """Stream with concept drift: switches between generated streams, its concepts.

    Every row is drawn from one of the concepts. At an ``"abrupt"`` drift the next concept replaces
    the old one at once. A gradual drift draws each row from the old or the new concept at random;
    the probability of the new one increases as a sigmoid or linearly. An incremental drift moves
    the parameters of the concept from their old to their new values.

    A recurring concept keeps its number, see `concept_at`.

    Parameters
    ----------
    concepts : sequence of GeneratedStream
        The concepts: generators with a single concept each, with the same features and classes, or
        such generators in a wrapper, for example `LabelNoise`. Use `RandomRows` for recorded rows.
    drift_at : sequence of int, default=None
        Rows at which the transition to the next concept starts. None divides the stream into
        equal parts.
    transition : {"abrupt", "sigmoid", "linear", "incremental"}, default="abrupt"
        Kind of drift. For incremental drift the concepts may differ only in parameters that their
        class declares as `movable`.
    width : int, default=0
        Number of rows of a transition; 0 for abrupt drift, positive for all others.
    order : sequence of int, default=None
        Concept numbers in order of occurrence, for example ``(0, 1, 0, 2)``.
        None cycles through the concepts.
    n_rows : int or None, default=100_000
        Number of rows, regardless of the lengths of the concepts; None means unlimited.
    chunk_size : int, default=1_000
        Default number of rows of a chunk and of a test set.
    random_state : int, default=None
        Seed of the stream, from which the seeds of the concepts are derived. None uses the seed of
        the first concept.

    Notes
    -----
    A test set has the distribution of the rows at its position, which during a gradual drift is a
    mixture of two concepts. The sigmoid is ``1 / (1 + exp(-4 (row - p) / w))`` with ``width = 3 w``
    around ``p = start + width / 2``. Other libraries call this a drift at ``p`` of width ``w``. It
    is cut off at both ends, where it differs from 0 and 1 by less than 0.003.

    A concept with internal drift, for example `RBF`, moves with the row number of this stream, even
    while another concept is active.

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

    concepts: Sequence[GeneratedStream]
    drift_at: Sequence[int] | None = None
    transition: str = "abrupt"
    width: int = 0
    order: Sequence[int] | None = None
    n_rows: int | None = 100_000
    chunk_size: int = 1_000
    random_state: int | None = None

    def __post_init__(self) -> None:
        if self.n_rows is not None:
            self.n_rows = arguments.check_positive("n_rows", self.n_rows)
        first = _check_concepts(self.concepts, self.n_rows)
        seed = first.random_state if self.random_state is None else self.random_state
        self.random_state = arguments.check_seed(seed)
        # Different seeds make the rows of the concepts independent.
        others = np.random.SeedSequence(self.random_state).generate_state(len(self.concepts) - 1)
        seeds = [self.random_state, *map(int, others)]
        concepts = (concept._seeded(each) for concept, each in zip(self.concepts, seeds))
        self.concepts = cast(tuple[GeneratedStream, ...], tuple(concepts))
        self.chunk_size = arguments.check_positive("chunk_size", self.chunk_size)
        self.n_features = first.n_features
        self.feature_names = first.feature_names
        self.classes = first.classes
        arguments.choose("transition", self.transition, CHANCES)
        self.drift_at, self.order = self._plan(self.drift_at, self.order)
        self._transitions = Transitions(self.drift_at, self.width, self.n_rows)
        self.width = self._transitions.width
        if self.drift_at and (self.transition == "abrupt") != (self.width == 0):
            raise ValueError(
                "'width' must be 0 for abrupt transitions and positive for others. "
                f"Got transition={self.transition!r} and width={self.width}."
            )
        if self.transition == "incremental":
            for old, new in pairwise(self.order):
                _check_movable(self.concepts[old], self.concepts[new], old, new)

    def _plan(
        self, drift_at: Sequence[int] | None, order: Sequence[int] | None
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the rows at which drifts start and the concept number of every segment."""
        k = len(self.concepts)
        if drift_at is None:
            n = k if order is None else len(order)
            if self.n_rows is None or n > self.n_rows:
                raise ValueError(
                    f"{self.n_rows or 'unlimited'} rows cannot be divided into {n} equal parts. "
                    "Set the 'drift_at' parameter."
                )
            drift_at = [i * self.n_rows // n for i in range(1, n)]
        drift_at = arguments.check_rows("drift_at", drift_at)
        if order is None:
            order = [i % k for i in range(len(drift_at) + 1)]
        if len(order) != len(drift_at) + 1:
            raise ValueError(
                "The length of 'order' must be the number of rows in 'drift_at' plus one: "
                f"{len(drift_at) + 1}. Got {tuple(order)!r}."
            )
        for number in order:
            arguments.check_integer("every concept number in 'order'", number, 0, k - 1)
        if any(old == new for old, new in pairwise(order)):
            raise ValueError(
                f"A concept cannot follow itself. Got order={tuple(order)} with {k} concepts."
            )
        return drift_at, tuple(int(number) for number in order)

    @property
    def drift_spans(self) -> list[Span]:
        """The transitions, preceded by one span over all rows if a concept has internal drift."""
        moving = any(concept.drift_spans for concept in self.concepts)
        return [*([(0, self.n_rows)] if moving else []), *self._transitions.spans]

    def concept_at(self, row: int) -> int:
        """Return the current concept's number; in a transition, that of the more likely concept."""
        (segment,), (share,) = self._transitions.at(np.array([self._check_row(row)]))
        return self.order[segment - (share < 0.5)]  # type: ignore[index]

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
        """Return the generator of the rows of a segment, given the progress of its transition."""
        new = self.concepts[self.order[segment]]  # type: ignore[index]
        if self.transition != "incremental" or np.all(share == 1):
            return new
        old = self.concepts[self.order[segment - 1]]  # type: ignore[index]
        made = object.__new__(type(new))
        vars(made).update(vars(new))
        for name in new.movable:
            a, b = np.asarray(getattr(old, name)), np.asarray(getattr(new, name))
            part = share.reshape(-1, *(1,) * a.ndim)
            setattr(made, name, (1 - part) * a + part * b)
        return made


def _check_concepts(concepts: Sequence[Stream], n_rows: int | None) -> GeneratedStream:
    """Return the first concept; raise ValueError unless all concepts are compatible."""
    if not isinstance(concepts, Sequence) or not concepts:
        raise arguments.invalid("concepts", "a non-empty sequence of streams", concepts)
    first = concepts[0]
    for k, concept in enumerate(concepts):
        what = f"Concept {k}, {concept!r},"
        if not (isinstance(concept, Stream) and concept._drawable):
            raise ValueError(
                f"{what} is not a generated stream, from which rows can be drawn in any order. For "
                "recorded data, use RandomRows(...)."
            )
        if concept.drifts:
            raise ValueError(
                f"{what} already has a drift at row {concept.drifts[0]}. Use a stream with a "
                "single concept."
            )
        end = np.inf if concept.n_rows is None else concept.n_rows
        if concept.drift_spans and end < (np.inf if n_rows is None else n_rows):
            raise ValueError(
                f"{what} drifts for only {end} rows, but the stream has {n_rows or 'unlimited'} "
                "rows. Increase its 'n_rows'."
            )
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
            "An incremental transition needs concepts of the same class with movable parameters. "
            f"Concepts {i} and {j} are {type(old).__name__} and {kind}."
        )
    before, after = old.params(), new.params()
    for name in sorted(after.keys() - {*new.movable, "random_state", "n_rows", "chunk_size"}):
        if not np.array_equal(before[name], after[name]):
            raise ValueError(
                f"Concepts {i} and {j} differ in {name!r}, which is not movable. Movable parameters"
                f" of {kind}: {', '.join(new.movable)}."
            )
    for name in new.movable:
        if np.shape(getattr(old, name)) != np.shape(getattr(new, name)):
            raise ValueError(f"Parameter {name!r} has different shapes in concepts {i} and {j}.")
