"""Backtest: the predictions that several models would have made for files of the past."""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.ops.checkpoint.file_record import SUMS, FileRecord
from driftlearn.ops.checkpoint.learn_run import LearnRun
from driftlearn.ops.checkpoint.paired_scores import LEAST_FILES, RATIOS, compare_scores, is_better
from driftlearn.ops.checkpoint.progress import Progress
from driftlearn.ops.checkpoint.saved_model import FILE, MODEL, is_keyed
from driftlearn.ops.checkpoint.training import LIGHTGBM, new_learner, weekly_learner
from driftlearn.ops.sources.source import STANDARD_INPUT, is_server
from driftlearn.utils.data_folder import data_folder

FREQUENCIES = "class frequencies"  # of the last 28 files
#: The last training of the model that is never retrained: with one file a day, after four weeks.
LAST_TRAINING = 29
FOREST = "sklearn.ensemble:HistGradientBoostingClassifier"


def contenders(learner: str, against: str | None = None) -> dict[str, str]:
    """Return the learners of a backtest by name.

    Parameters
    ----------
    learner : str
        The learner that is updated with each file.
    against : str, optional
        Classifier that is retrained every 7 files on the last 56, and trained on the first weeks
        only; by default LightGBM if it is installed, otherwise scikit-learn's
        HistGradientBoostingClassifier.

    Examples
    --------
    >>> contenders("auto", "sklearn.naive_bayes:GaussianNB")["GaussianNB, once"]
    "refit:estimator='sklearn.naive_bayes:GaussianNB',n_chunks=None,every=7,until=29"
    """
    if against is None:
        against = LIGHTGBM if find_spec(LIGHTGBM) else FOREST
    label, _, weekly = weekly_learner(against).partition("=")
    once = weekly_learner(against, f"n_chunks=None,every=7,until={LAST_TRAINING}")
    name = "LightGBM" if against == LIGHTGBM else label.removeprefix("weekly ")
    return {learner: learner, f"{name}, weekly": weekly, f"{name}, once": once.partition("=")[2]}


