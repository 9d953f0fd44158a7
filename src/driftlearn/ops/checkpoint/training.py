"""How a kept model is tested and taught: rows one by one, in chunks, or when labels come."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.ops.checkpoint.chunks import Part, locations
from driftlearn.ops.checkpoint.saved_model import SavedModel
from driftlearn.ops.checkpoint.tables import in_file
from driftlearn.preprocessing._steps import is_fitted, tell_codes
from driftlearn.preprocessing.surprises import Surprise

#: Codes of what was said, -1 for nothing, and its probability.
Said = tuple[np.ndarray, np.ndarray]


def encoded(kept: SavedModel, part: Part) -> np.ndarray:
    """Return rows as numbers, each by what was known before it, and learn what is in columns."""
    encoder, rows = kept.encoder, part.prepared.slice(part.begin, part.end)
    if hasattr(encoder, "known_"):
        encoder.row_, encoder.file_ = part.piece.row + part.begin, part.piece.file
    with in_file(part.piece.path):
        X: np.ndarray = encoder.transform_then_learn(rows, file=part.piece.file)
    if not is_fitted(kept.learner):
        tell_codes(kept.model.steps_)
    if kept.features is not None:
        kept.features.update(rows, encoder.kinds_)
    return X


def taken_in(kept: SavedModel, parts: list[Part]) -> tuple[np.ndarray, list[Surprise]]:
    """Return rows as numbers, and the surprises in them, of which note is taken; count them."""
    met = len(getattr(kept.encoder, "surprises_", ()))
    X = np.concatenate([encoded(kept, part) for part in parts])
    surprises: list[Surprise] = kept.encoder.surprises_[met:]
    for each in surprises:
        kept.note("surprise", str(each), each.file, each.row)
    kept.counts["read"] += len(X)
    return X, surprises


def taught(kept: SavedModel, parts: list[Part], X: np.ndarray, apart: bool, every: bool) -> Said:
    """Test and learn the rows of a unit; return what was said of them.

    Parameters
    ----------
    kept : SavedModel
        The kept model.
    parts : list of Part
        The rows.
    X : ndarray
        The same as numbers.
    apart : bool
        Whether labels come by themselves.
    every : bool
        Whether something is to be said of rows without a label, too.
    """
    if apart:
        return wait_for_labels(kept, X, parts)
    found = [label for part in parts for label in part.prepared.labels[part.begin : part.end]]
    where: Any = (
        locations(parts[0]) if len(parts) == 1 else [p for q in parts for p in locations(q)]
    )
    there = np.array([label is not None for label in found], dtype=bool)
    if there.all():
        return _learned(kept, X, [label for label in found if label is not None], where)
    kept.counts["unlabelled"] += int((~there).sum())
    said = np.full(len(X), -1), np.zeros(len(X))
    chunked = is_chunked(kept.settings)
    if every and chunked:
        said = predicted(kept, X)
    cuts = [*(np.flatnonzero(np.diff(there)) + 1).tolist()] if every and not chunked else []
    for begin, end in zip([0, *cuts], [*cuts, len(X)]):
        rows = begin + np.flatnonzero(there[begin:end])
        if len(rows):
            labels = [label for label in found[begin:end] if label is not None]
            some = [where[int(i)] for i in rows]
            said[0][rows], said[1][rows] = _learned(kept, X[rows], labels, some)
        elif cuts:
            said[0][begin:end], said[1][begin:end] = predicted(kept, X[begin:end])
    return said


def is_chunked(settings: dict[str, Any]) -> bool:
    """Tell whether rows are learned in chunks."""
    return settings["chunk"] is not None or settings["every"] is not None


def _learned(kept: SavedModel, X: np.ndarray, labels: list[str], where: Any) -> Said:
    """Test and learn rows that have labels; return what was said of them."""
    chunked = is_chunked(kept.settings)
    if kept.settings["delay"]:
        return learn_later(kept, X, labels, where, kept.settings["delay"], chunked)
    return (learn_chunk if chunked else learn_rows)(kept, X, labels, where)


def learn_rows(kept: SavedModel, X: np.ndarray, labels: list[str], where: Any) -> Said:
    """Test and learn rows one by one; return what was said of them."""
    y = _codes(kept, labels, where)
    probas = kept.learner.test_then_train(X, np.array(labels), proba=True)
    silent = np.asarray(np.ma.getmaskarray(probas).all(axis=1))
    said = _said(kept, probas.filled(-1.0), ~silent)
    kept.record.update(y, *said, where)
    return said


def learn_chunk(
    kept: SavedModel, X: np.ndarray, labels: list[str], where: Any, said: Said | None = None
) -> Said:
    """Test a chunk, unless that was done, and learn it; return what was said of it."""
    kept.record.begin_chunk()
    y = _codes(kept, labels, where)
    said = predicted(kept, X) if said is None else said
    _teach_chunk(kept, X, labels)
    kept.record.update(y, *said, where)
    return said


def learn_when_full(
    kept: SavedModel, X: np.ndarray, labels: list[str], where: Any, size: int
) -> Said:
    """Test rows, which wait until they are a chunk, and learn each chunk that is full."""
    said = np.full(len(X), -1), np.zeros(len(X))
    done = 0
    while done < len(X):
        rows = slice(done, done + max(size - len(kept.waiting), 0))
        now = predicted(kept, X[rows])
        said[0][rows], said[1][rows] = now
        kept.waiting.add(X[rows], labels[rows], *now, [*where[rows]])
        if len(kept.waiting) >= size:
            gone = kept.waiting.take(np.arange(len(kept.waiting)))
            learn_chunk(kept, gone.X, gone.tags, gone.places, (gone.said, gone.confidence))
        done = rows.stop
    return said


def predicted(kept: SavedModel, X: np.ndarray) -> Said:
    """Return what the learner says of rows now."""
    if not is_fitted(kept.learner):
        return np.full(len(X), -1), np.zeros(len(X))
    return _said(kept, kept.learner.predict_proba(X), np.ones(len(X), dtype=bool))


def learn_later(
    kept: SavedModel, X: np.ndarray, labels: list[str], where: Any, delay: int, chunked: bool
) -> Said:
    """Test rows, and learn those that are as many rows old as labels take to come."""
    waiting = kept.waiting
    before, ripe = len(waiting), max(len(waiting) + len(X) - delay, 0)
    due = [*waiting.tags, *labels][:ripe]
    every = np.concatenate([waiting.X, X]) if before else X
    if chunked:
        said = predicted(kept, X)
    else:
        _codes(kept, due, [*waiting.places, *where][:ripe])
        said = np.full(len(X), -1), np.zeros(len(X))
        for i in range(len(X)):
            said[0][i : i + 1], said[1][i : i + 1] = predicted(kept, X[i : i + 1])
            old = before + i - delay
            if old >= 0:
                kept.learner.partial_fit(every[old : old + 1], np.array(due[old : old + 1]))
    waiting.add(X, labels, *said, [*where])
    if ripe:
        gone = waiting.take(np.arange(ripe))
        if chunked:
            learn_chunk(kept, gone.X, due, gone.places, (gone.said, gone.confidence))
        else:
            y = kept.record.codes(due)
            kept.record.update(y, gone.said, gone.confidence, gone.places)
    return said


def learn_labelled(kept: SavedModel, pairs: list[tuple[int, str]], chunked: bool) -> None:
    """Learn rows that wait, by position, whose labels have come."""
    gone = kept.waiting.take(np.array([at for at, _ in pairs], dtype=np.intp))
    labels = [label for _, label in pairs]
    said = gone.said, gone.confidence
    if chunked:
        learn_chunk(kept, gone.X, labels, gone.places, said)
    else:
        y = _codes(kept, labels, gone.places)
        kept.learner.partial_fit(gone.X, np.array(labels))
        kept.record.update(y, *said, gone.places)


def wait_for_labels(kept: SavedModel, X: np.ndarray, parts: list[Part]) -> Said:
    """Test rows, and let them wait; give up the oldest if they are too many."""
    said = predicted(kept, X)
    keys = [key or "" for part in parts for key in part.prepared.keys[part.begin : part.end]]
    kept.waiting.add(X, keys, *said, [place for part in parts for place in locations(part)])
    over = len(kept.waiting) - kept.settings["wait"]
    if over > 0:
        kept.waiting.take(np.arange(over))
        kept.counts["given up"] += over
    return said


def _teach_chunk(kept: SavedModel, X: np.ndarray, labels: list[str]) -> None:
    learner = kept.learner
    learner.partial_fit(X, np.array(labels))
    if getattr(learner, "chunk_size", None) is not None and hasattr(learner, "flush"):
        learner.flush()


def _codes(kept: SavedModel, labels: list[str], where: Any) -> np.ndarray:
    """Return the codes of labels that are learned next; take note of new ones."""
    known = {*kept.record.classes}
    for label in dict.fromkeys(labels) if not known.issuperset(labels) else ():
        if label not in known:
            i = labels.index(label)
            file, row, _ = where[i]
            kept.note("class", f"the first {label!r}", file, row, kept.record.n_rows + i)
    return kept.record.codes(labels)


def _said(kept: SavedModel, probas: np.ndarray, tested: np.ndarray) -> Said:
    """Return what probabilities say, in the codes of the record."""
    codes = kept.record.codes([str(label) for label in kept.learner.classes_])
    best = probas.argmax(axis=1)
    sure = np.clip(probas[np.arange(len(best)), best], 0.0, 1.0)
    return np.where(tested, codes[best], -1), np.where(tested, sure, 0.0)
