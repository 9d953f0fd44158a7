"""Training and prediction for a single key, as functions of its state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy, deepcopy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from driftlearn import io as persist
from driftlearn.base.one_model import OneModelClassifier
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.ops.keyed import rows as reading
from driftlearn.ops.keyed.key_state import KeyState, joined
from driftlearn.ops.keyed.model_weights import Probabilities, SharedPredictions
from driftlearn.ops.keyed.rows import Rows
from driftlearn.ops.keyed.shared_models import SharedModels, labels_and_probabilities
from driftlearn.preprocessing import IncrementalPipeline, TableEncoder, make_pipeline
from driftlearn.preprocessing._steps import set_nominal_features
from driftlearn.specs.grammar import read as read_spec
from driftlearn.tables.frames import Frame, Raw, frame_of
from driftlearn.tables.values import KINDS, kind_of
from driftlearn.utils.arguments import meant

LEARNER = "hoeffding"
FIRST_ROWS = 1_000  # number of rows from which column kinds are inferred


class Predictions(NamedTuple):
    """Predicted labels, and for each label the model that contributed most to the vote.

    Attributes
    ----------
    labels : list of (str or None)
        The predicted label of each row as a string; None if no model made a prediction.
    votes : list of (str or None)
        The model with the most weight among those that voted for the label: "own", "global", or
        "from KEY" for a model of the pool.
    """

    labels: list[str | None]
    votes: list[str | None]


class LabelProbabilities(NamedTuple):
    """Predictions with probabilities.

    Attributes
    ----------
    labels, votes
        See `Predictions`.
    probabilities : dict of str to ndarray
        The probability of each row, by label: the mean of the models that made a prediction, by
        their weights. Nan for a row without a prediction.
    """

    labels: list[str | None]
    votes: list[str | None]
    probabilities: Probabilities


class KeyedLearner:
    """One classifier per key, for engines that distribute rows by key and store the key states.

    The object contains only settings and the shared models, which it does not modify. The caller
    stores the state of each key and passes it together with the rows of the key. The final state
    depends only on the rows of the key, on their order, and on the predictions of the shared models
    for them. It does not depend on how rows are split into calls, or on whether the state was
    serialized in between.

    Parameters
    ----------
    learner : str or estimator
        The classifier of each key: a spec string as on the command line, or an estimator.
    kinds : dict of str to str, optional
        The kind of each column: "number", "boolean", "category", "date" or "drop". `infer_columns`
        infers the kinds from rows.
    chunk : int, optional
        Number of rows in a chunk, for classifiers that are trained on chunks.
    shared : SharedModels, optional
        The models that all keys share; by default an untrained global model.

    Examples
    --------
    >>> learner = KeyedLearner("naive-bayes", kinds={"size": "number"})
    >>> state = learner.new_state()
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
        shared: SharedModels | None = None,
    ):
        self.learner, self.chunk = learner, chunk
        self.kinds = None if kinds is None else {**kinds}
        self._learner = _checked_learner(learner, chunk)
        if shared is not None:
            self.shared = shared
        for name, kind in (self.kinds or {}).items():
            if kind not in (*KINDS[:-1], "drop"):
                wanted = "number, boolean, category, date or drop"
                raise ValueError(f"Invalid kind {kind!r} of column {name!r}: expected {wanted}.")

    def infer_columns(self, table: Any) -> KeyedLearner:
        """Return a learner with the kinds of all columns, inferred from rows.

        Columns without values are dropped.

        Parameters
        ----------
        table : frame, table or dict of columns
            Some rows; only the first 1,000 are used.
        """
        frame = frame_of(table)
        found = {**(self.kinds or {})}
        for name, raw in zip(frame.names or [], frame.columns):
            if name not in found:
                kind = kind_of(Raw(raw.values[:FIRST_ROWS], raw.is_category), name)
                found[name] = "drop" if kind == "empty" else kind
        return KeyedLearner(
            self.learner, kinds=found, chunk=self.chunk, shared=vars(self).get("shared")
        )

    def with_shared(self, shared: SharedModels) -> KeyedLearner:
        """Return a learner with other shared models.

        Parameters
        ----------
        shared : SharedModels
            The models that all keys share.
        """
        other = copy(self)
        other.shared = shared
        return other

    def with_kinds(self, kinds: Mapping[str, str]) -> KeyedLearner:
        """Return a learner with other kinds of columns, which the shared models adopt.

        Parameters
        ----------
        kinds : dict of str to str
            The new kinds by column; see `TableEncoder.change_kinds`.
        """
        known = self.known_kinds
        for name in kinds:
            if name not in known:
                raise ValueError(f"{name!r} is not a column of the models{meant(name, [*known])}.")
        found = {**known, **kinds}
        other = KeyedLearner(self.learner, kinds=found, chunk=self.chunk, shared=self.shared)
        other.new_state()  # raises if all columns are dropped
        self.shared.change_kinds(kinds)
        return other

    @cached_property
    def shared(self) -> SharedModels:
        """The models that all keys share."""
        return SharedModels(self.new_model())

    def new_model(self) -> IncrementalPipeline:
        """Return an untrained pipeline, the initial model of every key."""
        return joined(*map(copy, self._initial))

    def new_state(self) -> KeyState:
        """Return the initial state of a key."""
        return KeyState(*map(copy, self._initial))

    def read(
        self, table: Any, keys: Any = None, labels: Any = None, *, strict: bool = True
    ) -> Rows:
        """Return rows with typed columns; `Rows.bad` lists the malformed rows.

        Parameters
        ----------
        table : frame, table or dict of columns
            The rows.
        keys, labels : array-like, optional
            A key and a label for each row.
        strict : bool
            Whether a value of another kind makes its row malformed; otherwise it counts as missing.
        """
        return reading.read(table, self.known_kinds, keys, labels, strict=strict)

    def learn(
        self,
        state: KeyState,
        table: Any,
        labels: Any = None,
        predictions: SharedPredictions | None = None,
    ) -> Predictions:
        """Predict each row, then train on it; an error leaves the state unchanged.

        Parameters
        ----------
        state : KeyState
            The state of the key, which is updated.
        table : frame, table, dict of columns or Rows
            Rows of this key, in order.
        labels : array-like
            The labels of the rows; not needed for `Rows`.
        predictions : SharedPredictions, optional
            Predictions of the shared models for the rows; by default they are computed.

        Returns
        -------
        Predictions
        """
        rows = self.read_valid(table, labels)
        if predictions is None:
            predictions = self.shared.predict(rows.table, len(rows))
        return self.learn_frame(state, rows.frame, [str(each) for each in rows.labels], predictions)

    def learn_frame(
        self, state: KeyState, frame: Frame, labels: list[str], predictions: SharedPredictions
    ) -> Predictions:
        """Do the same as `learn` with parsed rows, none of which is malformed."""
        encoder, learner = state.encoder, state.learner
        before = encoder.__dict__
        own: list[Any] | None = None
        try:
            X = encoder.transform_then_learn(frame)
            if isinstance(learner, OneModelClassifier):
                own = learner.test_then_train_known(X, labels)
            if own is None:
                learner, own = _learned(learner, X, labels)
        except BaseException:
            encoder.__dict__ = before
            raise
        state.learner = learner
        found = Predictions(*state.weights.vote(predictions, own, labels))
        state.record.update(labels, found.labels, own)
        errors = [float(one != label) for one, label in zip(own, labels) if one is not None]
        if errors:
            first = state.record.n_rows - len(errors)
            changed = state.detector.update_many(np.array(errors))
            if len(changed):
                state.record.note_changes((changed + first + 1).tolist())
        return found

    def predict(
        self, state: KeyState | None, table: Any, predictions: SharedPredictions | None = None
    ) -> LabelProbabilities:
        """Predict rows of a key without training.

        Parameters
        ----------
        state : KeyState or None
            The state of the key; None for a new key.
        table, predictions
            See `learn`.
        """
        rows = self.read_valid(table, None)
        if predictions is None:
            predictions = self.shared.predict_proba(rows.table, len(rows))
        state = self.new_state() if state is None else state
        own, probas = labels_and_probabilities(state.own, rows.frame, len(rows))
        votes = state.weights.vote(predictions, own)
        return LabelProbabilities(*votes, state.weights.mix(predictions, probas))

    def predict_rows(
        self,
        rows: Rows,
        state_of: Callable[[str], KeyState | None],
        damaged: dict[str, str] | None = None,
    ) -> LabelProbabilities:
        """Predict rows of many keys without training.

        The prediction of a malformed row is None. Rows of a new key, or of a key with a damaged
        state, are predicted by the shared models.

        Parameters
        ----------
        rows : Rows
            The rows.
        state_of : callable
            Function that returns the state of a key, or None for a new key. An OSError, which
            means that no state can be read, is raised.
        damaged : dict of str to str, optional
            Receives the keys with a damaged state, with the problem.
        """
        found = LabelProbabilities([None] * len(rows), [None] * len(rows), {})
        index = rows.good
        if not len(index):
            return found
        good = rows.take(index)
        shared = self.shared.predict_proba(good.table, len(good))
        by_key: dict[str, list[int]] = {}
        for i, key in enumerate(good.keys):
            by_key.setdefault(str(key), []).append(i)
        for key, positions in by_key.items():
            at = np.array(positions)
            given = good.take(at), shared.rows(at)
            try:
                predictions = self.predict(state_of(key), *given)
            except OSError:
                raise
            except Exception as problem:  # a damaged state may raise any error
                if damaged is not None:
                    damaged[key] = str(problem)
                predictions = self.predict(None, *given)
            where = index[at]
            for i, label, vote in zip(where.tolist(), predictions.labels, predictions.votes):
                found.labels[i], found.votes[i] = label, vote
            for label, p in predictions.probabilities.items():
                if label not in found.probabilities:
                    found.probabilities[label] = np.full(len(rows), np.nan)
                found.probabilities[label][where] = p
        has_label = np.array([label is not None for label in found.labels])
        for p in found.probabilities.values():
            p[has_label & np.isnan(p)] = 0.0  # no model of the key knows the label
        return found

    def dumps(self, state: KeyState) -> bytes:
        """Serialize a state to compressed bytes, without pickle."""
        return persist.dumps_small(state)

    def loads(self, content: bytes) -> KeyState:
        """Return the state from its bytes; raise ValueError if they are invalid.

        Parameters
        ----------
        content : bytes
            Bytes returned by `dumps`.
        """
        state = persist.loads(content)
        if not isinstance(state, KeyState):
            raise persist.CorruptFile(f"Expected a KeyState. Got {type(state).__name__} instead.")
        if type(state.learner) is not type(self._learner):
            raise ValueError(
                f"The state contains a {type(state.learner).__name__}, but the learner of the keys "
                f"is a {type(self._learner).__name__}."
            )
        return state

    def read_valid(self, table: Any, labels: Any) -> Rows:
        """Return parsed rows; raise ValueError if a row is malformed."""
        rows = table if isinstance(table, Rows) else self.read(table, None, labels)
        if rows.bad:
            raise ValueError("row {}: {}".format(*min(rows.bad.items())))
        return rows

    @property
    def known_kinds(self) -> dict[str, str]:
        """The kinds of columns; raises ValueError if they have not been inferred yet."""
        if self.kinds is None:
            raise ValueError(
                "The kinds of columns are not known. Set the 'kinds' parameter of KeyedLearner, or "
                "call infer_columns with some rows."
            )
        return self.kinds

    @cached_property
    def _initial(self) -> tuple[TableEncoder, Any]:
        """Encoder with the kinds of its columns, and an untrained classifier."""
        kinds = reading.used(self.known_kinds)
        if not kinds:
            raise ValueError("All columns are dropped; at least one is needed.")
        encoder = TableEncoder(kinds=kinds, on_schema_change="note")
        begun = make_pipeline(encoder, self._learner)._draft(start=True)
        (_, encoder), (_, learner) = begun.steps_
        nothing = Raw(np.zeros(0))
        encoder._begin(Frame([*kinds], [nothing] * len(kinds), 0))
        set_nominal_features(begun.steps_)
        return encoder, learner


