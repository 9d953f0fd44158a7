"""How keys learn: the settings and the population, and a pure step from state to state."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy, deepcopy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from driftlearn import io as persist
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ops.keyed import rows as reading
from driftlearn.ops.keyed.key_state import KeyState, joined
from driftlearn.ops.keyed.population import Population
from driftlearn.ops.keyed.rows import Rows
from driftlearn.ops.keyed.voices import Said
from driftlearn.preprocessing._steps import is_fitted, tell_codes
from driftlearn.preprocessing.pipeline import IncrementalPipeline, make_pipeline
from driftlearn.preprocessing.table_encoder import TableEncoder
from driftlearn.specs.grammar import read as read_spec
from driftlearn.tables.frames import Frame, Raw, frame_of
from driftlearn.tables.values import KINDS, kind_of

LEARNER = "hoeffding"
LOOK = 1_000  # rows that decide what columns hold


class Answers(NamedTuple):
    """What was said of rows.

    Attributes
    ----------
    labels : list of (str or None)
        The label of each row as text, None where nobody knows any.
    who : list of (str or None)
        Whose answer it is: "own", "global", or a name on the shelf.
    """

    labels: list[str | None]
    who: list[str | None]


class KeyedLearner:
    """A model for each key: what engines that hand rows to keys need of this library.

    It has no state but its settings and the population, which does not change by itself: where
    the state of a key is kept, and which rows it is handed, is the caller's business. The end
    state depends on the rows of the key in their order and on the population they met, and on
    nothing else: not on how rows are sliced into calls, and not on whether the state was turned
    into bytes and back on the way.

    Parameters
    ----------
    learner : str or estimator
        The learner of each key, as on the command line, or an object.
    kinds : dict of str to str, optional
        What each column holds: "number", "boolean", "category", "date", "drop". `look` finds it.
    chunk : int, optional
        Rows of a chunk, for learners of chunks.
    population : Population, optional
        What keys share; by default a global model that has learned nothing yet.

    Examples
    --------
    >>> learner = KeyedLearner("naive-bayes", kinds={"size": "number"})
    >>> state = learner.begin()
    >>> rows = {"size": [1.0, 9.0, 1.5, 8.5]}
    >>> learner.learn(state, rows, ["small", "large", "small", "large"]).labels
    [None, 'small', 'small', 'small']
    >>> again = learner.loads(learner.dumps(state))
    >>> learner.predict(again, {"size": [2.0]}).labels
    ['small']
    """

    def __init__(
        self,
        learner: Any = LEARNER,
        *,
        kinds: Mapping[str, str] | None = None,
        chunk: int | None = None,
        population: Population | None = None,
    ):
        self.learner, self.chunk = learner, chunk
        self.kinds = None if kinds is None else {**kinds}
        self._learner = _made(learner, chunk)
        self._population = population
        for name, kind in (self.kinds or {}).items():
            if kind not in (*KINDS[:-1], "drop"):
                raise ValueError(
                    f"{name}={kind}: a column holds number, boolean, category or date, or is left "
                    "out: drop"
                )

    def look(self, table: Any) -> KeyedLearner:
        """Return the same with the kinds of all columns, found in rows.

        A column without any value in them is left out.

        Parameters
        ----------
        table : frame, table or dict of columns
            Some rows, of which the first 1,000 are looked at.
        """
        frame = frame_of(table)
        found = {**(self.kinds or {})}
        for name, raw in zip(frame.names or [], frame.columns):
            if name not in found:
                kind = kind_of(Raw(raw.values[:LOOK], raw.is_category), name)
                found[name] = "drop" if kind == "empty" else kind
        return KeyedLearner(
            self.learner, kinds=found, chunk=self.chunk, population=self._population
        )

    def among(self, population: Population) -> KeyedLearner:
        """Return the same with another population.

        Parameters
        ----------
        population : Population
            What keys share.
        """
        other = copy(self)
        other._population = population
        return other

    @property
    def population(self) -> Population:
        """What keys share."""
        if self._population is None:
            self._population = Population(self.model())
        return self._population

    def model(self) -> IncrementalPipeline:
        """Return a pipeline that has learned nothing, as every key begins with."""
        return joined(*map(copy, self._begun))

    def begin(self) -> KeyState:
        """Return the state of a key of which nothing is known."""
        return KeyState(*map(copy, self._begun))

    def read(self, table: Any, keys: Any = None, labels: Any = None) -> Rows:
        """Return rows read as the columns' kinds say; `Rows.bad` names those that are poison.

        Parameters
        ----------
        table : frame, table or dict of columns
            The rows.
        keys, labels : array-like, optional
            A key and a label for each row.
        """
        if self.kinds is None:
            raise ValueError(
                "it is not known what the columns hold: say kinds={...}, or look(rows) first"
            )
        return reading.read(table, self.kinds, keys, labels)

    def learn(
        self, state: KeyState, table: Any, labels: Any = None, said: Said | None = None
    ) -> Answers:
        """Answer each row, then learn it, row after row; all rows or, after an error, none.

        Parameters
        ----------
        state : KeyState
            What is known of the key, which is changed.
        table : frame, table, dict of columns or Rows
            Rows of this key, in their order.
        labels : array-like
            Their labels; `Rows` have them.
        said : Said, optional
            What the population says of the rows; by default it is asked.

        Returns
        -------
        Answers
        """
        rows = self._good(table, labels)
        if said is None:
            said = self.population.answers(rows.table, len(rows))
        return self.learn_part(state, rows.frame, [str(label) for label in rows.labels], said)

    def learn_part(self, state: KeyState, frame: Frame, labels: list[str], said: Said) -> Answers:
        """Do what `learn` does with rows that were read and are good."""
        encoder, learner = state.encoder, state.learner
        before = encoder.__dict__
        runs = reading.runs(labels, learner)
        if len(runs) > 1:  # after an error in the second the first must not be learned
            learner = deepcopy(learner)
        try:
            X = encoder.transform_then_learn(frame)
            mine: list[Any] = []  # what the own model says, None where that is nothing
            for run in runs:
                mine += learner.test_then_train(X[run], np.array(labels[run])).tolist()
        except BaseException:
            encoder.__dict__ = before
            raise
        state.learner = learner
        answers, who = state.voices.answer(said, mine, labels)
        state.record.update(labels, answers, mine)
        errors = [float(one != label) for one, label in zip(mine, labels) if one is not None]
        if errors:
            first = state.record.n_rows - len(errors)
            changed = state.detector.update_many(np.array(errors))
            if len(changed):
                state.record.note_changes((changed + first + 1).tolist())
        return Answers(answers, who)

    def predict(self, state: KeyState | None, table: Any, said: Said | None = None) -> Answers:
        """Answer rows of a key; nothing is learned.

        Parameters
        ----------
        state : KeyState or None
            What is known of the key; None if nothing is.
        table, said
            As in `learn`.
        """
        rows = self._good(table, None)
        if said is None:
            said = self.population.answers(rows.table, len(rows))
        state = self.begin() if state is None else state
        own = None
        if is_fitted(state.learner):
            found = state.learner.predict(state.encoder.transform(rows.frame))
            own = found.tolist()
        answers, who = state.voices.answer(said, own, None)
        return Answers(answers, who)

    def dumps(self, state: KeyState) -> bytes:
        """Return a state as bytes: compressed, checked when they are read, never pickle."""
        return persist.dumps_small(state)

    def loads(self, content: bytes) -> KeyState:
        """Return the state of these bytes; raise ValueError if they are none.

        Parameters
        ----------
        content : bytes
            What `dumps` returned.
        """
        state = persist.loads(content)
        if not isinstance(state, KeyState):
            raise persist.CorruptFile(f"the content is a {type(state).__name__}, no KeyState")
        kind, known = type(state.learner), type(self._learner)
        if kind is not known:
            raise ValueError(
                f"the state has a {kind.__name__} where keys learn by a {known.__name__}"
            )
        return state

    def _good(self, table: Any, labels: Any) -> Rows:
        rows = table if isinstance(table, Rows) else self.read(table, None, labels)
        if rows.bad:
            i = min(rows.bad)
            raise ValueError(f"row {i}: {rows.bad[i]}")
        return rows

    @cached_property
    def _begun(self) -> tuple[TableEncoder, Any]:
        """What every key begins with: an encoder that knows its columns, and a learner."""
        if self.kinds is None:
            raise ValueError(
                "it is not known what the columns hold: say kinds={...}, or look(rows) first"
            )
        kinds = {name: kind for name, kind in self.kinds.items() if kind != "drop"}
        if not kinds:
            raise ValueError("every column is left out: there is nothing to learn from")
        encoder = TableEncoder(kinds=kinds, on_surprise="note")
        begun = make_pipeline(encoder, self._learner)._draft(start=True)
        (_, encoder), (_, learner) = begun.steps_
        nothing = Raw(np.zeros(0))
        encoder._begin(Frame([*kinds], [nothing] * len(kinds), 0))
        tell_codes(begun.steps_)
        return encoder, learner


def _made(given: Any, chunk: int | None) -> Any:
    """Return a learner that goes on row by row, whatever calls it is handed."""
    learner = read_spec(given, "learner").make(seed=0) if isinstance(given, str) else given
    name = given if isinstance(given, str) else type(given).__name__
    if not isinstance(learner, StreamClassifier) or not hasattr(learner, "test_then_train"):
        raise ValueError(
            f"{name} does not go on learning row by row; driftlearn list learners shows those "
            "that do"
        )
    asked = learner.get_params(deep=False).get("chunk_size", 0)
    if chunk is not None:
        if asked == 0:
            raise ValueError(f"{name} learns row by row: leave out --chunk")
        learner = copy(learner).set_params(chunk_size=chunk)
    elif asked is None and isinstance(learner, ChunkClassifier):
        raise ValueError(
            f"{name} learns chunks of rows: say how many rows of a key are one, as --chunk 100"
        )
    persist.dumps(learner)  # one that cannot be saved is told before anything is learned
    return learner
