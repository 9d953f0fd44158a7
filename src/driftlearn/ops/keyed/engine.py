"""What engines that hand rows to keys have in common: rows by key, lessons, and what is counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from driftlearn import io as persist
from driftlearn.ops.keyed.key_cache import summary_of
from driftlearn.ops.keyed.key_store import Aside, KeyStore, Summary
from driftlearn.ops.keyed.keyed_learner import Answers, KeyedLearner
from driftlearn.ops.keyed.keyed_models import Found, KeyedModels
from driftlearn.ops.keyed.population import Population
from driftlearn.ops.keyed.reader import Batch
from driftlearn.ops.keyed.rows import Rows
from driftlearn.ops.keyed.voices import GLOBAL, Said
from driftlearn.tables.frames import Frame, Raw

MOST_ASIDE = 1_000  # rows put aside that travel with what is counted; all are counted


@dataclass
class Group:
    """Rows of one key that follow each other.

    Attributes
    ----------
    key : str
        The key.
    rows : Rows
        Its rows; none of them is poisoned.
    oldest : ndarray
        For each the number below which keys were idle when it came.
    where : list of (file, row)
        Where each comes from.
    numbers : ndarray
        Which row of the stream each is.
    said : Said or None
        What the population said of them; None where it is to be asked.
    """

    key: str
    rows: Rows
    oldest: np.ndarray
    where: list[tuple[str | None, int | None]]
    numbers: np.ndarray
    said: Said | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as plain values: between processes go many groups of few rows."""
        frame, said = self.rows.frame, self.said
        columns = [(raw.values, raw.is_category) for raw in frame.columns]
        voices = None if said is None else (said.names, said.labels.tolist())
        return _group, (self.key, frame.names, columns, self.rows.labels, self.oldest, self.where,
                        self.numbers, voices)  # fmt: skip

    @classmethod
    def of(cls, learner: KeyedLearner, key: str, table: Any, labels: Any) -> Group:
        """Return a group of rows of your own; raise ValueError if one of them is poisoned."""
        return cls.of_rows(key, learner._good(table, labels))

    @classmethod
    def of_rows(cls, key: str, rows: Rows) -> Group:
        """Return a group of good rows whose places are known elsewhere."""
        n = len(rows)
        nowhere: list[tuple[str | None, int | None]] = [(None, None)] * n
        return cls(key, rows, np.zeros(n, dtype=np.int64), nowhere, np.zeros(n, dtype=np.int64))


def _group(
    key: str,
    names: list[str] | None,
    columns: list[tuple[np.ndarray, bool]],
    labels: list[str | None],
    oldest: np.ndarray,
    where: list[tuple[str | None, int | None]],
    numbers: np.ndarray,
    voices: tuple[list[str], list[list[Any]]] | None,
) -> Group:
    """Return a group that travelled."""
    n = len(labels)
    frame = Frame(names, [Raw(*column) for column in columns], n)
    said = None
    if voices is not None:
        said = Said(voices[0], np.empty((len(voices[0]), n), dtype=object))
        for place, each in zip(said.labels, voices[1]):
            place[:] = each
    return Group(key, Rows(frame, [], labels, {}), oldest, where, numbers, said)


def grouped(batch: Batch, population: Population | None = None) -> Iterator[Group]:
    """Yield the good rows of a batch by key.

    Parameters
    ----------
    batch : Batch
        The rows.
    population : Population, optional
        Says something of each, and learns them in their order; else it is asked later.
    """
    good = batch.good
    if not len(good):
        return
    rows = batch.rows.take(good)
    said = None if population is None else population.learn_rows(rows)
    codes: dict[str, int] = {}
    code = np.array([codes.setdefault(str(key), len(codes)) for key in rows.keys])
    order = np.argsort(code, kind="stable")
    ends = np.cumsum(np.bincount(code)).tolist()
    rows, good = rows.take(order), good[order]
    said = None if said is None else said.rows(order)
    oldest, numbers = batch.oldest[good], batch.begin + good
    where: list[Any] = [batch.where[i] for i in good.tolist()]
    for key, begin, end in zip(codes, [0, *ends], ends):
        part = slice(begin, end)
        some = Rows(rows.part(begin, end), [], rows.labels[part], {})
        heard = None if said is None else said.rows(part)
        yield Group(key, some, oldest[part], where[part], numbers[part], heard)


@dataclass
class Counts:
    """What is counted of a stream; sums can be added."""

    rows: int = 0
    learned: int = 0
    tested: int = 0
    right: int = 0
    n_aside: int = 0
    expired: dict[int, int] = field(default_factory=dict)
    aside: list[Aside] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.n_aside = max(self.n_aside, len(self.aside))

    def __add__(self, other: Counts) -> Counts:
        expired = {**self.expired}
        for at, n in other.expired.items():
            expired[at] = expired.get(at, 0) + n
        aside = [*self.aside, *other.aside]
        if other.aside:
            aside = sorted(aside, key=lambda each: (each.at, each.row is not None))[-MOST_ASIDE:]
        return Counts(
            self.rows + other.rows, self.learned + other.learned, self.tested + other.tested,
            self.right + other.right, self.n_aside + other.n_aside, expired, aside,
        )  # fmt: skip

    def dumps(self) -> bytes:
        """Return it as JSON."""
        expired = [[at, n] for at, n in sorted(self.expired.items())]
        return json.dumps({**vars(self), "expired": expired}).encode()

    @classmethod
    def loads(cls, content: bytes) -> Counts:
        """Return what `dumps` wrote."""
        found = json.loads(content)
        found["expired"] = dict(found["expired"])
        found["aside"] = [Aside(*each) for each in found["aside"]]
        return cls(**found)