def _learned(learner: Any, X: np.ndarray, labels: list[str]) -> tuple[Any, list[Any]]:
    """Return the trained learner and its prequential predictions."""
    runs = reading.runs(labels, learner)
    if len(runs) > 1:  # after an error in the second run, training on the first must be undone
        learner = deepcopy(learner)
    found: list[Any] = []
    for run in runs:
        some, known = labels[run], None
        if isinstance(learner, OneModelClassifier) and len(some) > 1:
            first = learner.test_then_train(X[run][:1], np.array(some[:1])).tolist()
            known = learner.test_then_train_known(X[run][1:], some[1:])
            found += first
            run, some = slice(run.start + 1, run.stop), some[1:]
        found += known or learner.test_then_train(X[run], np.array(some)).tolist()
    return learner, found


def _checked_learner(given: Any, chunk: int | None) -> Any:
    """Return the classifier; raise ValueError if its result depends on the split into calls."""
    learner = read_spec(given, "learner").make(seed=0) if isinstance(given, str) else given
    name = given if isinstance(given, str) else type(given).__name__
    if not isinstance(learner, StreamClassifier) or not hasattr(learner, "test_then_train"):
        raise ValueError(
            f"{name} cannot be trained row by row. 'driftlearn list learners' shows the learners "
            "that can."
        )
    chunk_size = learner.get_params(deep=False).get("chunk_size", 0)
    if chunk is not None:
        if chunk_size == 0:
            raise ValueError(f"{name} is trained row by row: omit --chunk.")
        learner = copy(learner).set_params(chunk_size=chunk)
    elif chunk_size is None and isinstance(learner, ChunkClassifier):
        raise ValueError(f"{name} is trained on chunks of rows: set their size, e.g. --chunk 100.")
    persist.dumps(learner)  # fails before training if the learner cannot be saved
    return learner
