"""Models of all keys in one process, loaded on demand within a memory limit."""

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from driftlearn import io as persist
from driftlearn.io._upgrades import current_spec
from driftlearn.ops.keyed.key_cache import MEMORY, KeyCache
from driftlearn.ops.keyed.key_record import Progress
from driftlearn.ops.keyed.key_state import change_kinds
from driftlearn.ops.keyed.key_store import KeyStore, QuarantinedRow, in_stream_order
from driftlearn.ops.keyed.keyed_learner import (
    LEARNER,
    KeyedLearner,
    LabelProbabilities,
    Predictions,
)
from driftlearn.ops.keyed.model_weights import GLOBAL
from driftlearn.ops.keyed.reader import Clock, parse_idle
from driftlearn.ops.keyed.rows import Places, Rows
from driftlearn.ops.keyed.shared_models import SharedModels
from driftlearn.ops.keyed.source_accuracy import COUNTS as SPAN_COUNTS
from driftlearn.ops.keyed.source_accuracy import SourceAccuracy
from driftlearn.ops.keyed.training import BASELINES, STRETCH, Group

REFRESH_INTERVAL = 1_000_000  # final number of stream rows between refreshes of the model pool
FIRST_REFRESH = 1_000  # initial number of rows, which doubles until it reaches REFRESH_INTERVAL
# Knuth's multiplier, 2**32 over the golden ratio, coprime to 2**32. At each refresh, candidates for
# the pool start at a different hash value, so that all keys are considered over time.
PLACE_STEP = 2_654_435_761
COUNTS = ("rows", "learned", "tested", "right", "quarantined", "expired")


