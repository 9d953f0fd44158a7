"""Predict the rows of files; write the predictions to a file, standard output or a server."""

import csv
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.base.base_learners import decide
from driftlearn.inspection._members import members_of, predictions_of
from driftlearn.ops.checkpoint import inputs, schema_checks
from driftlearn.ops.checkpoint.progress import Progress
from driftlearn.ops.checkpoint.saved_model import SavedModel
from driftlearn.ops.sinks.sink import Done, Sink, plain, sink_of
from driftlearn.ops.sources.files import FileSource
from driftlearn.ops.sources.source import is_server
from driftlearn.preprocessing._knowledge import SchemaChange
from driftlearn.preprocessing._table_check import SchemaReport, policy_of
from driftlearn.tables.csv_file import typed_labels
from driftlearn.tables.files import Piece
from driftlearn.utils.optional import needed
from driftlearn.utils.safe_text import in_csv

LISTED = 5  # number of members listed per row, by decreasing weight
#: Function that writes columns of equal length, the predictions for a piece.
Writer = Callable[[dict[str, Any], Piece], None]


def predict_files(
    folder: str | os.PathLike[str],
    files: list[str],
    out: str,
    *,
    passthrough: Sequence[str] = (),
    votes: bool = True,
    sets: float | None = None,
    skip: bool = False,
    allow: Sequence[str] = (),
    schema: SchemaReport | None = None,
    progress: Progress | None = None,
) -> int:
    """Write predictions for the rows of files; return the number of rows.

    Parameters
    ----------
    folder : path
        The state folder.
    files : list of str
        See `driftlearn.ops.sources.source_of`.
    out : str
        A ``.csv`` or ``.parquet`` file, or ``"-"`` for standard output. For a Redis stream or a
        Kafka topic, only missing predictions are added.
    passthrough : sequence of str
        Input columns to copy to the output.
    votes : bool
        Whether to write the votes for each label.
    sets : float, optional
        Coverage of the prediction sets that are written.
    skip : bool
        Whether to skip broken lines.
    allow : sequence of str
        Packages whose classes may be loaded; see `driftlearn.io.load`.
    schema : SchemaReport, optional
        Where to add schema changes; its policy, if it is not set, is that of the state folder.
    progress : Progress, optional
        Progress display.
    """
    saved = SavedModel.open(folder, allow=allow)
    compare = partial(schema_checks.changes_of, saved)
    target, kinds = saved.settings["target"], saved.encoder.kinds_
    if sets is not None:
        check_sets(saved.learner, saved.settings["learner"])

    def predict(table: inputs.Columns) -> dict[str, Any]:
        X = saved.encoder.transform(inputs.without(table, target))
        probas = saved.learner.predict_proba(X)
        best = decide(saved.learner, probas)
        labels = np.array([*typed_labels(saved.learner.classes_).values()])
        found: dict[str, Any] = {"predicted": labels[best]}
        found |= {f"p_{label}": probas[:, k] for k, label in enumerate(labels.tolist())}
        if votes:
            shares = vote_shares(saved.learner, X, best)
            found["votes"] = [" ".join(f"{k}:{share:.2f}" for k, share in row) for row in shares]
        if sets is not None:
            chosen = label_sets(saved.learner, X, sets, labels.tolist())
            found["set"] = [json.dumps(each, ensure_ascii=False) for each in chosen]
        return found

    copied = dict.fromkeys(passthrough, "--passthrough")
    schema = SchemaReport() if schema is None else schema
    return write_predictions(
        folder, files, out, saved.settings, kinds, copied, predict, skip, compare, schema, progress
    )


def write_predictions(
    folder: str | os.PathLike[str],
    files: list[str],
    out: str,
    settings: Mapping[str, Any],
    kinds: Mapping[str, str],
    copied: Mapping[str, str],
    predict: Callable[[inputs.Columns], dict[str, Any]],
    skip: bool,
    compare: Callable[..., list[SchemaChange]],
    schema: SchemaReport,
    progress: Progress | None = None,
) -> int:
    """Write predictions that the output does not contain yet; return the number of rows.

    Parameters
    ----------
    folder, files, out, skip
        See `predict_files`.
    settings : dict
        The settings of the state folder.
    kinds : dict of str to str
        The columns that the model was trained with, and their kinds.
    copied : dict of str to str
        Input columns to copy to the output before the predictions, and their use for error
        messages.
    predict : callable
        Function that returns columns of predictions for a table of rows.
    compare : callable
        Function that returns the schema changes in a table, given its file and first row.
    schema : SchemaReport
        Where to add them.
    progress : Progress, optional
        Progress display.
    """
    progress = progress or Progress()
    check_out(out)
    schema.policy = schema.policy or policy_of(settings)
    source = inputs.open_source(files, settings, skip=skip)
    sink = sink_of(out, f"predict {Path(folder).resolve()}") if is_server(out) else None
    done = sink.done_until(None) if sink is not None else {}
    position = {path: each.position for path, each in done.items() if each.position is not None}
    source.check(position)
    source.numbers = inputs.numeric_columns(kinds, settings, *copied)
    if isinstance(source, FileSource):
        progress.n_files = len(source.paths())
    progress.whole_files = False
    n = 0
    with progress, closing(source), writer(out, sink, done) as write:
        for piece in source.pieces(position):
            if not piece.n_rows:
                continue
            for name, what in copied.items():
                inputs.check_column(name, [*piece.table], what, piece.path)
            inputs.check_known([*kinds], [*piece.table], piece.path, folder)
            schema.add(compare(piece.table, piece.file, piece.row))
            with inputs.in_file(piece.path):
                found = predict(piece.table)
            for name in copied:
                if name in found:
                    what = "a column of the predictions has this name. Rename the input column."
                    raise ValueError(f"Invalid --passthrough {name!r}: {what}")
            write({**{name: inputs.column(piece.table, name) for name in copied}, **found}, piece)
            n += piece.n_rows
            progress.predicted(n, piece.file)
        if not n and not done:
            raise inputs.no_rows(files, "predict")
    return n


