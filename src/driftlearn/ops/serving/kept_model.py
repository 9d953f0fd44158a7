"""A kept model behind a service."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy, deepcopy
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.inspection._error_changes import error_changes
from driftlearn.ops.checkpoint import teaching
from driftlearn.ops.checkpoint.kept import EVENTS, Kept
from driftlearn.ops.checkpoint.tables import Prepared, check_column, without
from driftlearn.ops.checkpoint.units import Part, places
from driftlearn.ops.checkpoint.voters import shares_of
from driftlearn.ops.serving.position import ServedPosition
from driftlearn.ops.serving.refused import Refused
from driftlearn.ops.serving.rows import Rows
from driftlearn.ops.serving.served_model import Facts
from driftlearn.ops.serving.slices import Slices
from driftlearn.ops.sources.piece import Piece
from driftlearn.preprocessing._steps import is_fitted
from driftlearn.streams._csv import kind_of
from driftlearn.tables.frames import frame_of
from driftlearn.utils.arguments import meant

ORIGIN = "/learn"  # where rows of a service come from, in records and events
SHORT, LONG = 0.005, 0.02  # CPU seconds of a slice
LATELY = 1_000  # rows
FITTING = {"other type"}  # a number where words were is the category of that name


class KeptModel:
    """A kept model behind a service.

    Parameters
    ----------
    folder : Path
        The state folder.

    Attributes
    ----------
    kept : Kept
        The kept model.
    position : ServedPosition
        Its position in the log of the service.
    is_full : bool
        Never.
    """

    is_full = False

    def __init__(self, folder: Path):
        self.folder, self._slices = folder, Slices(SHORT, LONG)
        self.kept = Kept.open(folder)
        self.position = ServedPosition(self.kept.position.setdefault("served", {}))

    def learn(self, requests: Sequence[Rows]) -> list[dict[str, Any]]:
        """See `ServedModel`."""
        found, row = [], self.position.rows
        for _, run in groupby(requests, self._together):
            several = [*run]
            found += self._learned(several, row)
            row += sum(each.n for each in several)
        return found

    def _together(self, rows: Rows) -> Any:
        """Return what requests share that are learned in one call: it costs as much as a row."""
        return frozenset(rows.columns) if self.kept.settings["chunk"] is None else id(rows)

    def _learned(self, requests: list[Rows], row: int) -> list[dict[str, Any]]:
        """Learn requests of the same columns; return their answers."""
        kept, settings, before = self.kept, self.kept.settings, self.kept.record.n_rows
        n = sum(each.n for each in requests)
        table = {
            name: np.concatenate([each.columns[name] for each in requests])
            for name in requests[0].columns
        }
        prepared = Prepared(
            Piece(table, n, ORIGIN, ORIGIN, row, lambda _: {}), settings["target"], settings["time"]
        )
        said, sure = (np.concatenate(each) for each in zip(*self._taught(prepared, n)))
        right = said == kept.record.codes([label or "" for label in prepared.labels])
        kind = kind_of({*kept.record.classes})
        labels = [kind(label) for label in kept.record.classes]
        answers, done = [], 0
        for each in requests:
            rows = slice(done, done + each.n)
            done += each.n
            predictions = [
                None if code < 0 else {"label": labels[code], "confidence": confidence}
                for code, confidence in zip(said[rows].tolist(), sure[rows].tolist())
            ]
            learned = each.n if len(requests) > 1 else kept.record.n_rows - before
            answers.append(
                {
                    "rows": each.n,
                    "learned": learned,
                    "waiting": len(kept.waiting),
                    "tested": int((said[rows] >= 0).sum()),
                    "right": int(right[rows].sum()),
                    "predictions": predictions,
                }
            )
        return answers

    def _taught(self, prepared: Prepared, n: int) -> Iterator[teaching.Said]:
        """Learn rows, slice after slice; a request that is a chunk is not cut."""
        whole = self.kept.settings["chunk"] == "file"
        for begin, end in [(0, n)] if whole else self._slices.over(n):
            yield self._taught_slice(Part(prepared, begin, end))

    def _taught_slice(self, part: Part) -> teaching.Said:
        """Learn some rows as the settings say; return what was said of them before."""
        kept, chunk = self.kept, self.kept.settings["chunk"]
        X, _ = teaching.taken_in(kept, [part])
        labels = [label or "" for label in part.prepared.labels[part.begin : part.end]]
        if chunk is None:
            return teaching.learn_rows(kept, X, labels, places(part))
        if chunk == "file":
            return teaching.learn_chunk(kept, X, labels, places(part))
        return teaching.learn_when_full(kept, X, labels, places(part), chunk)

    def reader(self) -> KeptReader:
        """See `ServedModel`."""
        shown = copy(self.kept)
        shown.position = {}  # thousands of keys that no reader needs
        return KeptReader(deepcopy(shown))

    def save(self) -> None:
        """See `ServedModel`."""
        self.kept.save(self.folder)


class KeptReader:
    """A kept model of one moment; see `Reader`.

    Parameters
    ----------
    kept : Kept
        The kept model, which nobody changes.
    """

    at_once = 8 << 10

    def __init__(self, kept: Kept):
        self._kept = kept
        self.n_rows = kept.record.n_rows
        self.is_ready = is_fitted(kept.learner)
        if self.is_ready:
            kind = kind_of({str(label) for label in kept.learner.classes_})
            self._labels = [kind(str(label)) for label in kept.learner.classes_.tolist()]

    def check(self, rows: Rows) -> None:
        """See `Reader`."""
        settings = self._kept.settings
        for name in ("every", "by", "delay"):
            if settings[name]:
                raise Refused(
                    409,
                    f"this model was made with --{name}, by which driftlearn learn learns from "
                    "files; the service only predicts with it",
                )
        try:
            check_column(settings["target"], [*rows.columns], "the labels", "the request")
            self._check_labels(rows)
            if settings["time"] is not None:
                check_column(settings["time"], [*rows.columns], "times", "the request")
                self._prepared(rows).times(0, rows.n)
        except ValueError as problem:
            raise Refused(422, str(problem)) from None
        self._encoded(rows)

    def predict(self, rows: Rows) -> list[dict[str, Any]]:
        """See `Reader`."""
        if not self.is_ready:
            raise Refused(503, "the model has learned no row yet: send some to /learn", after=1)
        learner, X = self._kept.learner, self._encoded(rows)
        probas = learner.predict_proba(X)
        best = probas.argmax(axis=1)
        found: list[dict[str, Any]] = [
            {"label": self._labels[k], "probabilities": dict(zip(map(str, self._labels), row))}
            for k, row in zip(best.tolist(), probas.tolist())
        ]
        if rows.votes:
            for each, shares in zip(found, shares_of(learner, X, best)):
                each["votes"] = {str(name): share for name, share in shares}
        return found

    def facts(self) -> Facts:
        """See `Reader`."""
        kept, record = self._kept, self._kept.record
        kinds = [event["what"] for event in kept.events]
        worse = [each["since"] > each["before"] for each in error_changes(record)]
        return Facts(
            learner=kept.settings["learner"],
            labels=record.classes,
            waiting=len(kept.waiting),
            accuracy={
                (who, over): share
                for over, last in (("all", None), ("lately", LATELY))
                for who, share in record.accuracy(last).items()
                if share is not None
            },
            drifts={"worse": sum(worse), "better": len(worse) - sum(worse)},
            events={kind: kinds.count(kind) for kind in EVENTS},
        )

    def _prepared(self, rows: Rows) -> Prepared:
        piece = Piece(rows.columns, rows.n, "the request", "the request", 0, lambda _: {})
        return Prepared(piece, self._kept.settings["target"], self._kept.settings["time"])

    def _check_labels(self, rows: Rows) -> None:
        target = self._kept.settings["target"]
        for i, label in enumerate(self._prepared(rows).labels):
            if label is None:
                raise ValueError(f"row {i} has no label in column {target!r}")
            if "\0" in label:
                raise ValueError(f"row {i}: the label has a character that no label can have")

    def _encoded(self, rows: Rows) -> np.ndarray:
        """Return rows as numbers; raise `Refused` if something in them does not fit."""
        known, target = self._kept.encoder, self._kept.settings["target"]
        columns = without(rows.columns, target)
        if not columns:
            raise Refused(422, "the rows have no column beside the labels")
        X, met = copy(known)._encoded(frame_of(columns), None, learning=False)
        for each in met:
            if each.problem == "new column":
                there = [*known.feature_names_in_]
                near = meant(each.column, there) or f"; it has {', '.join(map(repr, there[:20]))}"
                raise Refused(422, f"the model knows no column {each.column!r}{near}")
            if each.problem == "missing column":
                raise Refused(422, f"the rows have no column {each.column!r}: write null where "
                              "a value is missing")  # fmt: skip
            if each.problem not in FITTING:
                raise Refused(422, each.what)
        return X
