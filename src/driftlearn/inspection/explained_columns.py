"""Columns of a table and their values in words, for explanations."""

from typing import Any, NamedTuple

import numpy as np

from driftlearn.inspection._members import columns_of
from driftlearn.preprocessing import IncrementalPipeline, TableEncoder
from driftlearn.preprocessing._columns import CategoryColumn, Column, ParsedColumn
from driftlearn.tables.frames import Raw, frame_of, numbered
from driftlearn.tables.values import missing, names
from driftlearn.utils.arguments import Ints

LONGEST = 40  # characters of a value


class ExplainedColumns(NamedTuple):
    """Columns to which the features of a learner belong, and their values in some rows.

    Attributes
    ----------
    names : list of str
        Names of the columns.
    owner : int array of shape (d,)
        Position of the column of each feature.
    values : list of list of str
        For each row, the value of each column as text: as it was passed, if an encoder is the last
        step before the learner.
    notes : list of list of str
        For each row and column, why a value was not used as it is: "" or e.g. "unknown word".
    """

    names: list[str]
    owner: Ints
    values: list[list[str]]
    notes: list[list[str]]


def explained_columns(model: Any, X: Any, encoded: np.ndarray) -> ExplainedColumns:
    """Return the columns of a model and their values in rows.

    Parameters
    ----------
    model : learner or IncrementalPipeline
        A fitted model.
    X : frame, table, dict of columns or array-like
        Rows as they are passed to the model.
    encoded : ndarray of shape (n, d)
        The same rows as they are passed to its learner.
    """
    encoder = encoder_of(model)
    if encoder is None:
        found = columns_of(model)[0]
        texts = [["missing" if v != v else f"{v:.6g}" for v in row] for row in encoded.tolist()]
        nothing = [[""] * len(found) for _ in encoded]
        return ExplainedColumns(found, np.arange(len(found)), texts, nothing)
    columns: list[Column] = encoder.known_.columns
    frame = frame_of(X)
    keys = frame.names or [*getattr(encoder, "feature_names_in_", numbered(len(frame.columns)))]
    given = dict(zip(keys, frame.columns))
    pairs = [_in_words(each, given.get(each.name), frame.n_rows) for each in columns]
    return ExplainedColumns(
        [each.name for each in columns],
        owners(encoder),
        [list(row) for row in zip(*(texts for texts, _ in pairs))],
        [list(row) for row in zip(*(notes for _, notes in pairs))],
    )


def encoder_of(model: Any) -> TableEncoder | None:
    """Return the table encoder that is the only step before the learner, or None."""
    if not isinstance(model, IncrementalPipeline) or len(model.steps_) != 2:
        return None
    encoder = model.steps_[0][1]
    return encoder if isinstance(encoder, TableEncoder) else None


def owners(encoder: TableEncoder) -> Ints:
    """Return the position of the table column of each encoded column."""
    columns = encoder.known_.columns
    owner = np.repeat(np.arange(len(columns)), [each.width for each in columns])
    if len(owner) < len(encoder.known_.scaled):  # indicators of missing values follow
        owner = np.concatenate([owner, np.arange(len(columns))])
    return owner


def _in_words(column: Column, raw: Raw | None, n_rows: int) -> tuple[list[str], list[str]]:
    """Return the values of a column as text, and notes about values that were not used."""
    if raw is None:
        return ["missing"] * n_rows, ["the column is missing"] * n_rows
    if column.kind == "drop":
        return [_text(value) for value in raw.values], ["dropped column"] * n_rows
    gone = missing(raw.values)
    notes = [""] * n_rows
    if isinstance(column, CategoryColumn):
        words = names(raw.values)
        is_full = len(column.places) == column.n_places
        unknown = f"none of the first {column.n_places} words" if is_full else "unknown word"
        notes = [unknown if w is not None and w not in column.places else "" for w in words]
        texts = ["missing" if word is None else _text(word) for word in words]
        return texts, notes
    if isinstance(column, ParsedColumn):
        for i in column._parse(raw.values)[1]:
            notes[i] = f"{column._problem}, treated as missing"
    return ["missing" if no else _text(v) for v, no in zip(raw.values, gone.tolist())], notes


def _text(value: Any) -> str:
    if isinstance(value, np.datetime64):
        return str(value).removesuffix("T00:00:00.000000")
    text = f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