def backtest(
    files: Sequence[str],
    given: dict[str, Any],
    *,
    against: str | None = None,
    folder: Path | None = None,
    labels: str | None = None,
    skip: bool = False,
    allow: Sequence[str] = (),
    progress: Callable[[], Progress] = Progress,
    note: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Predict each file with several models before they learn it; return and compare the scores.

    Files are scored if their labels are known by the last file. The models are saved after each
    file: after an interruption, the same call continues.

    Parameters
    ----------
    files : sequence of str
        Files, folders and globs.
    given : dict
        Settings of `driftlearn learn`, such as ``target`` and ``delay``.
    against : str, optional
        See `contenders`.
    folder : Path, optional
        Folder of the models; by default in the user's data folder, for these arguments.
    labels : str, optional
        File, folder or glob of labels.
    skip : bool
        Whether to skip broken lines.
    allow : sequence of str
        Packages whose classes may be saved and loaded; see `driftlearn.io.load`.
    progress : callable
        Returns a new progress display for each model.
    note : callable
        Called with messages.

    Returns
    -------
    dict
        JSON values: ``folder``, number of ``files`` and ``rows``, number of older files that are
        ``omitted``, the scores of all ``models`` with
        their comparison ``versus`` the first one, the scores ``by file``, the ``schema`` changes,
        and a ``recommendation``.
    """
    if any(name == STANDARD_INPUT or is_server(name) for name in files):
        raise ValueError(
            "A backtest requires files: standard input and streams cannot be read once per model."
        )
    if folder is not None and (is_keyed(folder) or (folder / MODEL).exists()):
        raise ValueError(f"{folder} contains a model. Use another --state folder for the backtest.")
    given = {**given, "on_schema_change": "note"}
    learners = contenders(given.pop("learner", None) or "auto", against)
    if folder is None:
        folder = _folder_of([*map(os.path.abspath, files)], given, learners, labels)
    allowed = {name: (*allow, LIGHTGBM) if LIGHTGBM in spec else tuple(allow)
               for name, spec in learners.items()}  # fmt: skip
    for name, spec in learners.items():  # report an invalid one before any is trained
        new_learner({"chunk": FILE, "every": None, "delay": 0, "learner": spec}, allowed[name])
    note(f"models: {folder}")
    records: dict[str, FileRecord] = {}
    schema: dict[str, Any] = {}
    for k, (name, spec) in enumerate(learners.items(), 1):
        note(f"model {k} of {len(learners)}: {name}")
        run = LearnRun(
            folder / str(k), [*files], {**given, "learner": spec}, skip=skip, labels=labels,
            allow=allowed[name], progress=progress(),
        )  # fmt: skip
        records[name] = run.run().files
        schema = schema or run.schema.to_dict()
    return {"folder": str(folder), **compared(records), "schema": schema}


def compared(records: dict[str, FileRecord]) -> dict[str, Any]:
    """Return the scores and the comparisons of a backtest; see `backtest`."""
    n = min(len(each.scores) for each in records.values())
    if not n:
        raise ValueError(
            "No file could be predicted: the first file is used for training, and the labels of a "
            "file must be known before a later file. Pass more files."
        )
    names = next(iter(records.values())).names[-n:]
    scores = {name: each.scores[-n:] for name, each in records.items()}
    first = next(iter(scores))
    scores[FREQUENCIES] = _of_baseline(scores[first])
    models = {}
    for name, sums in scores.items():
        models[name] = _metrics(sums.sum(axis=0))
        if name != first:
            models[name]["versus"] = compare_scores(scores[first], sums)
    by_file = [
        {"file": file, "rows": int(scores[first][i, 0])}
        | {name: _metrics(sums[i]) for name, sums in scores.items()}
        for i, file in enumerate(names)
    ]
    return {
        "files": n,
        "omitted": records[first].n_files - n,  # only the scores of the last 365 files are stored
        "rows": int(scores[first][:, 0].sum()),
        "models": models,
        "by file": by_file,
        "recommendation": recommendation(scores),
    }


def recommendation(scores: dict[str, np.ndarray]) -> str:
    """Return in a sentence which model to use.

    Parameters
    ----------
    scores : dict of str to ndarray of shape (files, 8)
        Scores of the models on the same files, the preferred model first, and of the class
        frequencies; see `SUMS`.
    """
    models = [name for name in scores if name != FREQUENCIES]
    if len(scores[FREQUENCIES]) < LEAST_FILES:
        return f"At least {LEAST_FILES} predicted files are needed for a recommendation."

    def loses(name: str, other: str) -> bool:
        return is_better(compare_scores(scores[name], scores[other]))

    useful = [name for name in models if loses(FREQUENCIES, name)]
    if not useful:
        return (
            f"No model is significantly better than the {FREQUENCIES}: the columns hardly "
            "determine the label, or there are too few files."
        )
    best = [name for name in useful if not any(loses(name, each) for each in useful)]
    chosen, *others = best or [min(useful, key=lambda each: _log_loss(scores[each]))]
    if not others:
        return f"Use {chosen}: no other model is as good."
    return f"Use {chosen}. The difference from {' and '.join(others)} is not significant."


def _log_loss(sums: np.ndarray) -> float:
    of = dict(zip(SUMS, sums.sum(axis=0)))
    return float(of["log loss"] / of["rows"])


def _metrics(sums: np.ndarray) -> dict[str, Any]:
    """Return accuracy, AUC and log loss; None where they are not defined."""
    of = dict(zip(SUMS, sums.tolist()))
    return {
        metric: of[part] / of[whole] if of[whole] else None
        for metric, (part, whole) in RATIOS.items()
    }


def _of_baseline(sums: np.ndarray) -> np.ndarray:
    """Return the scores of the class frequencies, which rank all rows alike."""
    of = dict(zip(SUMS, sums.T))
    of |= {"correct": of["baseline"], "log loss": of["baseline log loss"],
           "auc": of["auc rows"] / 2}  # fmt: skip
    return np.array([*of.values()]).T


def _folder_of(*arguments: Any) -> Path:
    """Return the default folder of a backtest with these arguments."""
    content = json.dumps(arguments, sort_keys=True, default=str).encode()
    return data_folder() / "backtests" / hashlib.blake2b(content, digest_size=6).hexdigest()
