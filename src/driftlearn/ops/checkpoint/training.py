"""Prequential training of a saved model by rows, by chunks, or when labels arrive."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from driftlearn.base.base_learners import decide
from driftlearn.base.stream_classifier import StreamClassifier
from driftlearn.ensemble.chunk_classifier import ChunkClassifier
from driftlearn.inspection.drift_record import DriftRecord
from driftlearn.inspection.explained_columns import owners
from driftlearn.inspection.importance_record import measured
from driftlearn.io import dumps
from driftlearn.ops.checkpoint import inputs
from driftlearn.ops.checkpoint.chunks import Part
from driftlearn.ops.checkpoint.inputs import TablePiece
from driftlearn.ops.checkpoint.record import Predictions
from driftlearn.ops.checkpoint.saved_model import SavedModel, WaitingRows, has_file_chunks
from driftlearn.preprocessing._steps import is_fitted, set_nominal_features
from driftlearn.preprocessing.pipeline import make_pipeline
from driftlearn.preprocessing.table_encoder import TableEncoder
from driftlearn.specs.grammar import read
from driftlearn.utils.optional import needed

LIGHTGBM = "lightgbm"
# If labels of single rows are at least 200 rows late, the rows are combined into chunks: four per
# delay were more accurate than two on streams with classes in runs.
LATE, DELAY_CHUNKS = 200, 4


def is_chunked(settings: dict[str, Any]) -> bool:
    """Return whether the model is trained on chunks."""
    return settings["chunk"] is not None or settings["every"] is not None


def new_learner(settings: dict[str, Any], allow: Iterable[str] = ()) -> Any:
    """Create the learner named in the settings; raise ValueError if it does not support them.

    `allow` names packages whose classes may be saved; see `driftlearn.io.save`.
    """
    name, chunked = settings["learner"], is_chunked(settings)
    learner = read(name, "learner").make(seed=0)
    if not hasattr(learner, "partial_fit") or not isinstance(learner, StreamClassifier):
        hint = "'driftlearn list learners' shows suitable learners."
        raise ValueError(f"Invalid --learner {name!r}: it cannot be updated with new rows. {hint}")
    estimator: Any = getattr(learner, "estimator", None)
    if type(estimator).__module__.startswith(LIGHTGBM):
        estimator.set_params(verbose=-1)  # otherwise it writes to standard output
    dumps(learner, allow=allow)  # report a learner that cannot be saved before any training
    size = learner.get_params(deep=False).get("chunk_size", 0)
    if not chunked and size is None and isinstance(learner, ChunkClassifier):
        hint = "set their size, e.g. --chunk 500."
        raise ValueError(f"{name!r} is trained on chunks of rows: {hint}")
    if not chunked and not hasattr(learner, "test_then_train"):
        raise ValueError(f"{name!r} cannot be trained row by row: use e.g. --chunk 500.")
    params, delay = learner.get_params(deep=False), settings["delay"]
    if params.get("combine") == "auto" and size is None and not chunked and delay >= LATE:
        learner.set_params(chunk_size=delay // DELAY_CHUNKS, delay=DELAY_CHUNKS)
    elif params.get("combine") == "auto":
        # The number of rows of the first call could be misleading: a file may have a single row.
        learner.set_params(combine="stack" if chunked else "vote")
    if delay and has_file_chunks(settings) and params.get("delay") == 0:
        learner.set_params(delay=delay)
    return learner


def weekly_learner(text: str, schedule: str = "n_chunks=56,every=7") -> str:
    """Return the spec of a classifier that is retrained every 7 chunks on the last 56.

    `schedule` contains other options of `RefitClassifier`.

    Examples
    --------
    >>> weekly_learner("sklearn.naive_bayes:GaussianNB")
    "weekly GaussianNB=refit:estimator='sklearn.naive_bayes:GaussianNB',n_chunks=56,every=7"
    """
    name, _, options = text.partition(":")
    short = options.partition(":")[0] if "." in name else name
    if name == LIGHTGBM:
        needed(LIGHTGBM, f"--weekly {text}")
        text = ":".join(filter(None, [LIGHTGBM, "LGBMClassifier", options]))
    estimator = text.replace("'", "''")
    return f"weekly {short}=refit:estimator='{estimator}',{schedule}"


def new_model(
    settings: dict[str, Any],
    rows: TablePiece,
    note: Callable[[str], None],
    allow: Iterable[str] = (),
) -> SavedModel:
    """Return a new model for the columns in the first rows; see `new_learner`."""
    stated, path = {**settings["kinds"]}, rows.piece.path
    if settings["by"] is not None:
        stated.setdefault(settings["by"], "drop")
    elif settings.get("label_time") is not None:  # it is known after the label
        stated[settings["label_time"]] = "drop"
    for name in stated:
        inputs.check_column(name, [*rows.features], "--kind or --drop", path)
    with inputs.in_file(path):
        kinds = inputs.kinds_of(rows.features, stated)
    inputs.drop_identifiers(rows.features, kinds, stated, note)
    inputs.note_distinct(rows.features, kinds, stated, note)
    encoder = TableEncoder(kinds=kinds, on_schema_change="note")
    model = make_pipeline(encoder, new_learner(settings, allow))
    model.__dict__ = model._draft(start=True).__dict__
    return SavedModel(model, settings)


def encode(saved: SavedModel, parts: list[Part]) -> np.ndarray:
    """Return encoded rows; update encoder, events and counts.

    The encoding of a row depends only on the rows before it.
    """
    encoder, learner = saved.encoder, saved.learner
    n_known, encoded = len(getattr(encoder, "schema_changes_", ())), []
    for part in parts:
        rows = part.rows.slice(part.begin, part.end)
        if hasattr(encoder, "known_"):
            encoder.row_, encoder.file_ = part.piece.row + part.begin, part.piece.file
        with inputs.in_file(part.piece.path):
            encoded.append(encoder.transform_then_learn(rows, file=part.piece.file))
        if not is_fitted(learner):
            set_nominal_features(saved.model.steps_)
        if isinstance(saved.features, DriftRecord):
            has_times = saved.settings["time"] is not None
            times = part.rows.times(part.begin, part.end) if has_times else None
            file, row = part.piece.file, part.piece.row + part.begin
            saved.features.update(rows, encoder.kinds_, file=file, row=row, times=times)
        elif saved.features is not None:
            saved.features.update(rows, encoder.kinds_)
    X = np.concatenate(encoded)
    for each in encoder.schema_changes_[n_known:]:
        saved.add_event("schema_change", str(each), each.file, each.row)
    saved.counts["read"] += len(X)
    return X


def learn_parts(
    saved: SavedModel, parts: list[Part], X: np.ndarray, predict_all: bool
) -> Predictions:
    """Predict the rows of a batch, then train on them; return the predictions.

    Parameters
    ----------
    saved : SavedModel
        The model.
    parts : list of Part
        The rows.
    X : ndarray
        The encoded rows.
    predict_all : bool
        Whether to predict rows without a label, too.
    """
    labels = [label for part in parts for label in part.labels]
    locations: Any = parts[0].locations if len(parts) == 1 else [
        each for part in parts for each in part.locations
    ]  # fmt: skip
    has_label = np.array([label is not None for label in labels], dtype=bool)
    if has_label.all():
        return learn(saved, X, [label for label in labels if label is not None], locations)
    saved.counts["unlabelled"] += int((~has_label).sum())
    chunked, found = is_chunked(saved.settings), Predictions.none(len(X))
    cuts: list[int] = []
    if predict_all and chunked:
        found = predict(saved, X)
    elif predict_all:  # each row must be predicted after training on the rows before it
        cuts = (np.flatnonzero(np.diff(has_label)) + 1).tolist()
    for begin, end in zip([0, *cuts], [*cuts, len(X)]):
        rows = begin + np.flatnonzero(has_label[begin:end])
        if len(rows):
            some = [label for label in labels[begin:end] if label is not None]
            found.put(rows, learn(saved, X[rows], some, [locations[i] for i in rows.tolist()]))
        elif cuts:
            found.put(slice(begin, end), predict(saved, X[begin:end]))
    return found


def learn(saved: SavedModel, X: np.ndarray, labels: list[str], locations: Any) -> Predictions:
    """Predict labeled rows and train on them as the settings require; return the predictions."""
    if saved.settings["delay"]:
        return learn_delayed(saved, X, labels, locations)
    train = learn_chunk if is_chunked(saved.settings) else learn_rows
    return train(saved, X, labels, locations)


def learn_rows(saved: SavedModel, X: np.ndarray, labels: list[str], locations: Any) -> Predictions:
    """Predict each row, then train on it; return the predictions."""
    y = codes_of(saved, labels, locations)
    if getattr(saved.learner, "decision", None) is None:
        probas = saved.learner.test_then_train(X, np.array(labels), proba=True)
        tested = ~np.asarray(np.ma.getmaskarray(probas).all(axis=1))
        found = _predicted(saved, probas.filled(-1.0), tested)
    else:  # labels follow from the class frequencies, which change with every row
        found = Predictions.none(len(X))
        for i, row in enumerate(slice(i, i + 1) for i in range(len(X))):
            found.put(row, predict(saved, X[row]))
            saved.learner.partial_fit(X[row], [labels[i]])
    saved.model.recent_ = saved.model.recent_.with_rows(X)
    saved.score(y, found, locations)
    return found


def learn_chunk(
    saved: SavedModel,
    X: np.ndarray,
    labels: list[str],
    locations: Any,
    predictions: Predictions | None = None,
) -> Predictions:
    """Predict a chunk unless `predictions` are passed, then train on it; return the predictions."""
    saved.record.begin_chunk()
    y = codes_of(saved, labels, locations)
    predictions = predict(saved, X) if predictions is None else predictions
    train_on_chunk(saved, X, labels)
    saved.score(y, predictions, locations)
    record_importances(saved, locations[-1])
    return predictions


def train_on_chunk(saved: SavedModel, X: np.ndarray, labels: list[str]) -> None:
    """Train the learner on all rows of a chunk."""
    learner, model = saved.learner, saved.model
    learner.partial_fit(X, np.array(labels))
    if getattr(learner, "chunk_size", None) is not None and hasattr(learner, "flush"):
        learner.flush()
    model.recent_ = model.recent_.with_rows(X)


def record_importances(saved: SavedModel, location: list[Any]) -> None:
    """Measure the importances of columns after a chunk if it is time; see `ImportanceRecord`.

    `location` is the origin of the last row.
    """
    encoder, record, recent = saved.encoder, saved.importances, saved.model.recent_.rows
    columns = encoder.known_.columns
    if not record.is_due(saved.record.n_rows, len(columns)) or len(recent) < 2:
        return
    found = measured(saved.learner.predict_proba, recent, owners(encoder))
    file, _, time = location
    record.add([each.name for each in columns], found, saved.record.n_rows, file, time)


def learn_when_full(
    saved: SavedModel, X: np.ndarray, labels: list[str], locations: Any, size: int
) -> Predictions:
    """Predict rows when they arrive; train on each chunk when it is complete."""
    found, waiting, done = Predictions.none(len(X)), saved.waiting, 0
    while done < len(X):
        rows = slice(done, done + max(size - len(waiting), 0))
        now = predict(saved, X[rows])
        found.put(rows, now)
        waiting.add(X[rows], labels[rows], now, [*locations[rows]])
        if len(waiting) >= size:
            ready = waiting.pop(np.arange(len(waiting)))
            learn_chunk(saved, ready.X, ready.tags, ready.locations, ready.predictions)
        done = rows.stop
    return found


def learn_delayed(
    saved: SavedModel, X: np.ndarray, labels: list[str], locations: Any
) -> Predictions:
    """Predict rows when they arrive; train on each row after the label delay."""
    waiting, delay = saved.waiting, saved.settings["delay"]
    n_before = len(waiting)
    n_ready = max(n_before + len(X) - delay, 0)
    ready_labels = [*waiting.tags, *labels][:n_ready]
    chunked = is_chunked(saved.settings)
    if chunked:
        found = predict(saved, X)
    else:
        everything = np.concatenate([waiting.X, X]) if n_before else X
        codes_of(saved, ready_labels, [*waiting.locations, *locations][:n_ready])
        found = Predictions.none(len(X))
        for i in range(len(X)):
            found.put(slice(i, i + 1), predict(saved, X[i : i + 1]))
            old = n_before + i - delay
            if old >= 0:
                label = np.array(ready_labels[old : old + 1])
                saved.learner.partial_fit(everything[old : old + 1], label)
    waiting.add(X, labels, found, [*locations])
    if n_ready:
        _learn_ready(saved, waiting.pop(np.arange(n_ready)), ready_labels, is_learned=not chunked)
    return found


def learn_labelled(saved: SavedModel, pairs: list[tuple[int, str]]) -> None:
    """Train on waiting rows whose labels have arrived."""
    ready = saved.waiting.pop(np.array([at for at, _ in pairs], dtype=np.intp))
    _learn_ready(saved, ready, [label for _, label in pairs])


def _learn_ready(
    saved: SavedModel, ready: WaitingRows, labels: list[str], is_learned: bool = False
) -> None:
    """Count the predictions of rows that have waited; train on the rows if that is still to do."""
    if is_chunked(saved.settings):
        learn_chunk(saved, ready.X, labels, ready.locations, ready.predictions)
        return
    y = codes_of(saved, labels, ready.locations)
    if not is_learned:
        saved.learner.partial_fit(ready.X, np.array(labels))
    saved.model.recent_ = saved.model.recent_.with_rows(ready.X)
    saved.score(y, ready.predictions, ready.locations)


def wait_for_labels(saved: SavedModel, X: np.ndarray, parts: list[Part]) -> Predictions:
    """Predict rows and queue them until their labels arrive; drop the oldest above the limit."""
    found, waiting = predict(saved, X), saved.waiting
    keys = [key or "" for part in parts for key in part.keys]
    waiting.add(X, keys, found, [each for part in parts for each in part.locations])
    excess = len(waiting) - saved.settings["wait"]
    if excess > 0:
        waiting.pop(np.arange(excess))
        saved.counts["given up"] += excess
    return found


def predict(saved: SavedModel, X: np.ndarray) -> Predictions:
    """Return the current predictions for rows."""
    if not is_fitted(saved.learner):
        return Predictions.none(len(X))
    return _predicted(saved, saved.learner.predict_proba(X), np.ones(len(X), dtype=bool))


def codes_of(saved: SavedModel, labels: list[str], locations: Any) -> np.ndarray:
    """Return the codes of labels; record an event for each new label."""
    new = {*labels} - {*saved.record.classes}
    for label in dict.fromkeys(labels) if new else ():
        if label in new:
            i = labels.index(label)
            file, row, _ = locations[i]
            saved.add_event("class", f"the first {label!r}", file, row, saved.record.n_rows + i)
    return saved.record.codes(labels)


def _predicted(saved: SavedModel, probas: np.ndarray, tested: np.ndarray) -> Predictions:
    """Return the predicted classes with their probabilities, in the codes of the record."""
    codes = saved.record.codes([str(label) for label in saved.learner.classes_])
    best = decide(saved.learner, probas)
    sure = np.clip(probas[np.arange(len(best)), best], 0.0, 1.0)
    return Predictions(np.where(tested, codes[best], -1), np.where(tested, sure, 0.0))