class KeyedModels(KeyCache):
    """One classifier per key, with storage, expiry and shared models for new keys.

    States are held in memory up to a limit; the least recently used states are evicted to a store.
    `commit` saves all training progress durably, together with the position in the stream.

    Parameters
    ----------
    learner : KeyedLearner, str or estimator
        The learner of all keys; not needed for an existing store, which contains its learner.
    store : KeyStore or path, optional
        Store of the states; by default in memory.
    memory : int
        Memory limit for states, in bytes; sizes are estimated from a sample of the states.
    idle : int or str or timedelta, optional
        Delete keys that had no row for this number of stream rows, or for a time span such as
        "30d", which requires `times`.
    refresh_interval : int, optional
        Number of stream rows between refreshes of the model pool, by default a million. The first
        refreshes follow after 1,000, 2,000, 4,000 rows and so on. The store contains this setting
        and `idle`.

    Attributes
    ----------
    learner : KeyedLearner
        The learner of all keys, with the shared models.
    store : KeyStore
        The store.
    clock : Clock
        Stream clock, which determines the idle keys.
    source_accuracy : SourceAccuracy
        Number of predictions and of correct predictions, by prediction source.
    counts : dict of str to int
        Number of ``rows`` in the stream, ``learned`` (training) rows, ``tested`` (predicted) rows,
        ``right`` predictions, ``quarantined`` rows and ``expired`` keys.
    baselines : Counter
        Number of rows and of correct predictions by the model of the key alone (``own``), by
        repeating the previous label of the key (``no_change``), and by its most frequent label
        (``majority``).
    damaged : dict of str to str
        Keys whose damaged states could not be used by `predict`, with the problem.

    Examples
    --------
    >>> models = KeyedModels("naive-bayes")
    >>> keys, rows = ["ann", "bob"] * 3, {"size": [1.0, 9.0, 1.5, 8.5, 1.2, 9.1]}
    >>> predictions = models.learn(keys, rows, ["a", "b"] * 3)
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
        refresh_interval: int | None = None,
    ):
        self.store = store if isinstance(store, KeyStore) else KeyStore(store)
        self._quarantined: list[QuarantinedRow] = []
        self.damaged: dict[str, str] = {}
        self.counts = dict.fromkeys(COUNTS, 0)
        self.baselines = Counter(dict.fromkeys(BASELINES, 0))
        given = {"idle": None if idle is None else parse_idle(idle),
                 "refresh_interval": refresh_interval}  # fmt: skip
        known, settings = self._load_learner(learner, given)
        super().__init__(self.store, memory, known)
        self.refresh_interval: int = settings["refresh_interval"] or REFRESH_INTERVAL
        self.clock = self._load_clock(*(settings["idle"] or (None, False)))
        self.source_accuracy = SourceAccuracy.loads(self.store.about("source_accuracy"))

    def _load_learner(
        self, given: Any, settings: dict[str, Any]
    ) -> tuple[KeyedLearner, dict[str, Any]]:
        """Return learner and settings from the store; raise ValueError if arguments differ."""
        path, content = self.store.path, self.store.about("learner")
        if content is None:
            given = LEARNER if given is None else given
            return given if isinstance(given, KeyedLearner) else KeyedLearner(given), settings
        known = persist.loads(content)
        shared = persist.loads(self.store.about("shared") or b"")
        if isinstance(known, dict) and "renew" in known:  # its name in stores of format 1
            known["refresh_interval"] = known.pop("renew")
            if isinstance(known.get("learner"), str):
                known["learner"] = current_spec(known["learner"])
        names = {"learner", "kinds", "chunk", *settings}
        if not isinstance(shared, SharedModels) or not isinstance(known, dict) or {*known} != names:
            raise persist.CorruptFile(f"{path} is damaged: its learner cannot be read.")
        for name, value in settings.items():
            stored = known[name]
            if value not in (None, stored):
                raise ValueError(f"{name} cannot be changed: {path} was created with {stored}.")
        if given is not None:
            given = given.learner if isinstance(given, KeyedLearner) else given
            if persist.dumps(given) != persist.dumps(known["learner"]):
                raise ValueError(
                    f"The learner of the store is {known['learner']}. Got {given} instead. Omit "
                    "the learner, or use a different store."
                )
        kinds, chunk = known["kinds"], known["chunk"]
        return KeyedLearner(known["learner"], kinds=kinds, chunk=chunk, shared=shared), known

    def _load_clock(self, idle: int | None, by_time: bool) -> Clock:
        """Return the clock from the store; load its counts."""
        clock, content = Clock(idle, by_time), self.store.about("stream")
        if content is None:
            return clock
        try:
            stream = json.loads(content)
            self.counts |= {**stream["counts"]}
            self.baselines.update(stream.get("baselines", {}))
            clock.resume(stream["clock"])
            return clock
        except (ValueError, LookupError, TypeError):
            path = self.store.path
            raise persist.CorruptFile(f"{path} is damaged: its counts cannot be read.") from None

    def learn(
        self,
        keys: Any,
        table: Any,
        labels: Any,
        *,
        times: np.ndarray | None = None,
        places: Places | None = None,
    ) -> Predictions:
        """Predict each row, then train the model of its key on it.

        The rows of a key are processed in order. Malformed rows are quarantined, and their
        prediction is None.

        Parameters
        ----------
        keys : array-like of shape (n,)
            The key of each row, a string or an integer.
        table : frame, table or dict of columns
            The rows.
        labels : array-like of shape (n,)
            The labels of the rows.
        times : ndarray of datetime64, optional
            The time of each row; NaT for a missing time.
        places : sequence of (file, row), optional
            The origin of each row, stored with quarantined rows.

        Returns
        -------
        Predictions
            In the order of the rows.
        """
        if self.learner.kinds is None:
            self.learner = self.learner.infer_columns(table)
        return self.learn_rows(self.learner.read(table, keys, labels), times, places)

    def learn_rows(
        self, rows: Rows, times: np.ndarray | None = None, places: Places | None = None
    ) -> Predictions:
        """Do the same as `learn` with parsed rows."""
        if self.clock.by_time and times is None:
            raise ValueError(
                "'times' is required because keys expire after a time span: pass the time of each "
                "row."
            )
        found: list[Any] = []
        while len(found) < len(rows):
            until = len(found) + self.rows_to_refresh()
            found += self._learn_part(rows, len(found), min(len(rows), until), times, places)
            if len(found) == until:
                self.refresh_pool()
        self.store.quarantine(in_stream_order(self._quarantined))
        self._quarantined = []
        return Predictions([each[0] for each in found], [each[1] for each in found])

    def rows_to_refresh(self) -> int:
        """Return the number of rows until the model pool is refreshed."""
        n, step = self.clock.n_rows, min(FIRST_REFRESH, self.refresh_interval)
        while step <= n and 2 * step <= self.refresh_interval:
            step *= 2
        return step - n if step > n else self.refresh_interval - n % self.refresh_interval

    def _learn_part(
        self, rows: Rows, begin: int, end: int, times: Any, places: Places | None
    ) -> list[Any]:
        """Train on rows between two refreshes; return label, vote and age of the key per row."""
        first = self.clock.n_rows - begin  # stream position of row 0
        oldest = self.clock.advance(end - begin, None if times is None else times[begin:end])
        self.counts["rows"] = self.clock.n_rows
        found: list[Any] = [(None, None, -1)] * (end - begin)
        bad = {i: reason for i, reason in rows.bad.items() if begin <= i < end}
        index = np.array([i for i in range(begin, end) if i not in bad], dtype=np.intp)
        if len(index):
            some, at = rows.take(index), index - begin
            shared = self.learner.shared.learn_rows(some)
            group = Group("", some, first + index, oldest[at], [], shared)
            # States in memory come first, because loading others would evict them before they are
            # used.
            for each in group.by_key(self.states):
                trained = self.train_group(each, self.clock.idle is not None)
                where = (each.numbers - first - begin).tolist()
                for i, *learned in zip(where, trained.labels, trained.votes, trained.ages):
                    found[i] = learned
                bad |= {begin + where[i]: reason for i, reason in trained.bad.items()}
                self._count_expired(trained.expired)
                self.baselines.update(trained.baselines)
            predictions = [*zip(*(found[i] for i in at.tolist()))]
            of_global = shared.labels[0].tolist() if GLOBAL in shared.names else ()
            counts = self.source_accuracy.update(group.numbers, some.labels, predictions, of_global)
            for name, n in zip(("learned", "tested", "right"), counts):
                self.counts[name] += n
        origins = {i: places[i] if places else (None, i) for i in sorted(bad)}
        self.quarantine([QuarantinedRow(first + i, *origin, rows.keys[i], bad[i])
                         for i, origin in origins.items()])  # fmt: skip
        return found

    def predict(self, keys: Any, table: Any) -> LabelProbabilities:
        """Predict rows without training.

        The prediction of a malformed row is None. Rows of a new key, or of a key with a damaged
        state, are predicted by the shared models; the attribute `damaged` names the latter.

        Parameters
        ----------
        keys, table
            See `learn`.

        Raises
        ------
        OSError
            If the store is damaged or cannot be read.
        """
        if self.learner.kinds is None:
            raise ValueError("The models have not been trained yet. Call learn first.")
        rows = self.learner.read(table, keys)
        return self.learner.predict_rows(rows, self.state, self.damaged)

    def __contains__(self, key: str) -> bool:
        return key in self.states or self.store.state(key) is not None

    def __len__(self) -> int:
        return len(self.store) + sum(self.store.state(key) is None for key in self._changed)

    @property
    def record(self) -> Progress:
        """Prequential accuracy over all keys."""
        return Progress(self.counts["learned"], self.counts["tested"], self.counts["right"])

    def comparison(self) -> dict[str, float]:
        """Return the accuracy of the predictions, of single models and of baselines.

        Those that were not counted for all predicted rows are omitted.
        """
        tested = self.counts["tested"]
        spans = dict(zip(SPAN_COUNTS, self.source_accuracy.spans.sum(axis=0).tolist()))
        found = {"model": (tested, self.counts["right"])}
        if spans["tested"] == tested:
            found[GLOBAL] = spans["global_tested"], spans["global_right"]
        if self.baselines["n_tested"] == tested:
            found |= {name: (tested, self.baselines[name]) for name in BASELINES[1:]}
        return {name.replace("_", " "): right / n for name, (n, right) in found.items() if n}

    def quarantine(self, rows: Sequence[QuarantinedRow]) -> None:
        """Count malformed rows; they are stored by the next `commit`."""
        self.counts["quarantined"] += len(rows)
        self._quarantined += rows

    def commit(self, positions: dict[str, Any] | None = None) -> None:
        """Save all training progress durably, together with positions in sources.

        Parameters
        ----------
        positions : dict of str to position, optional
            JSON values by path or partition; None deletes a position.
        """
        store, learner, clock = self.store, self.learner, self.clock
        store.quarantine(self._quarantined)
        self._quarantined = []
        self.flush()
        if learner.kinds is not None:
            idle = None if clock.idle is None else (clock.idle, clock.by_time)
            about = {"learner": learner.learner, "kinds": learner.kinds, "chunk": learner.chunk,
                     "idle": idle, "refresh_interval": self.refresh_interval}  # fmt: skip
            store.put_about("learner", persist.dumps(about))
            store.put_about("shared", persist.dumps(learner.shared, compress=True))
        stream = {"counts": self.counts, "baselines": self.baselines, "clock": clock.state()}
        store.put_about("stream", json.dumps(stream).encode())
        store.put_about("source_accuracy", self.source_accuracy.dumps())
        store.put_positions(positions or {})
        store.commit()

    def change_kinds(self, kinds: Mapping[str, str]) -> None:
        """Change the kinds of columns in the models of all keys; damaged states are left as is.

        Parameters
        ----------
        kinds : dict of str to str
            The new kinds by column; see `TableEncoder.change_kinds`.
        """
        self.learner = self.learner.with_kinds(kinds)
        for key in [each.key for each in self.store.keys()]:  # noqa: SIM118
            with suppress(persist.CorruptFile):
                state = self.state(key)
                if state is not None:
                    change_kinds(state.encoder, kinds)
                    self._write(key, state)

    def sweep(self) -> int:
        """Delete idle keys; return the number of deleted keys."""
        if self.clock.idle is None:
            return 0
        oldest = self.clock.oldest
        in_memory = {key: state.seen for key, state in self.states.items()}
        idle = {key: seen for key, seen in in_memory.items() if seen is not None and seen < oldest}
        idle |= {key: seen for key, seen in self.store.idle(oldest) if key not in in_memory}
        for key in sorted(idle):
            self.delete(key)
            self._count_expired({idle[key] // STRETCH * STRETCH: 1})
        return len(idle)

    def _count_expired(self, expired: dict[int, int]) -> None:
        self.store.add_expired(expired)
        self.counts["expired"] += sum(expired.values())

    def refresh_pool(self) -> None:
        """Replace the models of the pool by a new selection."""
        self.sweep()
        place = self.clock.n_rows * PLACE_STEP % 2**32
        self.learner.shared.refresh_pool(self.candidates(place))
        self.source_accuracy.set_pool(self.learner.shared.names)