def check_out(out: str) -> None:
    """Raise an error if predictions cannot be written to `out`."""
    if out == "-" or is_server(out):
        return
    suffix = Path(out).suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise ValueError(
            f"Invalid --out {out!r}: expected a .csv or .parquet file, - for standard output, "
            "redis://HOST:6379/STREAM or kafka://HOST:9092/TOPIC."
        )
    if os.path.isdir(out):
        raise ValueError(f"Invalid --out {out!r}: it is a folder. Use a file name.")
    if suffix == ".parquet":
        needed("pyarrow.parquet", "a Parquet file")


@contextmanager
def writer(out: str, sink: Sink | None, done: Mapping[str, Done]) -> Iterator[Writer]:
    """Provide a function that writes predictions; an output file is created atomically."""
    if sink is not None:
        with closing(sink):
            yield partial(_write_to, sink, done)
        return
    if out == "-":
        yield _csv_writer(sys.stdout)
        return
    part = Path(out).with_name(f".{Path(out).name}.{os.getpid()}.part")
    try:
        if Path(out).suffix.lower() == ".csv":
            with open(part, "w", newline="", encoding="utf-8") as file:
                yield _csv_writer(file)
        else:
            with ExitStack() as files:
                yield _parquet_writer(part, files)
        os.replace(part, out)
    except OSError as error:
        if error.filename not in (None, str(part), part):  # the error concerns an input file
            raise
        raise OSError(error.errno, error.strerror or str(error), out) from error
    finally:
        with suppress(OSError):
            part.unlink()


def _write_to(sink: Sink, done: Mapping[str, Done], columns: dict[str, Any], piece: Piece) -> None:
    """Write the predictions that the sink does not contain yet."""
    values = {name: plain(each) for name, each in columns.items()}
    if sink.write_new(done, piece.path, piece.row, values, piece.after(piece.n_rows)):
        sink.flush()


def _csv_writer(file: Any) -> Writer:
    lines = csv.writer(file, lineterminator="\n")
    head: list[str] = []

    def write(columns: dict[str, Any], piece: Piece) -> None:
        if not head:
            head.extend(columns)
            lines.writerow(map(in_csv, head))
        lists = [np.asarray(values).tolist() for values in columns.values()]
        lines.writerows(map(in_csv, row) for row in zip(*lists))

    return write


def _parquet_writer(path: Path, files: ExitStack) -> Writer:
    """Return a function that writes row groups; leaving the stack `files` closes the file."""
    arrow = needed("pyarrow", "a Parquet file")
    parquet = needed("pyarrow.parquet", "a Parquet file")
    opened: list[Any] = []

    def write(columns: dict[str, Any], piece: Piece) -> None:
        arrays = {name: np.asarray(values) for name, values in columns.items()}
        table = arrow.table({
            name: values.tolist() if values.dtype.kind in "OU" else columns[name]
            for name, values in arrays.items()
        })  # fmt: skip
        if not opened:
            opened.append(files.enter_context(parquet.ParquetWriter(path, table.schema)))
        opened[0].write_table(table.cast(opened[0].schema))

    return write


def check_sets(learner: Any, name: str) -> None:
    """Raise ValueError if a learner has no prediction sets."""
    if not hasattr(learner, "predict_set"):
        raise ValueError(f"The learner {name!r} has no prediction sets. Train with 'auto'.")


def label_sets(learner: Any, X: np.ndarray, coverage: float, labels: list[Any]) -> list[list[Any]]:
    """Return the labels in the prediction set of each row, the most probable first."""
    probas, found = learner.predict_proba(X), learner.predict_set(X, coverage)
    order = np.argsort(-probas, axis=1, kind="stable")
    return [[labels[k] for k in row if own[k]] for row, own in zip(order.tolist(), found.tolist())]


def vote_shares(learner: Any, X: np.ndarray, codes: np.ndarray) -> list[list[tuple[Any, float]]]:
    """Return the members that voted for each row's label, and their shares of the total weight.

    Parameters
    ----------
    learner : learner
        An ensemble; the lists are empty for other learners.
    X : ndarray of shape (n, d)
        The rows.
    codes : ndarray of shape (n,)
        The predicted classes, as positions in the classes of the learner.
    """
    if not len(getattr(learner, "members_", ())):
        return [[] for _ in X]
    members = members_of(learner)
    names = members["name" if "name" in members.columns else "id"].tolist()
    weights, (votes, _) = np.asarray(members["weight"], dtype=float), predictions_of(learner, X)
    total = weights.sum()
    shares = weights / total if total > 0 else np.full(len(weights), 1 / len(weights))
    order = [j for j in np.argsort(-shares, kind="stable").tolist() if shares[j] > 0]
    return [
        [(names[j], float(shares[j])) for j in order if votes[j, i] == codes[i]][:LISTED]
        for i in range(len(X))
    ]