@dataclass
class Lesson:
    """What was said of the rows of a group before they were learned."""

    group: Group
    answers: Answers
    ages: list[int]
    counts: Counts
    bad: dict[int, str]

    def lines(self) -> Iterator[list[Any]]:
        """Yield a line of the file of predictions for each row."""
        group = self.group
        for i, (place, label, said, who) in enumerate(
            zip(group.where, group.rows.labels, *self.answers)
        ):
            if i not in self.bad:
                yield [*place, group.key, label, said, who]

    def heard(self) -> list[list[Any]]:
        """Return what `Heard.update` takes: numbers, labels, answers, who, ages, and everyone's."""
        group = self.group
        everyone: list[Any] = [None] * len(self.ages)
        if group.said is not None and GLOBAL in group.said.names:
            everyone = group.said.labels[0].tolist()
        return [group.numbers.tolist(), group.rows.labels, *self.answers, self.ages, everyone]


class Pupils:
    """The keys that learn in one process; where their states are kept is the engine's business.

    Parameters
    ----------
    learner : KeyedLearner
        How keys learn; its population is asked of rows of which nothing was said.
    known : KeyStore, optional
        States from before, of keys that have none here yet.
    memory, idle
        As in `KeyedModels`.
    """

    def __init__(
        self,
        learner: KeyedLearner,
        known: KeyStore | None = None,
        *,
        memory: int = 2**30,
        idle: Any = None,
    ):
        self._models = KeyedModels(learner, KeyStore(), memory=memory, idle=idle)
        self._known = known
        self._met: set[str] = set()

    def take_up(self, key: str, content: bytes) -> None:
        """Go on with a state that an engine kept."""
        self._met.add(key)
        self._models.cache.take_up(key, content)

    def learn(self, group: Group) -> Lesson:
        """Answer rows of a key, then learn them."""
        models, key, n = self._models, group.key, len(group.rows)
        if key not in self._met:
            content = None if self._known is None else self._known.state(key)
            self._met.add(key)
            if content is not None:
                models.cache.take_up(key, content)
        found = Found([None] * n, [None] * n, [-1] * n)
        said = group.said
        if said is None:
            said = models.learner.population.answers(group.rows.table, n)
        when, where = (group.oldest, group.numbers), [*range(n)]
        bad = models.learn_key(key, group.rows, said, when, where, (0, n), found)
        learned = [i for i in range(n) if found.ages[i] >= 0]
        tested = [i for i in learned if found.labels[i] is not None]
        right = sum(found.labels[i] == group.rows.labels[i] for i in tested)
        aside = [
            Aside(int(group.numbers[i]), *group.where[i], key, why)
            for i, why in sorted(bad.items())
        ]
        expired = models.store.take_expired()
        counts = Counts(0, len(learned), len(tested), right, aside=aside, expired=expired)
        return Lesson(group, Answers(found.labels, found.who), found.ages, counts, bad)

    def learn_rows(self, rows: Rows) -> tuple[Found, dict[int, str]]:
        """Answer good rows of any keys, whose states were taken up, then have each learn its own.

        Returns
        -------
        found : Found
            The answers.
        bad : dict of int to str
            What is the matter with rows that were refused.
        """
        n = len(rows)
        nobody = np.zeros(n, dtype=np.int64)
        found = Found([None] * n, [None] * n, [-1] * n)
        said = self._models.learner.population.answers(rows.table, n)
        when, index = (nobody, nobody), np.arange(n)
        return found, self._models.learn_good(rows, said, when, index, found)

    def content(self, key: str) -> bytes:
        """Return the state of a key as bytes."""
        return self._models.cache.written(key, self._models.learner)

    def final(self, key: str) -> tuple[Summary, bytes]:
        """Return the state of a key, with what is known of it without its model."""
        content = self._models.cache.written(key, self._models.learner)
        state = self._models.state(key)
        assert state is not None
        return summary_of(key, state), content

    def left(self, key: str) -> tuple[Summary, bytes] | None:
        """Return what `final` does, but None for a state that cannot be read: it stays so."""
        try:
            return self.final(key)
        except (ValueError, ImportError):
            if key in self._models.cache:
                raise
            return None

    def give_up(self, key: str) -> tuple[Summary, bytes]:
        """Return what `final` does; from now on the state is kept elsewhere."""
        found = self.final(key)
        self.forget(key)
        return found

    def forget(self, key: str) -> None:
        """Forget a key whose state is kept elsewhere."""
        self._met.discard(key)
        self._models.cache.forget(key)


def packed(learner: KeyedLearner) -> bytes:
    """Return a learner with its population as bytes, for other processes."""
    names = ("learner", "kinds", "chunk", "population")
    return persist.dumps({name: getattr(learner, name) for name in names}, compress=True)


def unpacked(content: bytes) -> KeyedLearner:
    """Return the learner that was packed."""
    found = persist.loads(content)
    return KeyedLearner(found.pop("learner"), **found)
