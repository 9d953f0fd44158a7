"""Serving of a single saved model."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy, deepcopy
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.base.base_learners import decide
from driftlearn.inspection._tables import changes_of_error
from driftlearn.inspection.inspection import Inspection, inspect
from driftlearn.ops.alerts.alarm import Status
from driftlearn.ops.checkpoint import file_chunks, training
from driftlearn.ops.checkpoint.chunks import Part, SliceSize
from driftlearn.ops.checkpoint.inputs import TablePiece, check_column, without
from driftlearn.ops.checkpoint.predict import check_sets, label_sets, vote_shares
from driftlearn.ops.checkpoint.record import Predictions
from driftlearn.ops.checkpoint.saved_model import EVENTS, SavedModel, has_file_chunks
from driftlearn.ops.checkpoint.schema_checks import changes_of, known_columns
from driftlearn.ops.serving import served_model
from driftlearn.ops.serving.request_rows import CORRECT, RequestError, Rows
from driftlearn.ops.serving.served_model import Facts, Reader, ServedModel, ServedPosition
from driftlearn.preprocessing._knowledge import SchemaChange
from driftlearn.preprocessing._steps import is_fitted
from driftlearn.preprocessing._table_check import History
from driftlearn.tables.csv_file import typed_labels
from driftlearn.tables.files import Piece
from driftlearn.tables.frames import frame_of

ORIGIN = "/learn"  # origin of a service's rows in records and events
# CPU seconds per slice: the next slice is doubled below SHORT and halved above LONG
SHORT, LONG = 0.005, 0.02
RECENT = 1_000  # number of rows that count as recent
#: Accepted schema changes: a number in a category column becomes a category.
ACCEPTED = {"other type"}


class SingleModel(ServedModel):
    """Saved model of a service; see `ServedModel`.

    Parameters
    ----------
    folder : Path
        The state folder.

    Attributes
    ----------
    saved : SavedModel
        The model.
    position : ServedPosition
        Position of the last log entry used for training.
    """

    def __init__(self, folder: Path):
        self.folder, self._slices = folder, SliceSize(25, 1_000, SHORT, LONG)
        self.saved = SavedModel.open(folder)
        self.position = ServedPosition(self.saved.position.get("served", {}))

    def learn(self, requests: Sequence[Rows]) -> list[dict[str, Any]]:
        """See `ServedModel`."""
        found, row = [], self.position.rows
        for _, run in groupby(requests, self._group):
            several = [*run]
            found += self._learn(several, row)
            row += sum(each.n for each in several)
        return found

    def _group(self, rows: Rows) -> Any:
        """Return the grouping key of requests that can be processed in one call.

        A call costs as much as training on a row, so single rows are passed together.
        """
        return frozenset(rows.columns) if self.saved.settings["chunk"] is None else id(rows)

    def _learn(self, requests: list[Rows], row: int) -> list[dict[str, Any]]:
        """Train on requests that have the same columns; return their answers."""
        saved, before = self.saved, self.saved.record.n_rows
        n = sum(each.n for each in requests)
        table = {
            name: np.concatenate([each.columns[name] for each in requests])
            for name in requests[0].columns
        }
        piece = Piece(table, n, ORIGIN, ORIGIN, row, lambda _: {})
        rows = TablePiece(piece, saved.settings["target"], saved.settings["time"])
        # A request that forms a chunk must not be split.
        slices = [(0, n)] if saved.settings["chunk"] == "file" else self._slices.over(n)
        parts = [self._learn_slice(Part(rows, begin, end)) for begin, end in slices]
        codes, confidence = (np.concatenate(each) for each in zip(*parts))
        right = codes == saved.record.codes([label or "" for label in rows.labels])
        labels = [*typed_labels(saved.record.classes).values()]
        predictions = [
            None if code < 0 else {"label": labels[code], "confidence": sure}
            for code, sure in zip(codes.tolist(), confidence.tolist())
        ]
        found = served_model.answers(requests, predictions, right.tolist())
        if len(requests) == 1:  # the request may contain an incomplete chunk
            learned, waiting = saved.record.n_rows - before, saved.n_waiting
            found[0] |= {"learned": learned, "waiting": waiting}
        return found

    def _learn_slice(self, part: Part) -> Predictions:
        """Train on rows as the settings require; return their prequential predictions."""
        saved, chunk = self.saved, self.saved.settings["chunk"]
        if has_file_chunks(saved.settings):
            found = file_chunks.predict_file(saved, [part], by_key=False)
            file_chunks.learn_due(saved, None)
            return found
        X = training.encode(saved, [part])
        labels = [label or "" for label in part.labels]
        if isinstance(chunk, int):
            return training.learn_when_full(saved, X, labels, part.locations, chunk)
        return training.learn(saved, X, labels, part.locations)

    def reader(self) -> SingleReader:
        """See `ServedModel`."""
        shown = copy(self.saved)
        shown.position = {}  # thousands of idempotency keys, which readers do not need
        shown.settings = served_model.with_policy(shown.settings, self.policy)
        return SingleReader(deepcopy(shown))

    def save(self) -> None:
        """See `ServedModel`."""
        self.saved.position["served"] = vars(self.position)
        self.saved.save(self.folder)


class SingleReader(Reader):
    """Snapshot of a saved model; see `Reader`.

    Parameters
    ----------
    saved : SavedModel
        A copy of the model, which must not be modified.
    """

    at_once = 8 << 10

    def __init__(self, saved: SavedModel):
        self._saved = saved
        self.n_rows = saved.record.n_rows
        self.is_ready = is_fitted(saved.learner)
        if self.is_ready:
            self._labels = [*typed_labels(saved.learner.classes_).values()]

    def check(self, rows: Rows) -> None:
        """See `Reader`."""
        settings = self._saved.settings
        for name in ("every", "by", "delay", "label_time"):
            if settings.get(name):
                option = f"--{name.replace('_', '-')}"
                hint = "Train with 'driftlearn learn'."
                raise RequestError(409, f"With {option}, a service can only predict. {hint}")
        try:
            check_column(settings["target"], [*rows.columns], "the labels", "The request")
            table = self._table(rows)
            for i, label in enumerate(table.labels):
                if label is None:
                    raise ValueError(f"Row {i} has no label in column {settings['target']!r}.")
                if "\0" in label:
                    raise ValueError(f"Row {i}: a label must not contain a null character.")
            if settings["time"] is not None:
                check_column(settings["time"], [*rows.columns], "times", "The request")
                table.times(0, rows.n)
        except ValueError as problem:
            raise RequestError(422, str(problem)) from None
        self._encode(rows)

    @cached_property
    def _known(self) -> tuple[list[History], list[str]]:
        return known_columns(self._saved)

    def changes(self, rows: Rows) -> list[SchemaChange]:
        """See `Reader`."""
        settings = self._saved.settings
        if settings.get("on_schema_change") is None:
            return []
        found = changes_of(self._saved, rows.columns, "The request", known=self._known)
        found += served_model.new_labels(self._saved.record.classes, rows, settings["target"])
        return served_model.accepted(found, settings)

    def predict(self, rows: Rows) -> list[dict[str, Any]]:
        """See `Reader`."""
        learner, X = self._saved.learner, self._encode(rows)
        probas = learner.predict_proba(X)
        best = decide(learner, probas)
        found: list[dict[str, Any]] = [
            {"label": self._labels[k], "probabilities": dict(zip(map(str, self._labels), row))}
            for k, row in zip(best.tolist(), probas.tolist())
        ]
        if rows.votes:
            for each, shares in zip(found, vote_shares(learner, X, best)):
                each["votes"] = {str(name): share for name, share in shares}
        if rows.sets is not None:
            try:
                check_sets(learner, self._saved.settings["learner"])
            except ValueError as problem:
                raise RequestError(409, str(problem)) from None
            for each, chosen in zip(found, label_sets(learner, X, rows.sets, self._labels)):
                each["set"] = chosen
        return found

    def facts(self) -> Facts:
        """See `Reader`."""
        saved, record = self._saved, self._saved.record
        kinds = [event["kind"] for event in saved.events]
        worse = [each["since"] > each["before"] for each in changes_of_error(saved)]
        return Facts(
            learner=saved.settings["learner"],
            labels=record.classes,
            waiting=saved.n_waiting,
            accuracy={
                (source, window): share
                for window, last in (("all", None), ("recent", RECENT))
                for source, share in record.accuracy(last).items()
                if share is not None
            },
            drifts={"worse": sum(worse), "better": len(worse) - sum(worse)},
            events={kind: kinds.count(kind) for kind in EVENTS},
        )

    def status(self) -> Status:
        """See `Reader`."""
        return Status.of(self._saved)._replace(is_waiting=True)

    def inspection(self) -> Inspection | None:
        """See `Reader`."""
        return inspect(self._saved) if self.is_ready else None

    def _table(self, rows: Rows) -> TablePiece:
        piece = Piece(rows.columns, rows.n, "The request", "The request", 0, lambda _: {})
        return TablePiece(piece, self._saved.settings["target"], self._saved.settings["time"])

    def _encode(self, rows: Rows) -> np.ndarray:
        """Return encoded rows; raise `RequestError` for an invalid value or column."""
        encoder = self._saved.encoder
        columns = without(rows.columns, self._saved.settings["target"])
        if not columns:
            raise RequestError(422, "The rows have no feature columns, only the label column.")
        X, changes = copy(encoder)._encoded(frame_of(columns), None, learning=False)
        for each in changes if served_model.is_strict(self._saved.settings) else ():
            if each.problem == "new column":
                raise served_model.unknown_column(each.column, [*encoder.feature_names_in_])
            if each.problem == "missing column":
                raise served_model.missing_column(each.column)
            if each.problem not in ACCEPTED:
                raise RequestError(422, f"{each.what}. {CORRECT}")
        return X
