"""Files as chunks: a file is predicted before any of its labels is known, then learned as a whole.

Labels may come some files later. Until then the encoded rows wait in the saved model.
"""

from __future__ import annotations

import numpy as np

from driftlearn.base.base_learners import decide
from driftlearn.ops.checkpoint import training
from driftlearn.ops.checkpoint.chunks import Part
from driftlearn.ops.checkpoint.file_record import SUMS, one_vs_rest_auc, score
from driftlearn.ops.checkpoint.label_file import LabelFile
from driftlearn.ops.checkpoint.predicted_file import PredictedFile
from driftlearn.ops.checkpoint.record import Predictions
from driftlearn.ops.checkpoint.saved_model import SavedModel
from driftlearn.preprocessing._knowledge import SchemaChange
from driftlearn.preprocessing._steps import is_fitted


def predict_file(
    saved: SavedModel, parts: list[Part], by_key: bool
) -> tuple[Predictions, list[SchemaChange]]:
    """Predict a file and queue its rows; return the predictions and the schema changes.

    The rows are encoded twice: for the prediction by the encoder as it was before the file, as
    ``driftlearn predict`` does it, and for training by one that knows the words of the file.

    Parameters
    ----------
    saved : SavedModel
        The model.
    parts : list of Part
        The rows of the file.
    by_key : bool
        Whether the labels are in separate files. Otherwise rows without a label are not queued.
    """
    predicted, probas = _predict(saved, parts)
    X, changes = training.encode(saved, parts)
    if by_key:
        tags: list[str | None] = [key or "" for part in parts for key in part.keys]
    else:
        tags = [label for part in parts for label in part.labels]
    record, files = saved.record, saved.files
    file = PredictedFile(
        number=files.n_predicted, name=parts[0].piece.file,
        rows=np.concatenate([part.piece.row + np.arange(part.begin, part.end) for part in parts]),
        times=[time for part in parts for time in part.rows.time_texts(part.begin, part.end)],
        X=X, tags=[tag or "" for tag in tags], predicted=predicted, probas=probas,
        last=record.last, majority=record.most_frequent, frequencies=files.frequencies(),
    )  # fmt: skip
    found = file.predictions
    files.n_predicted += 1
    unlabelled = np.flatnonzero([tag is None for tag in tags])
    saved.counts["unlabelled"] += len(unlabelled)
    saved.predicted = [*saved.predicted, file.without(unlabelled) if len(unlabelled) else file]
    return found, changes


def learn_due(saved: SavedModel, label_file: LabelFile | None) -> None:
    """Train on the files whose labels are due and known, one call for each file.

    Rows whose labels come after those of their file are learned with the next file. Of the rows
    whose labels are due and have not come, the oldest are dropped above the limit.
    """
    newest = saved.files.n_predicted - 1 - saved.settings["delay"]
    due = [file for file in saved.predicted if file.number <= newest]
    labels: dict[str, str] | None = None
    if label_file is not None and due:
        labels = label_file.read(saved, {tag for file in due for tag in file.tags})
    ready: list[PredictedFile] = []
    for file in due:
        places = np.arange(len(file))
        if labels is not None:
            places = places[[tag in labels for tag in file.tags]]
        if len(places):
            ready.append(file.at(places))
            if file.number > saved.files.newest:
                _learn(saved, ready, labels)
                ready = []
    excess = sum(len(file) for file in saved.predicted if file.number <= newest)
    excess -= saved.settings["wait"]
    if labels is not None and excess > 0:
        saved.counts["given up"] += excess
        _drop_oldest(saved, excess)


def _predict(saved: SavedModel, parts: list[Part]) -> tuple[np.ndarray, np.ndarray]:
    """Return codes of predicted classes, and probabilities, in the codes of the record."""
    n = sum(part.n for part in parts)
    if not is_fitted(saved.learner):
        return np.full(n, -1), np.zeros((n, 0))
    codes = saved.record.codes([str(label) for label in saved.learner.classes_])
    predicted, probas = np.empty(n, dtype=np.int64), np.zeros((n, len(saved.record.classes)))
    end = 0
    for part in parts:  # one at a time, so that votes of all members need little memory
        rows = slice(end, end := end + part.n)
        X = saved.encoder.transform(part.rows.slice(part.begin, part.end))
        found = saved.learner.predict_proba(X)
        predicted[rows] = codes[decide(saved.learner, found)]
        probas[rows, codes] = found
    return predicted, probas


def _learn(saved: SavedModel, ready: list[PredictedFile], labels: dict[str, str] | None) -> None:
    """Score rows of files, the newest last, and train on them in one call."""
    record = saved.record
    known = [file.tags if labels is None else [labels[tag] for tag in file.tags] for file in ready]
    record.begin_chunk()
    codes = []
    sums = np.zeros(len(SUMS))
    for file, names in zip(ready, known):
        locations = file.locations
        y = training.codes_of(saved, names, locations)
        saved.score(y, file.predictions, locations, known=(file.last, file.majority))
        if file.is_tested:
            sums += score(y, file.predicted, file.probas, file.majority, file.frequencies)
            area = one_vs_rest_auc(y, file.probas)
            if area is not None:
                sums[-2:] += len(y), len(y) * area
        codes.append(y)
    X = ready[0].X if len(ready) == 1 else np.concatenate([file.X for file in ready])
    training.train_on_chunk(saved.learner, X, [label for names in known for label in names])
    newest = ready[-1]
    if sums[0]:
        saved.files.add(newest.name, sums)
    saved.files.learned(newest.number, np.concatenate(codes), len(record.classes))
    _remove(saved, ready)
    if labels is not None:
        used = {tag for file in ready for tag in file.tags}
        early = saved.waiting.early_labels
        saved.waiting.early_labels = {tag: early[tag] for tag in early if tag not in used}


def _remove(saved: SavedModel, ready: list[PredictedFile]) -> None:
    """Remove rows from the queue."""
    learned = {file.number: file.rows for file in ready}
    rest = [
        file.without(np.flatnonzero(np.isin(file.rows, learned[file.number])))
        if file.number in learned else file for file in saved.predicted
    ]  # fmt: skip
    saved.predicted = [file for file in rest if len(file)]


def _drop_oldest(saved: SavedModel, excess: int) -> None:
    """Remove the oldest rows from the queue."""
    rest = []
    for file in saved.predicted:
        n = min(excess, len(file))
        rest.append(file.without(np.arange(n)) if n else file)
        excess -= n
    saved.predicted = [file for file in rest if len(file)]
