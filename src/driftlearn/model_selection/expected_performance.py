"""Performance expected without labels, with intervals from the errors of earlier estimates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from driftlearn.io.schema import Field, InvalidStateError, floats
from driftlearn.utils.arguments import Floats, Ints
from driftlearn.utils.table import Table

METRICS = "accuracy", "log loss", "auc"
MOST_CHUNKS = 60  # chunks whose estimates and truths are stored
LEAST_CHUNKS = 5  # chunks with a truth before intervals are given
MEMORY = 0.95  # factor by which a chunk counts less with every later one
RIDGE = np.array([1.0, 5.0])  # penalties of the bias and of the effect of disagreement, in chunks
COVERED = 0.9  # share of earlier errors inside the interval
MOST_WIDER = 10.0  # largest factor by which drift widens an interval
SMALLEST = 1e-6  # least probability in a log loss


class PerformanceRecord:
    """Estimates of accuracy, log loss and AUC, beside the truths that followed.

    The raw estimate is that of calibrated probabilities, as in confidence-based performance
    estimation: a row is predicted correctly with the probability of its label. A ridge regression
    on earlier chunks corrects it by its recent bias, and by the effect of disagreement: how often
    candidates, which remember different spans of the past, predict another label than the model.
    The raw estimate stays where the corrections have had larger errors so far.
    The interval holds 90 % of the errors of earlier corrected estimates. It is wider by the ratio
    of the current shift of features to that of an unusual chunk (one of ten).

    Attributes
    ----------
    raw, corrected, estimates, truths : ndarray of shape (chunks, 3)
        Raw and corrected estimates of the last 60 chunks, those that were chosen, and the truths;
        see `METRICS`.
    n_rows, disagreement, shifts : ndarray of shape (chunks,)
        Number of rows, disagreement and shift of features of each chunk.
    center, spread : ndarray of shape (features,)
        Recent means and variances of the features.
    """

    STATE: ClassVar[dict[str, Field]] = {
        **{
            name: floats("chunks", 3, finite=False)
            for name in ("raw", "corrected", "estimates", "truths")
        },
        **{name: floats("chunks", least=0.0) for name in ("n_rows", "disagreement", "shifts")},
        "center": floats("features"),
        "spread": floats("features", least=0.0),
    }

    def __init__(self) -> None:
        shape = 4, 0, len(METRICS)
        self.raw, self.corrected, self.estimates, self.truths = np.zeros(shape)
        self.n_rows, self.disagreement, self.shifts = np.zeros((3, 0))
        self.center, self.spread = np.zeros((2, 0))

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError if there are more chunks than are stored."""
        if len(state["n_rows"]) > MOST_CHUNKS:
            raise InvalidStateError("PerformanceRecord: there are too many chunks")

    def update(self, X: Floats, probas: Floats, members: Sequence[Floats], y: Ints) -> None:
        """Add a chunk: what was predicted before its labels were known, and its labels.

        Parameters
        ----------
        X : ndarray of shape (n, d)
            The rows.
        probas : ndarray of shape (n, k)
            Predicted probabilities.
        members : sequence of ndarray of shape (n, k)
            Probabilities predicted by each candidate.
        y : ndarray of shape (n,)
            The labels, as columns.
        """
        raw, apart, shift = expected(probas), disagreement(probas, members), self._shift(X)
        corrected = self._corrected(raw, apart)
        new = {
            "raw": raw, "corrected": corrected, "estimates": self._chosen(raw, corrected),
            "truths": realized(probas, y),
            "n_rows": float(len(y)), "disagreement": apart, "shifts": shift,
        }  # fmt: skip
        for name, value in new.items():
            setattr(self, name, np.append(getattr(self, name), [value], axis=0)[-MOST_CHUNKS:])
        center, spread = _moments(X)
        if len(self.center):
            rate = 1.0 - 0.9
            center = self.center + rate * (center - self.center)
            spread = self.spread + rate * (spread - self.spread)
        self.center, self.spread = center, spread

    def estimate(self, X: Floats, probas: Floats, members: Sequence[Floats]) -> dict[str, Any]:
        """Return what is expected for rows without labels; see `update`."""
        raw, apart, shift = expected(probas), disagreement(probas, members), self._shift(X)
        chosen, wider = self._chosen(raw, self._corrected(raw, apart)), 1.0
        usual = float(np.quantile(self.shifts[1:], COVERED)) if len(self.shifts) > 1 else 0.0
        if usual > 0.0:
            wider = float(np.clip(shift / usual, 1.0, MOST_WIDER))
        found: dict[str, Any] = {"rows": len(X)}
        for j, name in enumerate(METRICS):
            errors = abs(self.estimates - self.truths)[:, j]
            known = ~np.isnan(errors)
            interval = None
            if known.sum() >= LEAST_CHUNKS:
                # smaller chunks have larger errors by chance
                errors = errors[known] * np.sqrt(np.maximum(self.n_rows[known] / len(X), 1.0))
                half = wider * float(np.quantile(errors, COVERED, method="higher"))
                least, most = 0.0, np.inf if name == "log loss" else 1.0
                low, high = np.clip([chosen[j] - half, chosen[j] + half], least, most)
                interval = [float(low), float(high)]
            value = None if np.isnan(chosen[j]) else float(chosen[j])
            found[name] = {"expected": value, "interval": interval}
        return {**found, "disagreement": apart, "wider by drift": wider}

    def table(self) -> Table:
        """Return a table of the last chunks: estimates beside truths."""
        columns: dict[str, Any] = {"rows": self.n_rows.astype(int)}
        for j, name in enumerate(METRICS):
            columns |= {f"expected {name}": self.estimates[:, j], name: self.truths[:, j]}
        return Table({**columns, "disagreement": self.disagreement})

    def _corrected(self, raw: Floats, apart: float) -> Floats:
        """Return estimates corrected by a ridge regression of earlier errors on disagreement."""
        errors, n = self.truths - self.raw, len(self.raw)
        if n < LEAST_CHUNKS:
            return raw
        weights = MEMORY ** np.arange(n)[::-1]
        mean = float(weights @ self.disagreement / weights.sum())
        scale = max(float(np.sqrt(weights @ (self.disagreement - mean) ** 2 / weights.sum())), 1e-9)
        x = np.stack([np.ones(n), (self.disagreement - mean) / scale], axis=1)
        now = np.array([1.0, np.clip((apart - mean) / scale, -3.0, 3.0)])
        found = raw.copy()
        for j in range(len(METRICS)):
            known = ~np.isnan(errors[:, j])
            w = x[known] * weights[known, None]
            found[j] += now @ np.linalg.solve(
                w.T @ x[known] + np.diag(RIDGE), w.T @ errors[known, j]
            )
        least, most = np.zeros(3), np.array([1.0, np.inf, 1.0])
        return np.clip(found, least, most)

    def _chosen(self, raw: Floats, corrected: Floats) -> Floats:
        """Return, for each metric, the estimate that had smaller errors so far."""
        before, after = (abs(each - self.truths) for each in (self.raw, self.corrected))
        weights = MEMORY ** np.arange(len(before))[::-1]
        gains = np.nan_to_num(before - after).T @ weights
        return np.where(gains > 0.0, corrected, raw)

    def _shift(self, X: Floats) -> float:
        """Return the mean distance of the features' means from the recent ones, standardized."""
        if not len(self.center):
            return 0.0
        center, _ = _moments(X)
        return float(np.mean(abs(center - self.center) / np.sqrt(self.spread + 1e-12)))


