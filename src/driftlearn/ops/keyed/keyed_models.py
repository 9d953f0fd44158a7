"""The models of all keys in one process: loaded when needed, within a bound of memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from driftlearn.ops.keyed.answering import answered
from driftlearn.ops.keyed.clock import idle_of
from driftlearn.ops.keyed.heard import Heard
from driftlearn.ops.keyed.key_cache import KeyCache
from driftlearn.ops.keyed.key_record import Progress
from driftlearn.ops.keyed.key_state import KeyState
from driftlearn.ops.keyed.key_store import Aside, KeyStore
from driftlearn.ops.keyed.keyed_learner import Answers
from driftlearn.ops.keyed.remembered import clock_of, learner_of, remember
from driftlearn.ops.keyed.rows import Places, Rows
from driftlearn.ops.keyed.voices import GLOBAL, Said

MEMORY = 2**30
RENEW = 1_000_000  # rows of the stream from one choice of the shelf to the next, in the end
SOONEST = 1_000  # rows of the stream until the first; from there on twice as many each
STRETCH = 100_000  # rows of the stream by which forgotten keys are counted
TURN = 2_654_435_761  # by which the place moves at which candidates begin, from time to time


class Found(NamedTuple):
    """Answers to rows, and how many rows the key of each had learned before; -1: it was refused."""

    labels: list[str | None]
    who: list[str | None]
    ages: list[int]


class KeyedModels:
    """A model for each key, rows of all keys in, answers out.

    States are in a store. Those in use are held in memory, within a bound; the one that was not
    used for longest goes first. All that is learned is durable, with the position that belongs
    to it, when `commit` is done.

    Parameters
    ----------
    learner : KeyedLearner, str or estimator
        How keys learn; a store that knows it already needs none.
    store : KeyStore or path, optional
        Where states are kept; by default in memory.
    memory : int
        Bytes that states in memory may take, estimated by walking over some of them.
    idle : int or str or timedelta, optional
        For how long a key may have no row before it is forgotten: rows of the stream, or a span
        of time as "30d", which needs `times`.
    renew : int, optional
        Rows of the stream from one choice of borrowed models to the next, by default a million; the
        first are after 1,000, 2,000, 4,000 rows and so on. It is remembered in the store, as
        `idle` is.

    Attributes
    ----------
    learner : KeyedLearner
        How keys learn, and the population.
    store : KeyStore
        The store.
    clock : Clock
        Which keys are idle.
    heard : Heard
        Whose answers were heard, and how many were right.
    counts : dict of str to int
        ``rows`` of the stream, ``learned`` ones, ``tested`` ones of which something was said,
        ``right`` answers, those put ``aside``, and keys that ``expired``.

    Examples
    --------
    >>> models = KeyedModels("naive-bayes")
    >>> keys, rows = ["ann", "bob"] * 3, {"size": [1.0, 9.0, 1.5, 8.5, 1.2, 9.1]}
    >>> answers = models.learn(keys, rows, ["a", "b"] * 3)
    >>> models.predict(["ann", "bob", "new"], {"size": [1.0, 9.0, 5.0]}).labels[:2]
    ['a', 'b']
    >>> models.commit()
    """

    def __init__(
        self,
        learner: Any = None,
        store: KeyStore | str | os.PathLike[str] | None = None,
        *,
        memory: int = MEMORY,
        idle: Any = None,
        renew: int | None = None,
    ):
        self.store = store if isinstance(store, KeyStore) else KeyStore(store)
        asked: dict[str, Any] = {"idle": None if idle is None else idle_of(idle), "renew": renew}
        self.cache = KeyCache(self.store, memory)
        self._aside: list[Aside] = []
        self.counts = dict.fromkeys(("rows", "learned", "tested", "right", "aside", "expired"), 0)
        self.learner, asked = learner_of(self.store, learner, asked)
        self.renew: int = asked["renew"] or RENEW
        self.clock, counted = clock_of(self.store, *(asked["idle"] or (None, False)))
        self.counts |= counted
        self.heard = Heard.of(self.store.about("heard"))

    def learn(
        self,
        keys: Any,
        table: Any,
        labels: Any,
        *,
        times: np.ndarray | None = None,
        places: Places | None = None,
    ) -> Answers:
        """Answer each row, then have its key learn it.

        Rows of a key are learned in their order. A poisoned row is put aside and answered by None;
        the others go on.

        Parameters
        ----------
        keys : array-like of shape (n,)
            The key of each row: a text or a whole number.
        table : frame, table or dict of columns
            The rows.
        labels : array-like of shape (n,)
            Their labels.
        times : ndarray of datetime64, optional
            The time of each row, NaT where there is none.
        places : sequence of (file, row), optional
            Where each row comes from, for those put aside.

        Returns
        -------
        Answers
            In the order of the rows.
        """
        if self.learner.kinds is None:
            self.learner = self.learner.look(table)
        return self.learn_rows(self.learner.read(table, keys, labels), times, places)

    def learn_rows(
        self, rows: Rows, times: np.ndarray | None = None, places: Places | None = None
    ) -> Answers:
        """Do what `learn` does with rows that were read."""
        if self.clock.by_time and times is None:
            raise ValueError("keys expire by time: give the time of each row, as times=")
        n = len(rows)
        found = Found([None] * n, [None] * n, [-1] * n)
        done = 0
        while done < n:
            end = min(n, done + self.until_renewal())
            due = end == done + self.until_renewal()
            self._learn_stretch(rows, done, end, times, places, found)
            if due:
                self.renew_shelf()
            done = end
        self._aside.sort(key=lambda each: (each.at, each.row is not None))
        self.store.put_aside(self._aside)
        self._aside = []
        return Answers(found.labels, found.who)

    def until_renewal(self) -> int:
        """Return after how many rows the shelf is chosen anew: early on soon, then regularly."""
        step = min(SOONEST, self.renew)
        while step <= self.clock.n_rows and 2 * step <= self.renew:
            step *= 2
        if step > self.clock.n_rows:
            return step - self.clock.n_rows
        return self.renew - self.clock.n_rows % self.renew

    def _learn_stretch(
        self,
        rows: Rows,
        begin: int,
        end: int,
        times: np.ndarray | None,
        places: Places | None,
        found: Found,
    ) -> None:
        """Learn rows between two choices of the shelf."""
        first = self.clock.n_rows
        oldest = self.clock.pass_rows(end - begin, None if times is None else times[begin:end])
        self.counts["rows"] = self.clock.n_rows
        bad = {i: why for i, why in rows.bad.items() if begin <= i < end}
        good = [i for i in range(begin, end) if i not in bad] if bad else range(begin, end)
        if len(good):
            index = np.array(good) if bad else np.arange(begin, end)
            some = rows.take(index)
            said = self.learner.population.learn_rows(some)
            when = oldest[index - begin], index + first - begin
            bad.update(self.learn_good(some, said, when, index, found))
            some_answers = [[each[i] for i in index.tolist()] for each in found]
            everyone = said.labels[0].tolist() if GLOBAL in said.names else None
            counts = self.heard.update(when[1], some.labels, some_answers, everyone)
            for name, n in zip(("learned", "tested", "right"), counts):
                self.counts[name] += n
        where = places or {}
        self.put_aside(
            [
                Aside(first + i - begin, *(where[i] if places else (None, i)), rows.keys[i], bad[i])
                for i in sorted(bad)
            ]
        )

    def learn_good(
        self,
        rows: Rows,
        said: Said,
        when: tuple[np.ndarray, np.ndarray],
        index: np.ndarray,
        found: Found,
    ) -> dict[int, str]:
        """Have keys learn rows that were read; return what is the matter with those they refuse.

        `when` is, for each row, the number below which keys were idle, and its own number.
        """
        bad: dict[int, str] = {}
        codes: dict[str, int] = {}
        code = np.array([codes.setdefault(str(key), len(codes)) for key in rows.keys])
        order = np.argsort(code, kind="stable")
        rows, said, code = rows.take(order), said.rows(order), code[order]
        oldest, numbers = (each[order] for each in when)
        where = index[order].tolist()
        new = (np.flatnonzero(np.diff(code)) + 1).tolist()
        begins, ends, names = [0, *new], [*new, len(order)], [*codes]
        # states in memory come first, or those loaded would drive them out before their turn
        for k in sorted(range(len(names)), key=lambda k: names[k] not in self.cache):
            part = begins[k], ends[k]
            bad.update(self.learn_key(names[k], rows, said, (oldest, numbers), where, part, found))
        return bad

    def learn_key(
        self,
        key: str,
        rows: Rows,
        said: Said,
        when: tuple[np.ndarray, np.ndarray],
        where: list[int],
        part: tuple[int, int],
        found: Found,
    ) -> dict[int, str]:
        """Do what `learn_good` does with those rows of a part, which are all of one key."""
        bad: dict[int, str] = {}
        oldest, numbers = when
        for begin, end in self._segments(oldest, numbers, *part):
            loaded = key not in self.cache
            try:
                state = self._state(key, int(oldest[begin]))
                refused = self._learn_rows(state, rows, said, where, begin, end, found)
            except OSError:  # a store that cannot be used is no fault of the rows
                raise
            except Exception as problem:
                # bytes that are no state may turn out to be none when they are first used
                if not loaded:
                    raise
                self.cache.abandon(key)
                why = f"the state of its key cannot be used: {problem}"
                bad.update(dict.fromkeys(where[begin:end], why))
                continue
            bad.update(refused)
            if self.clock.idle is not None:
                state.seen = int(numbers[end - 1])
        self.cache.make_room(self.learner)
        return bad

    def _learn_rows(
        self,
        state: KeyState,
        rows: Rows,
        said: Said,
        where: list[int],
        begin: int,
        end: int,
        found: Found,
    ) -> dict[int, str]:
        """Have a key learn rows that follow each other, or one by one if it refuses some."""
        labels: list[Any] = rows.labels[begin:end]
        age = state.record.n_rows
        bad: dict[int, str] = {}
        try:
            answers = self.learner.learn_part(
                state, rows.part(begin, end), labels, said.rows(slice(begin, end))
            )
        except ValueError as problem:
            if end - begin == 1:
                return {where[begin]: str(problem)}
            for i in range(begin, end):
                bad.update(self._learn_rows(state, rows, said, where, i, i + 1, found))
            return bad
        for i, label, who in zip(where[begin:end], *answers):
            found.labels[i], found.who[i], found.ages[i] = label, who, age
            age += 1
        return bad

    def _segments(
        self, oldest: np.ndarray, numbers: np.ndarray, begin: int, end: int
    ) -> Iterator[tuple[int, int]]:
        """Yield the rows of a key between which it was not idle for too long."""
        if self.clock.idle is not None and end - begin > 1:
            gaps = numbers[begin : end - 1] < oldest[begin + 1 : end]
            for stop in (np.flatnonzero(gaps) + begin + 1).tolist():
                yield begin, stop
                begin = stop
        yield begin, end

    def predict(self, keys: Any, table: Any) -> Answers:
        """Answer rows; nothing is learned.

        A poisoned row is answered by None. For a key that is new, or whose state cannot be used,
        the population answers.

        Parameters
        ----------
        keys, table
            As in `learn`.
        """
        if self.learner.kinds is None:
            raise ValueError("nothing was learned yet: learn some rows first")
        return answered(self.learner, self.learner.read(table, keys), self.state)

    def state(self, key: str) -> KeyState | None:
        """Return what is known of a key, None if nothing is; it is not to be changed."""
        return self.cache.peek(key, self.learner)

    def __contains__(self, key: str) -> bool:
        return key in self.cache or self.store.state(key) is not None

    def __len__(self) -> int:
        return len(self.store) + self.cache.n_new()

    @property
    def record(self) -> Progress:
        """How all keys did together."""
        return Progress(self.counts["learned"], self.counts["tested"], self.counts["right"])

    def put_aside(self, rows: Sequence[Aside]) -> None:
        """Count rows that cannot be learned, and keep them with the next that are learned."""
        self.counts["aside"] += len(rows)
        self._aside += rows

    def commit(self, positions: dict[str, Any] | None = None) -> None:
        """Make durable what was learned, together with how far sources were read.

        Parameters
        ----------
        positions : dict of str to position, optional
            By path or partition, as JSON knows values; None forgets one.
        """
        self.store.put_aside(self._aside)
        self._aside = []
        self.cache.flush(self.learner)
        remember(self.store, self.learner, self.clock, self.renew, self.counts)
        self.store.put_about("heard", self.heard.content())
        self.store.put_positions(positions or {})
        self.store.commit()

    def sweep(self) -> int:
        """Forget the keys that were idle for too long; return how many there were."""
        if self.clock.idle is None:
            return 0
        oldest = self.clock.oldest
        gone = {
            key: state.seen
            for key, state in self.cache.states.items()
            if state.seen is not None and state.seen < oldest
        }
        for key, seen in self.store.idle(oldest):
            if key not in self.cache:
                gone[key] = seen
        for key in sorted(gone):
            self._forget(key, gone[key])
        return len(gone)

    def _forget(self, key: str, seen: int) -> None:
        """Forget an idle key; it is counted by where its last row was."""
        self.cache.forget(key)
        self.store.put_expired(seen // STRETCH * STRETCH, 1)
        self.counts["expired"] += 1

    def _state(self, key: str, oldest: int) -> KeyState:
        """Return the state of a key that is about to learn, or a new one if it was idle."""
        state = self.cache.use(key, self.learner)
        if state.seen is not None and state.seen < oldest:
            self._forget(key, state.seen)
            state = self.cache.use(key, self.learner)
        return state

    def renew_shelf(self) -> None:
        """Choose the borrowed models anew."""
        self.sweep()
        start = self.clock.n_rows * TURN % 2**32
        self.learner.population.renew(self.cache.candidates(start, self.learner))
        self.heard.choose(self.learner.population.names)
