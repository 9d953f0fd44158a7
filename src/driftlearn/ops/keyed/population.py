"""What the keys of a stream share: a global model, and a shelf of models borrowed from keys."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from driftlearn.base.validation import LARGEST_VALUE
from driftlearn.io.schema import (
    PLAIN,
    Field,
    InvalidStateError,
    a,
    dict_of,
    integer,
    list_of,
    optional,
    word,
)
from driftlearn.ops.keyed.rows import Rows, runs
from driftlearn.ops.keyed.voices import GLOBAL, Said
from driftlearn.preprocessing.pipeline import IncrementalPipeline
from driftlearn.tables.frames import frame_of, numbered
from driftlearn.tables.passthrough import taken

#: A key, its model, how many rows that has learned and its share of right answers lately.
Candidate = tuple[str, IncrementalPipeline, tuple[int, float]]

BORROW = 4  # models on the shelf, unless told
BORROWED = "from "  # how the names of models on the shelf begin
PROBE = 128  # rows by which models are compared
EVERY = 8  # one of so many rows of the stream goes to the probe
LEAST_ROWS = 30  # that a model has learned which may be borrowed
MOST_CANDIDATES = 64  # models that are compared
LONGEST = 1_000  # characters of a value of the probe
DECIMALS = 12  # to which sums are rounded that are compared


class Population:
    """The voices of all keys: the global model, and models that were borrowed from keys.

    A borrowed model is a copy of the whole pipeline of a key, with its encoder, as it was when the
    shelf was chosen; it learns no more.

    Parameters
    ----------
    model : IncrementalPipeline or None
        The global model; None for none.
    borrow : int, default=4
        How many models are on the shelf at most.

    Attributes
    ----------
    model : IncrementalPipeline or None
        The global model.
    shelf : list of IncrementalPipeline
        The borrowed models.
    names : list of str
        What they are called: "from " and the key.
    n_rows : int
        Rows that `test_then_train` was given.
    probe : dict of str to list
        Rows by which models are compared, as columns: of every eighth row of the stream the
        newest 128.

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier
    >>> from driftlearn.preprocessing import TableEncoder, make_pipeline
    >>> rows, labels = {"x": [0.0, 1.0, 0.1, 0.9] * 10}, ["low", "high"] * 20
    >>> population = Population(make_pipeline(TableEncoder(), GaussianNBClassifier()))
    >>> said = population.test_then_train(rows, labels)
    >>> shop = make_pipeline(TableEncoder(), GaussianNBClassifier()).fit(rows, labels[::-1])
    >>> population.renew([("shop 7", shop, (40, 1.0))])
    >>> said = population.answers({"x": [0.2]}, 1)
    >>> said.names, said.labels.tolist()
    (['global', 'from shop 7'], [['low'], ['high']])
    """

    STATE: ClassVar[dict[str, Field]] = {
        "model": optional(a(IncrementalPipeline), needed=True),
        "borrow": integer(0),
        "shelf": list_of(a(IncrementalPipeline), "shelf"),
        "names": list_of(word(), "shelf"),
        "n_rows": integer(0, 2**53),
        "probe": dict_of(list_of(Field(lambda value, _: None), "probe")),
    }

    def __init__(self, model: IncrementalPipeline | None = None, borrow: int = BORROW):
        self.model = model
        self.borrow = borrow
        self.shelf: list[IncrementalPipeline] = []
        self.names: list[str] = []
        self.n_rows = 0
        self.probe: dict[str, list[Any]] = {}

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise ValueError unless shelf and probe are in bounds, and the probe has plain values."""
        names, columns = state["names"], state["probe"].values()
        if len({*names}) < len(names) or not all(name.startswith(BORROWED) for name in names):
            raise InvalidStateError("a population with models on its shelf that are from nowhere")
        if len(names) > state["borrow"] or any(len(column) > PROBE for column in columns):
            raise InvalidStateError("a population with more models or rows than it keeps")
        if any(type(value) not in PLAIN for column in columns for value in column):
            raise InvalidStateError("a population with rows of values that are none")

    def answers(self, table: Any, n_rows: int) -> Said:
        """Return what every voice says of rows, as it is now.

        Parameters
        ----------
        table : frame, table or dict of columns
            Rows, of whatever keys.
        n_rows : int
            How many they are.

        Returns
        -------
        Said
        """
        everyone = [] if self.model is None else [_labels(self.model, table, n_rows)]
        return self._said(everyone, table, n_rows)

    def test_then_train(self, table: Any, labels: Any) -> Said:
        """Return what every voice says of rows, of which the global model learns one by one.

        Parameters
        ----------
        table : frame, table or dict of columns
            Rows, of whatever keys, in the order of the stream.
        labels : array-like of shape (n,)
            Their labels.

        Returns
        -------
        Said
        """
        said: list[list[Any]] = []
        if self.model is not None:
            said = [self.model.test_then_train(table, labels).tolist()]  # None where masked
        found = self._said(said, table, len(labels))
        self._note(table, len(labels))
        return found

    def learn_rows(self, rows: Rows) -> Said:
        """Do what `test_then_train` does with rows that were read.

        The global model learns none whose label it refuses, as one class too many; the key may,
        too.

        Parameters
        ----------
        rows : Rows
            One or more, in the order of the stream; none of them is poisoned.

        Returns
        -------
        Said
        """
        said: list[Said] = []
        labels: list[Any] = rows.labels
        waiting = runs(labels, self.model)[::-1]
        while waiting:
            run = waiting.pop()
            table = {name: values[run] for name, values in rows.table.items()}
            try:
                said.append(self.test_then_train(table, np.array(labels[run])))
            except ValueError:
                new = labels[run.start]
                if not any(label != new for label in labels[run]):
                    said.append(self.answers(table, run.stop - run.start))
                    continue
                same = np.array([label == new for label in labels[run]])
                cuts = [0, *(np.flatnonzero(np.diff(same)) + 1).tolist(), len(same)]
                parts = [slice(run.start + a, run.start + b) for a, b in pairwise(cuts)]
                waiting += parts[::-1]
        return Said(said[0].names, np.concatenate([each.labels for each in said], axis=1))

    def renew(self, candidates: Iterable[Candidate]) -> None:
        r"""Choose anew whose models are on the shelf.

        Candidates stand for all keys. How well the model of key :math:`j` would serve key
        :math:`c` is :math:`f(c, j) = r_j a(c, j)`: the record of j, times the share of the rows of
        the probe of which the models of c and j say the same. The global model is there already;
        its record is taken to be the mean of theirs. Models are put on the shelf one after the
        other, always the one that raises :math:`\sum_c \max_j f(c, j)` most, the maximum being
        over the global model and those on the shelf, until the shelf is full or none raises it. So
        a concept of many keys comes first, and none comes twice.

        It is the same whatever the order of the candidates.

        Parameters
        ----------
        candidates : iterable of (key, model, (rows, right))
            Models of keys, with the number of rows that each has learned and its share of right
            answers lately. Those with fewer than 30 rows are left out; of the others the 64 with
            the most rows are compared. Those chosen are copied.
        """
        mature = [each for each in candidates if each[2][0] >= LEAST_ROWS]
        mature.sort(key=lambda each: (-each[2][0], each[0]))
        mature = mature[:MOST_CANDIDATES]
        if not self.borrow or not mature or not self.probe:
            return
        chosen = [mature[j] for j in self._chosen(mature)]
        self.shelf = [deepcopy(model) for _, model, _ in chosen]
        self.names = [BORROWED + key for key, _, _ in chosen]

    def _chosen(self, mature: list[Candidate]) -> list[int]:
        """Return the places of those that go on the shelf, in order."""
        n = len(next(iter(self.probe.values())))
        said = np.array([_labels(model, self.probe, n) for _, model, _ in mature], dtype=object)
        record = np.array([right for _, _, (_, right) in mature])
        same = np.array([(said == each).mean(axis=1) for each in said])
        fit = np.round(same * record, DECIMALS)
        best = np.zeros(len(mature))
        if self.model is not None:
            everyone = np.array(_labels(self.model, self.probe, n), dtype=object)
            best = np.round((said == everyone).mean(axis=1) * record.mean(), DECIMALS)
        chosen: list[int] = []
        while len(chosen) < self.borrow:
            gain = np.round(np.maximum(fit - best[:, None], 0.0).sum(axis=0), DECIMALS)
            j = int(gain.argmax())
            if gain[j] <= 0.0:
                break
            chosen.append(j)
            best = np.maximum(best, fit[:, j])
        return chosen

    def _said(self, everyone: list[list[Any]], table: Any, n: int) -> Said:
        names = [*([] if self.model is None else [GLOBAL]), *self.names]
        labels = np.empty((len(names), n), dtype=object)
        every = [*everyone, *(_labels(model, table, n) for model in self.shelf)]
        for place, each in zip(labels, every):
            place[:] = each
        return Said(names, labels)

    def _note(self, table: Any, n: int) -> None:
        """Keep some of the rows for the probe, as plain values: columns may change their type."""
        rows = np.arange(-self.n_rows % EVERY, n, EVERY)[-PROBE:]
        self.n_rows += n
        if len(rows):
            frame = frame_of(taken(table, rows))
            names = numbered(len(frame.columns)) if frame.names is None else frame.names
            old = self.probe if [*self.probe] == names else {}
            self.probe = {
                name: [*old.get(name, ()), *_plain(raw.values)][-PROBE:]
                for name, raw in zip(names, frame.columns)
            }


def _labels(model: IncrementalPipeline, table: Any, n: int) -> list[Any]:
    """Return what a model says of rows; None where it knows nothing."""
    if not model.__sklearn_is_fitted__():
        return [None] * n
    labels: list[Any] = model.predict(table).tolist()
    return labels


def _plain(values: np.ndarray) -> list[str | float | bool | None]:
    """Return values as JSON has them: numbers as floats, dates as text, None where none is."""
    found: list[Any] = (values.astype("M8[us]") if values.dtype.kind == "M" else values).tolist()
    for i, value in enumerate(found):
        if isinstance(value, int | float) and not isinstance(value, bool):
            found[i] = float(value) if abs(value) < LARGEST_VALUE else None
        elif value is not None and not isinstance(value, bool):
            found[i] = str(value)[:LONGEST] if value == value else None
    return found