def _moments(X: Floats) -> tuple[Floats, Floats]:
    """Return the means and variances of features without missing values; 0 if all are missing."""
    known = ~np.isnan(X)
    n = np.maximum(known.sum(axis=0), 1)
    center = np.where(known, X, 0.0).sum(axis=0) / n
    return center, np.where(known, (X - center) ** 2, 0.0).sum(axis=0) / n


def expected(probas: Floats) -> Floats:
    """Return the metrics that calibrated probabilities have on average.

    The AUC is that of rows which are positive with the weight of their probability.

    Examples
    --------
    >>> expected(np.array([[0.8, 0.2], [0.4, 0.6]])).round(4)
    array([0.7   , 0.5867, 0.7083])
    """
    entropy = -(probas * np.log(np.maximum(probas, SMALLEST))).sum(axis=1)
    areas = [_area(p, p) for p in probas.T]
    return np.array([probas.max(axis=1).mean(), entropy.mean(), _mean(areas)])


def realized(probas: Floats, y: Ints) -> Floats:
    """Return the metrics of predicted probabilities with known labels."""
    true = probas[np.arange(len(y)), y]
    areas = [_area(probas[:, k], (y == k).astype(float)) for k in np.unique(y)]
    right = (probas.argmax(axis=1) == y).mean()
    return np.array([right, -np.log(np.maximum(true, SMALLEST)).mean(), _mean(areas)])


def _area(scores: Floats, positive: Floats) -> float:
    """Return the area under the ROC curve of rows that are positive with given weights."""
    _, groups = np.unique(scores, return_inverse=True)
    own, other = np.bincount(groups, positive), np.bincount(groups, 1.0 - positive)
    total = own.sum() * other.sum()
    below = np.cumsum(other) - other / 2.0
    return float(own @ below / total) if total > 0 else np.nan


def _mean(values: list[float]) -> float:
    known = [value for value in values if value == value]
    return float(np.mean(known)) if known else np.nan


def disagreement(probas: Floats, members: Sequence[Floats]) -> float:
    """Return how often a member predicts another label than the combined probabilities."""
    codes = probas.argmax(axis=1)
    return float(np.mean([(each.argmax(axis=1) != codes).mean() for each in members]))
