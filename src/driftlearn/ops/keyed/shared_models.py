"""Models shared by all keys: a global model and a pool of models copied from single keys."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from driftlearn.base.base_learners import decide
from driftlearn.base.validation import LARGEST_VALUE
from driftlearn.io import schema
from driftlearn.ops.keyed.key_state import change_kinds
from driftlearn.ops.keyed.model_weights import GLOBAL, Probabilities, SharedPredictions
from driftlearn.ops.keyed.rows import Rows, runs
from driftlearn.preprocessing.pipeline import IncrementalPipeline
from driftlearn.tables.frames import frame_of, numbered
from driftlearn.tables.passthrough import taken

#: Key, model, number of rows it was trained on, and recent accuracy.
Candidate = tuple[str, IncrementalPipeline, tuple[int, float]]

POOL_SIZE = 4
FROM = "from "  # prefix of model names in the pool
# Every eighth row becomes a probe row, so that the 128 rows on which candidates are compared cover
# the last thousand rows of the stream.
PROBE_ROWS = 128
PROBE_EVERY = 8
MIN_ROWS = 30  # training rows required of a candidate
MAX_CANDIDATES = 64  # the comparison takes quadratic time
MAX_TEXT = 1_000  # maximum characters of a value in the probe rows
# Sums are rounded before they are compared; otherwise ties would depend on the order of summation.
DECIMALS = 12


class SharedModels:
    """Shared models of all keys: a global model and a pool of models copied from keys.

    A pool model is a copy of the pipeline of a key (encoder and classifier) at the time of a
    refresh. It is not updated afterwards.

    Parameters
    ----------
    global_model : IncrementalPipeline or None
        The model to train on the rows of all keys; None to use no global model.
    pool_size : int, default=4
        Maximum number of models in the pool.

    Attributes
    ----------
    global_model : IncrementalPipeline or None
        The global model.
    model_pool : list of IncrementalPipeline
        The models of the pool.
    names : list of str
        Their names: "from " and the key.
    n_rows : int
        Number of rows passed to `test_then_train`.
    probe : dict of str to list
        Columns of the rows on which candidates for the pool are compared: every eighth row of the
        stream, of which the latest 128 are stored.

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier
    >>> from driftlearn.preprocessing import TableEncoder, make_pipeline
    >>> rows, labels = {"x": [0.0, 1.0, 0.1, 0.9] * 10}, ["low", "high"] * 20
    >>> shared = SharedModels(make_pipeline(TableEncoder(), GaussianNBClassifier()))
    >>> predictions = shared.test_then_train(rows, labels)
    >>> shop = make_pipeline(TableEncoder(), GaussianNBClassifier()).fit(rows, labels[::-1])
    >>> shared.refresh_pool([("shop 7", shop, (40, 1.0))])
    >>> predictions = shared.predict({"x": [0.2]}, 1)
    >>> predictions.names, predictions.labels.tolist()
    (['global', 'from shop 7'], [['low'], ['high']])
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "global_model": schema.optional(schema.a(IncrementalPipeline), needed=True),
        "pool_size": schema.integer(0),
        "model_pool": schema.list_of(schema.a(IncrementalPipeline), "pool"),
        "names": schema.list_of(schema.word(), "pool"),
        "n_rows": schema.integer(0, 2**53),
        "probe": schema.dict_of(schema.list_of(schema.Field(lambda value, _: None), "probe")),
    }

    def __init__(self, global_model: IncrementalPipeline | None = None, pool_size: int = POOL_SIZE):
        self.global_model = global_model
        self.pool_size = pool_size
        self.model_pool: list[IncrementalPipeline] = []
        self.names: list[str] = []
        self.n_rows = 0
        self.probe: dict[str, list[Any]] = {}

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless pool and probe are within their limits and values are plain."""
        names, columns = state["names"], state["probe"].values()
        if len({*names}) < len(names) or not all(name.startswith(FROM) for name in names):
            raise schema.InvalidStateError(
                "SharedModels: names of pool models are not unique or have no key"
            )
        if len(names) > state["pool_size"] or any(len(column) > PROBE_ROWS for column in columns):
            raise schema.InvalidStateError(
                "SharedModels has more pool models or probe rows than allowed"
            )
        if any(type(value) not in schema.PLAIN for column in columns for value in column):
            raise schema.InvalidStateError("SharedModels: probe values must be numbers or strings")

    def predict(self, table: Any, n_rows: int) -> SharedPredictions:
        """Return the predictions of all shared models, without training.

        Parameters
        ----------
        table : frame, table or dict of columns
            Rows of any keys.
        n_rows : int
            Number of rows.

        Returns
        -------
        SharedPredictions
        """
        model = self.global_model
        return self._with_pool(None if model is None else _labels(model, table, n_rows),
                               table, n_rows)  # fmt: skip

    def predict_proba(self, table: Any, n_rows: int) -> SharedPredictions:
        """Return the predictions of `predict` with the probabilities of all labels."""
        models = [*([] if self.global_model is None else [self.global_model]), *self.model_pool]
        every = [labels_and_probabilities(model, table, n_rows) for model in models]
        names = [*([] if self.global_model is None else [GLOBAL]), *self.names]
        found = SharedPredictions.of(names, [labels for labels, _ in every], n_rows)
        found.probas = [probas for _, probas in every]
        return found

    def test_then_train(self, table: Any, labels: Any) -> SharedPredictions:
        """Return the predictions of all shared models, and train the global model row by row.

        Parameters
        ----------
        table : frame, table or dict of columns
            Rows of any keys, in the order of the stream.
        labels : array-like of shape (n,)
            Their labels.

        Returns
        -------
        SharedPredictions
        """
        model, n = self.global_model, len(labels)
        found = None if model is None else model.test_then_train(table, labels).tolist()
        predictions = self._with_pool(found, table, n)
        self._add_to_probe(table, n)
        return predictions

    def learn_rows(self, rows: Rows) -> SharedPredictions:
        """Do the same as `test_then_train` with parsed rows.

        The global model skips rows whose label it rejects, for example when a label exceeds its
        maximum number of classes. The model of the key may accept such a row.

        Parameters
        ----------
        rows : Rows
            One row or more, in the order of the stream, none of them malformed.

        Returns
        -------
        SharedPredictions
        """
        found: list[SharedPredictions] = []
        labels: list[Any] = rows.labels
        pending = runs(labels, self.global_model)[::-1]
        while pending:
            run = pending.pop()
            table = {name: values[run] for name, values in rows.table.items()}
            try:
                found.append(self.test_then_train(table, np.array(labels[run])))
            except ValueError:
                # The first label of a run is the new one. A run with only this label is just
                # predicted; any other run is split into runs with and without this label.
                is_new = np.array([label == labels[run.start] for label in labels[run]])
                if is_new.all():
                    found.append(self.predict(table, len(is_new)))
                    continue
                cuts = [0, *(np.flatnonzero(np.diff(is_new)) + 1).tolist(), len(is_new)]
                parts = [slice(run.start + a, run.start + b) for a, b in pairwise(cuts)]
                pending += parts[::-1]
        every = np.concatenate([each.labels for each in found], axis=1)
        return SharedPredictions(found[0].names, every)

    def refresh_pool(self, candidates: Iterable[Candidate]) -> None:
        r"""Replace the models of the pool by a new selection.

        The candidates represent all keys. The expected usefulness of the model of key :math:`j` for
        key :math:`c` is :math:`f(c, j) = r_j a(c, j)`: the recent accuracy of j, times the share of
        the probe rows for which the models of c and j predict the same label. The accuracy of the
        global model is estimated by the mean accuracy of the candidates. Models are selected
        greedily: each step adds the candidate that increases :math:`\sum_c \max_j f(c, j)` most,
        where the maximum is over the global model and the models selected so far. The selection
        ends when the pool is full or no candidate increases the sum. Concepts shared by many keys
        are therefore covered first, and no concept is covered twice.

        The result does not depend on the order of the candidates.

        Parameters
        ----------
        candidates : iterable of (key, model, (n_rows, accuracy))
            Models of keys, with their number of training rows and their recent accuracy. Models
            with fewer than 30 rows are ignored; of the others, the 64 with the most rows are
            compared. Selected models are copied.
        """
        mature = [each for each in candidates if each[2][0] >= MIN_ROWS]
        mature.sort(key=lambda each: (-each[2][0], each[0]))
        if not self.pool_size or not mature or not self.probe:
            return
        selected = self._select(mature[:MAX_CANDIDATES])
        self.model_pool = [deepcopy(model) for _, model, _ in selected]
        self.names = [FROM + key for key, _, _ in selected]

    def _select(self, candidates: list[Candidate]) -> list[Candidate]:
        """Return the selected candidates, in the order of selection."""
        n = len(next(iter(self.probe.values())))
        labels = np.array([_labels(model, self.probe, n) for _, model, _ in candidates], object)
        accuracy = np.array([right for _, _, (_, right) in candidates])
        agreement = np.array([(labels == each).mean(axis=1) for each in labels])
        usefulness = np.round(agreement * accuracy, DECIMALS)
        best = np.zeros(len(candidates))
        if self.global_model is not None:
            of_global = np.array(_labels(self.global_model, self.probe, n), dtype=object)
            best = np.round((labels == of_global).mean(axis=1) * accuracy.mean(), DECIMALS)
        selected: list[Candidate] = []
        while len(selected) < self.pool_size:
            gain = np.maximum(usefulness - best[:, None], 0.0).sum(axis=0).round(DECIMALS)
            j = int(gain.argmax())
            if gain[j] <= 0.0:
                break
            selected.append(candidates[j])
            best = np.maximum(best, usefulness[:, j])
        return selected

    def _with_pool(self, found: list[Any] | None, table: Any, n: int) -> SharedPredictions:
        """Return the predictions of the pool, after those of the global model if there is one."""
        every = [] if found is None else [found]
        every += [_labels(model, table, n) for model in self.model_pool]
        names = [*([] if found is None else [GLOBAL]), *self.names]
        return SharedPredictions.of(names, every, n)

    def change_kinds(self, kinds: Mapping[str, str]) -> None:
        """Change the kinds of columns in all models; probe rows with former values are dropped."""
        for model in filter(None, (self.global_model, *self.model_pool)):
            change_kinds(model.steps_[0][1], kinds)
        self.probe = {}

    def _add_to_probe(self, table: Any, n: int) -> None:
        """Store probe rows as plain values, since columns may change their type."""
        rows = np.arange(-self.n_rows % PROBE_EVERY, n, PROBE_EVERY)[-PROBE_ROWS:]
        self.n_rows += n
        if len(rows):
            frame = frame_of(taken(table, rows))
            names = numbered(len(frame.columns)) if frame.names is None else frame.names
            old = self.probe if [*self.probe] == names else {}
            self.probe = {
                name: [*old.get(name, ()), *_plain(raw.values)][-PROBE_ROWS:]
                for name, raw in zip(names, frame.columns)
            }


def _labels(model: IncrementalPipeline, table: Any, n: int) -> list[Any]:
    """Return the predictions of a model, which are None before it is fitted."""
    found: list[Any] = [None] * n
    return model.predict(table).tolist() if model.__sklearn_is_fitted__() else found


def labels_and_probabilities(
    model: IncrementalPipeline, table: Any, n: int
) -> tuple[list[Any], Probabilities]:
    """Return the predicted labels of a model, and the probabilities of the labels it knows."""
    if not model.__sklearn_is_fitted__():
        return [None] * n, {}
    probas, labels = model.predict_proba(table), model.classes_
    best = decide(model.steps_[-1][1], probas)
    return labels[best].tolist(), dict(zip(map(str, labels.tolist()), probas.T))


def _plain(values: np.ndarray) -> list[str | float | bool | None]:
    """Return values as JSON types: floats, strings (also for dates), booleans, None."""
    found: list[Any] = (values.astype("M8[us]") if values.dtype.kind == "M" else values).tolist()
    for i, value in enumerate(found):
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[i] = float(value) if abs(value) < LARGEST_VALUE else None
        elif value is not None and not isinstance(value, bool):
            found[i] = str(value)[:MAX_TEXT] if value == value else None
    return found
