"""How a kept model is tested and taught: rows one by one, in chunks, or when labels come."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.keeping.kept import Kept
from driftlearn.keeping.tables import in_file
from driftlearn.keeping.units import Part, places
from driftlearn.preprocess._steps import is_fitted, tell_codes

#: Codes of what was said, -1 for nothing, and its probability.
Said = tuple[np.ndarray, np.ndarray]


def encoded(kept: Kept, part: Part) -> np.ndarray:
    """Return rows as numbers, each by what was known before it, and learn what is in columns."""
    encoder, rows = kept.encoder, part.prepared.slice(part.begin, part.end)
    if hasattr(encoder, "known_"):
        encoder.row_, encoder.file_ = part.piece.row + part.begin, part.piece.file
    with in_file(part.piece.path):
        X: np.ndarray = encoder.transform_then_learn(rows, file=part.piece.file)
    if not is_fitted(kept.learner):
        tell_codes(kept.learner, encoder)
    if kept.features is not None:
        kept.features.update(rows, encoder.kinds_)
    return X


def learn_rows(kept: Kept, X: np.ndarray, labels: list[str], where: Any) -> None:
    """Test and learn rows one by one."""
    y = _codes(kept, labels, where)
    probas = kept.learner.test_then_train(X, np.array(labels), proba=True)
    silent = np.asarray(np.ma.getmaskarray(probas).all(axis=1))
    said = _said(kept, probas.filled(-1.0), ~silent)
    kept.record.update(y, *said, where)


def learn_chunk(
    kept: Kept, X: np.ndarray, labels: list[str], where: Any, said: Said | None = None
) -> None:
    """Test a chunk, unless that was done, and learn it."""
    kept.record.begin_chunk()
    y = _codes(kept, labels, where)
    said = predicted(kept, X) if said is None else said
    _teach_chunk(kept, X, labels)
    kept.record.update(y, *said, where)


def predicted(kept: Kept, X: np.ndarray) -> Said:
    """Return what the learner says of rows now."""
    if not is_fitted(kept.learner):
        return np.full(len(X), -1), np.zeros(len(X))
    return _said(kept, kept.learner.predict_proba(X), np.ones(len(X), dtype=bool))


def learn_later(
    kept: Kept, X: np.ndarray, labels: list[str], where: Any, delay: int, chunked: bool
) -> None:
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


def learn_labelled(kept: Kept, pairs: list[tuple[int, str]], chunked: bool) -> None:
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


def wait_for_labels(kept: Kept, X: np.ndarray, part: Part, keys: list[str]) -> None:
    """Test rows, and let them wait; give up the oldest if they are too many."""
    kept.waiting.add(X, keys, *predicted(kept, X), [*places(part)])
    over = len(kept.waiting) - kept.settings["wait"]
    if over > 0:
        kept.waiting.take(np.arange(over))
        kept.counts["given up"] += over


def _teach_chunk(kept: Kept, X: np.ndarray, labels: list[str]) -> None:
    learner = kept.learner
    learner.partial_fit(X, np.array(labels))
    if getattr(learner, "chunk_size", None) is not None and hasattr(learner, "flush"):
        learner.flush()


def _codes(kept: Kept, labels: list[str], where: Any) -> np.ndarray:
    """Return the codes of labels that are learned next; take note of new ones."""
    known = {*kept.record.classes}
    for label in dict.fromkeys(labels) if not known.issuperset(labels) else ():
        if label not in known:
            i = labels.index(label)
            file, row, _ = where[i]
            kept.note("class", f"the first {label!r}", file, row, kept.record.n_rows + i)
    return kept.record.codes(labels)


def _said(kept: Kept, probas: np.ndarray, tested: np.ndarray) -> Said:
    """Return what probabilities say, in the codes of the record."""
    codes = kept.record.codes([str(label) for label in kept.learner.classes_])
    best = probas.argmax(axis=1)
    sure = np.clip(probas[np.arange(len(best)), best], 0.0, 1.0)
    return np.where(tested, codes[best], -1), np.where(tested, sure, 0.0)
