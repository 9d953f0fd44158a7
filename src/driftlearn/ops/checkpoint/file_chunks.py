"""Files as chunks: a file is predicted before any of its labels is known, then learned as a whole.

Labels may come some files later. Until then the encoded rows wait in the saved model.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from driftlearn.base.base_learners import decide
from driftlearn.ops.checkpoint import inputs, training
from driftlearn.ops.checkpoint.chunks import Part
from driftlearn.ops.checkpoint.file_record import SUMS, score
from driftlearn.ops.checkpoint.inputs import TablePiece
from driftlearn.ops.checkpoint.label_file import LabelFile
from driftlearn.ops.checkpoint.label_history import FILE, time_in_name
from driftlearn.ops.checkpoint.predicted_file import PredictedFile
from driftlearn.ops.checkpoint.record import Predictions
from driftlearn.ops.checkpoint.saved_model import SavedModel
from driftlearn.preprocessing._steps import is_fitted


def predict_file(saved: SavedModel, parts: list[Part], by_key: bool) -> Predictions:
    """Predict a file and queue its rows; return the predictions.

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
    X = training.encode(saved, parts)
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
        known_from=None if by_key else _label_times(saved, parts),
    )  # fmt: skip
    found = file.predictions
    files.n_predicted += 1
    if saved.settings.get("label_time") is not None:
        history = saved.label_history
        name = file.name if saved.settings["label_time"] == FILE else None
        history.now = max([history.now, *(file.times if name is None else [time_in_name(name)])])
    unlabelled = np.flatnonzero([tag is None for tag in tags])
    saved.counts["unlabelled"] += len(unlabelled)
    saved.predicted = [*saved.predicted, file.without(unlabelled) if len(unlabelled) else file]
    return found


def learn_due(saved: SavedModel, label_file: LabelFile | None) -> None:
    """Train on the files whose labels are due and known, one call for each file.

    Rows whose labels come after those of their file are learned with the next file. If labels have
    times, those that became known since the previous file are learned in one call. Of the rows
    whose labels are due and have not come, the oldest are dropped above the limit.
    """
    history, is_dated = saved.label_history, saved.settings.get("label_time") is not None
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
        elif is_dated:
            places = places[[time <= history.now for time in file.known_from or ()]]
        if len(places):
            ready.append(file.at(places))
            if file.number > saved.files.newest and not is_dated:
                _learn(saved, ready, labels)
                ready = []
    if is_dated and ready:
        _learn(saved, ready, labels)
    if labels is not None:
        _drop_oldest(saved, newest, history.later_keys)


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
    record, arrived = saved.record, ready
    ready = _without_rare(saved, ready, labels)
    if not ready:
        _remove(saved, arrived)
        return
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
        codes.append(y)
    X = ready[0].X if len(ready) == 1 else np.concatenate([file.X for file in ready])
    training.train_on_chunk(saved, X, [label for names in known for label in names])
    newest = ready[-1]
    training.record_importances(saved, newest.locations[-1])
    if sums[0]:
        # labels with times come with the newest file, whatever the files of their rows
        is_dated = saved.settings.get("label_time") is not None
        saved.files.add(saved.predicted[-1].name if is_dated else newest.name, sums)
    saved.files.learned(newest.number, np.concatenate(codes), len(record.classes))
    _remove(saved, arrived)
    if labels is not None:
        keys = [tag for file in ready for tag in file.tags]
        saved.label_history.add_learned(keys, np.concatenate(codes), saved.settings["wait"])
        used = {*keys}
        early = saved.waiting.early_labels
        saved.waiting.early_labels = {tag: early[tag] for tag in early if tag not in used}


def _without_rare(
    saved: SavedModel, ready: list[PredictedFile], labels: dict[str, str] | None
) -> list[PredictedFile]:
    """Return the rows without those of new labels that were not seen often enough; count these."""
    least, classes = saved.settings.get("new_label_rows") or 1, {*saved.record.classes}
    if least == 1 or not classes:
        return ready
    names = [file.tags if labels is None else [labels[tag] for tag in file.tags] for file in ready]
    seen = Counter(saved.held_back)
    seen.update(name for each in names for name in each if name not in classes)
    rare = {name: n for name, n in seen.items() if n < least}
    saved.held_back = rare
    if not rare:
        return ready
    found = []
    for file, each in zip(ready, names):
        places = np.flatnonzero([name not in rare for name in each])
        saved.counts["held back"] = saved.counts.get("held back", 0) + len(file) - len(places)
        found.append(file.at(places))
    return [file for file in found if len(file)]


def _label_times(saved: SavedModel, parts: list[Part]) -> list[str] | None:
    """Return the times from which the labels of rows are known; None without a time column."""
    name = saved.settings.get("label_time")
    if name is None:
        return None
    found = []
    for part in parts:
        inputs.check_column(name, [*part.piece.table], "times of labels", part.piece.path)
        found += TablePiece(part.piece, None, name, None).time_texts(part.begin, part.end)
    return found


def _remove(saved: SavedModel, ready: list[PredictedFile]) -> None:
    """Remove rows from the queue."""
    learned = {file.number: file.rows for file in ready}
    rest = [
        file.without(np.flatnonzero(np.isin(file.rows, learned[file.number])))
        if file.number in learned else file for file in saved.predicted
    ]  # fmt: skip
    saved.predicted = [file for file in rest if len(file)]


def _drop_oldest(saved: SavedModel, newest: int, later: set[str]) -> None:
    """Remove the oldest rows above the limit whose labels are due and become not known later."""
    overdue = [
        np.flatnonzero([tag not in later for tag in file.tags])
        if file.number <= newest else np.zeros(0, dtype=np.intp) for file in saved.predicted
    ]  # fmt: skip
    excess = sum(map(len, overdue)) - saved.settings["wait"]
    if excess <= 0:
        return
    saved.counts["given up"] += excess
    rest = []
    for file, places in zip(saved.predicted, overdue):
        n = min(excess, len(places))
        rest.append(file.without(places[:n]) if n else file)
        excess -= n
    saved.predicted = [file for file in rest if len(file)]
