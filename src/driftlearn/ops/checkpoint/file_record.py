"""Scores of files that were predicted before any of their labels was known."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.stats import rankdata

from driftlearn.io import schema
from driftlearn.utils.table import Table

BASELINE = 28  # files whose class frequencies are the baseline
MAX_SCORED = 365  # files whose scores are stored, for comparisons
RECENT = f"last {BASELINE} files"
#: Scores of a file as sums, so that those of several files are added.
SUMS = (
    "rows", "correct", "majority", "baseline", "log loss", "baseline log loss", "auc rows", "auc",
)  # fmt: skip
SMALLEST = float(np.finfo(float).eps)  # least probability in a log loss, as in scikit-learn
# Windows of the check, and the most files in which a useful model may fail to be better: a model
# that is better in half of all files has fewer with probability 0.06 and 0.04, a model that is
# better in 70 % of all files with probability 0.004 and below 0.0001.
CHECKS = ((7, 1), (BASELINE, 9))
#: Standard errors by which a model is below the majority class in a single file; of a useless
#: model, that is by chance one file of 30,000.
FAR_BELOW = 4.0


class FileRecord:
    """Scores of the model and of two baselines for files, in bounded memory.

    Attributes
    ----------
    n_predicted : int
        Number of files that were predicted, or were read before the first training.
    newest : int
        Number of the newest file that was learned; -1 before the first.
    n_files : int
        Number of scored files.
    names : list of str
        The last 365 scored files.
    scores : ndarray of shape (files, 8)
        Their scores as sums; see `SUMS`.
    totals : ndarray of shape (8,)
        The scores of all files.
    counts : ndarray of shape (n, classes)
        Label counts of the last 28 files that were learned.
    """

    STATE: ClassVar[dict[str, schema.Field]] = {
        "n_predicted": schema.integer(0),
        "newest": schema.integer(-1),
        "n_files": schema.integer(0),
        "names": schema.list_of(schema.word(), "files"),
        "scores": schema.floats("files", len(SUMS)),
        "totals": schema.floats(len(SUMS)),
        "counts": schema.floats("counted", "classes", least=0),
    }

    def __init__(self) -> None:
        self.n_predicted = self.n_files = 0
        self.newest = -1
        self.names: list[str] = []
        self.scores = np.zeros((0, len(SUMS)))
        self.totals = np.zeros(len(SUMS))
        self.counts = np.zeros((0, 0))

    def frequencies(self) -> np.ndarray:
        """Return the class frequencies of the last 28 files; one row of each class is added."""
        counts = self.counts.sum(axis=0) + 1.0
        return counts / counts.sum()

    def learned(self, number: int, y: np.ndarray, n_classes: int) -> None:
        """Count the labels of a file, given as codes."""
        self.newest = max(self.newest, number)
        wide = np.pad(self.counts, ((0, 0), (0, n_classes - self.counts.shape[1])))
        counts = np.bincount(y, minlength=n_classes).astype(float)
        self.counts = np.vstack([wide, counts])[-BASELINE:]

    def add(self, name: str, sums: np.ndarray) -> None:
        """Add the scores of a file; see `score`."""
        self.n_files += 1
        self.names = [*self.names, name][-MAX_SCORED:]
        self.scores = np.vstack([self.scores, sums])[-MAX_SCORED:]
        self.totals = self.totals + sums

    def newest_file(self) -> dict[str, Any] | None:
        """Return the scores of the newest scored file."""
        if not self.n_files:
            return None
        return {"name": self.names[-1], **figures(self.scores[-1])}

    def all_files(self) -> dict[str, Any] | None:
        """Return the scores of all files."""
        return {"files": self.n_files, **figures(self.totals)} if self.n_files else None

    def table(self) -> Table:
        """Return a table of the accuracies of the stored files and their baselines."""
        found = dict(zip(SUMS, self.scores.T))
        return Table({
            "file": self.names,
            "rows": found["rows"].astype(int),
            "accuracy": found["correct"] / found["rows"],
            "majority": found["majority"] / found["rows"],
            RECENT: found["baseline"] / found["rows"],
        })  # fmt: skip

    def warnings(self) -> list[str]:
        """Return a warning if the model was hardly ever better than the baselines recently.

        A file counts for the model if its accuracy is above that of the majority class, or its log
        loss below that of the class frequencies.
        """
        by_name = dict(zip(SUMS, self.scores.T))
        is_better = (by_name["correct"] > by_name["majority"]) | (
            by_name["log loss"] < by_name["baseline log loss"]
        )
        for window, most in CHECKS:
            better = int(is_better[-window:].sum())
            if len(is_better) >= window and better <= most:
                found = figures(self.scores[-window:].sum(axis=0))
                return [
                    f"The model was better than the majority class in only {better} of the last "
                    f"{window} files (accuracy {found['model']['accuracy']:.3f}, majority class "
                    f"{found['majority']['accuracy']:.3f}): do not rely on its predictions. "
                    "'driftlearn inspect' shows columns that changed; compare with another "
                    "--learner, or with --weekly lightgbm, in another --state folder."
                ]
        return []

    def newest_below(self) -> list[str]:
        """Return a sentence if the model was far below the majority class in the newest file."""
        if not self.n_files:
            return []
        by_name = dict(zip(SUMS, self.scores[-1].tolist()))
        n = by_name["rows"]
        model, majority = by_name["correct"] / n, by_name["majority"] / n
        # the share of rows in which only one of them is right, at most, is the variance
        most = min(1.0, model + majority, 2 - model - majority)
        if majority - model <= FAR_BELOW * (most / n) ** 0.5:
            return []
        return [
            f"The accuracy in {self.names[-1]} is {model:.3f}, the majority class has "
            f"{majority:.3f}: are its labels correct?"
        ]


def figures(sums: np.ndarray) -> dict[str, Any]:
    """Return rows, accuracies, AUC and log losses; None where a score is not defined."""
    of = dict(zip(SUMS, sums.tolist()))
    n = of["rows"]
    return {
        "rows": int(n),
        "model": {
            "accuracy": of["correct"] / n,
            "auc": of["auc"] / of["auc rows"] if of["auc rows"] else None,
            "log loss": of["log loss"] / n,
        },
        "majority": {"accuracy": of["majority"] / n},
        RECENT: {"accuracy": of["baseline"] / n, "log loss": of["baseline log loss"] / n},
    }


def score(
    y: np.ndarray, predicted: np.ndarray, probas: np.ndarray, majority: int, frequencies: np.ndarray
) -> np.ndarray:
    """Return the scores of a file as sums; see `SUMS`.

    Parameters
    ----------
    y, predicted : ndarray of shape (n,)
        Codes of labels and predictions.
    probas : ndarray of shape (n, k)
        Predicted probabilities of the first k classes; others have probability 0.
    majority : int
        The most frequent class.
    frequencies : ndarray of shape (j,)
        Class frequencies, of the first j classes.
    """
    same = np.broadcast_to(frequencies, (len(y), len(frequencies)))
    area = one_vs_rest_auc(y, probas)
    return np.array([
        len(y), (predicted == y).sum(), (y == majority).sum(), (y == frequencies.argmax()).sum(),
        _log_loss(y, probas), _log_loss(y, same),
        *((0.0, 0.0) if area is None else (len(y), len(y) * area)),
    ], dtype=float)  # fmt: skip


def _log_loss(y: np.ndarray, probas: np.ndarray) -> float:
    """Return the sum of the negative logarithms of the true classes' probabilities."""
    known = np.flatnonzero(y < probas.shape[1])
    true = np.zeros(len(y))
    true[known] = probas[known, y[known]]
    return float(-np.log(np.maximum(true, SMALLEST)).sum())


def one_vs_rest_auc(y: np.ndarray, probas: np.ndarray) -> float | None:
    """Return the mean area under the ROC curves of each class against the others.

    None if all rows have the same class. `y` contains column numbers of `probas`; a class without
    a column has probability 0.

    Examples
    --------
    >>> probas = np.array([[0.8, 0.2], [0.9, 0.1], [0.3, 0.7]])
    >>> one_vs_rest_auc(np.array([0, 1, 1]), probas)
    0.5
    """
    n, areas = len(y), []
    for code in np.unique(y):
        own = y == code
        k = int(own.sum())
        if k == n:
            return None
        column = probas[:, code] if code < probas.shape[1] else np.zeros(n)
        areas.append((rankdata(column)[own].sum() - k * (k + 1) / 2) / (k * (n - k)))
    return float(np.mean(areas))
