"""Compare two saved models on new files: each file is predicted before either model learns it."""

import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.base.base_learners import decide
from driftlearn.ops.checkpoint import inputs
from driftlearn.ops.checkpoint.file_record import score
from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.ops.checkpoint.paired_scores import compare_scores
from driftlearn.ops.checkpoint.saved_model import MODEL, SavedModel
from driftlearn.ops.checkpoint.versions import check_single
from driftlearn.ops.sources.files import FileSource
from driftlearn.ops.sources.source import STANDARD_INPUT, is_server
from driftlearn.preprocessing._steps import is_fitted


class _Copy:
    """Copy of a saved model, which predicts and learns files without changing the original."""

    def __init__(self, original: str, folder: Path, skip: bool, allow: Sequence[str]):
        check_single(original, "compare")
        self.saved = SavedModel.open(original, allow=allow)
        folder.mkdir()
        shutil.copyfile(Path(original, MODEL), folder / MODEL)
        self.folder, self.skip, self.allow = folder, skip, tuple(allow)

    def source(self, path: str) -> FileSource:
        """Return the source of a file."""
        found = inputs.open_source([path], self.saved.settings, self.skip)
        assert isinstance(found, FileSource)
        found.numbers = inputs.numeric_columns(self.saved.encoder.kinds_, self.saved.settings)
        return found

    def has_learned(self, path: str) -> bool:
        """Return whether the rows of a file, or some of them, were learned."""
        known = self.saved.position["files"]
        return path in known or self.source(path).original(path, known) is not None

    def predict(self, path: str) -> tuple[list[str | None], list[str], np.ndarray]:
        """Return the labels of a file (or their keys), predicted labels and probabilities.

        Probabilities have a column for each class of the learner.
        """
        tags: list[str | None] = []
        predicted: list[str] = []
        probas = [np.zeros((0, len(self.classes)))]
        settings = self.saved.settings
        for piece in self.source(path).pieces({}):
            if piece.n_rows:
                inputs.check_column(self.tag, [*piece.table], "labels", path)
                tags += inputs.texts(piece.table, self.tag)
                with inputs.in_file(path):
                    rows = inputs.without(piece.table, settings["target"])
                    X = self.saved.encoder.transform(rows)
                found = self.saved.learner.predict_proba(X)
                predicted += [self.classes[k] for k in decide(self.saved.learner, found).tolist()]
                probas.append(found)
        return tags, predicted, np.concatenate(probas)

    def learn(self, path: str) -> None:
        """Learn a file as ``driftlearn learn`` does it."""
        run = LearnRun(self.folder, [path], {}, skip=self.skip, allow=self.allow)
        self.saved = run.run()

    @property
    def tag(self) -> str:
        """The column of labels, or of their keys if labels are in separate files."""
        return str(self.saved.settings["by"] or self.saved.settings["target"])

    @property
    def classes(self) -> list[str]:
        """The classes of the learner."""
        return [str(label) for label in self.saved.learner.classes_]

    def labels(self) -> dict[str, str] | None:
        """Return the labels by key if they are in separate files."""
        settings, found = self.saved.settings, {}
        if settings["by"] is None:
            return None
        if settings.get("labels") is None:
            what = "its labels come from a stream, which cannot be compared"
            raise ValueError(f"{self.folder.name}: {what}.")
        for piece in inputs.open_source([settings["labels"]], settings, self.skip).pieces({}):
            keys = inputs.texts(piece.table, settings["by"]) if piece.n_rows else []
            labels = inputs.texts(piece.table, settings["target"]) if piece.n_rows else []
            found.update({key: label for key, label in zip(keys, labels) if key and label})
        return found


def compare(
    first: str | os.PathLike[str],
    second: str | os.PathLike[str],
    files: Sequence[str],
    *,
    skip: bool = False,
    allow: Sequence[str] = (),
    note: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Return the metrics of two saved models on new files, and their differences.

    Each file is predicted by copies of both models before either learns it. Files that one of them
    has learned are omitted.

    Parameters
    ----------
    first, second : path
        State folders, which are not changed.
    files : sequence of str
        Files, folders and globs.
    skip : bool
        Whether to skip broken lines.
    allow : sequence of str
        Packages whose classes may be loaded; see `driftlearn.io.load`.
    note : callable
        Called with messages.

    Returns
    -------
    dict
        See `compare_scores`.
    """
    if any(name == STANDARD_INPUT or is_server(name) for name in files):
        raise ValueError(
            "Models are compared on files: standard input and streams cannot be read twice."
        )
    with tempfile.TemporaryDirectory() as place:
        copies = [
            _Copy(str(name), Path(place, str(k)), skip, allow)
            for k, name in enumerate((first, second))
        ]
        if len({each.saved.settings["target"] for each in copies}) == 2:
            names = [each.saved.settings["target"] for each in copies]
            raise ValueError(
                f"The models predict different columns, {names[0]!r} and {names[1]!r}."
            )
        paths = FileSource([*files]).paths()
        new = [path for path in paths if not any(each.has_learned(path) for each in copies)]
        if len(new) < len(paths):
            omitted = f"{len(paths) - len(new):,} of {len(paths):,} files"
            note(f"{omitted} are omitted, because a model has learned them")
        if not new:
            raise ValueError(
                "There is no file that neither model has learned: train both models on older files "
                "only, and compare them on newer files."
            )
        labels = [each.labels() for each in copies]
        scores: list[np.ndarray] = []
        for path in new:
            if all(is_fitted(each.saved.learner) for each in copies):
                scores += _score(copies, labels, path)
            for each in copies:
                each.learn(path)
    if not scores:
        raise ValueError("No file could be compared: no row has a label, or a model is untrained.")
    return compare_scores(*np.swapaxes(scores, 0, 1))


def _score(
    copies: Sequence[_Copy], labels: Sequence[dict[str, str] | None], path: str
) -> list[np.ndarray]:
    """Return the scores of both models on a file in a list, which is empty without labels."""
    found = []
    for copy, by_key in zip(copies, labels):
        tags, predicted, probas = copy.predict(path)
        y = tags if by_key is None else [by_key.get(tag or "") for tag in tags]
        rows = [i for i, label in enumerate(y) if label is not None]
        if not rows:
            return []
        classes = [*dict.fromkeys([*copy.classes, *(str(y[i]) for i in rows)])]
        code = {label: k for k, label in enumerate(classes)}
        found.append(score(
            np.array([code[str(y[i])] for i in rows]), np.array([code[predicted[i]] for i in rows]),
            probas[rows], 0, np.ones(len(classes)),
        ))  # fmt: skip
    return [np.array(found)]
