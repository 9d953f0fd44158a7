"""Weights of candidates, fitted to the probabilities that they predicted before training.

All functions use arrays of log-probabilities of shape (rows, members, classes) and combine them
linearly: the log-probability of class k, up to a constant, is ``sum_j weights[j] * z[:, j, k] +
biases[k]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from driftlearn.io.schema import Field, InvalidStateError, a, floats, integer, integers, list_of
from driftlearn.model_selection._stacking_loss import add_derivatives, log_loss
from driftlearn.utils._class_axis import widened
from driftlearn.utils.arguments import Floats, Ints

SMALLEST = 0.001  # probabilities are clipped, so that one confident error cannot decide a weight
MAX_VALUES = 4_000  # stored log-probabilities of a chunk and member
SKIPPED = 7  # first chunks, which untrained candidates predicted
FEWEST_CHUNKS = 3  # chunks with which weights are first fitted

# Ridge penalties of the weights and biases: chosen on thirteen tables, where 20 to 150 are alike.
RIDGE, BIAS_RIDGE = 50.0, 10.0

# Fixed share: learning rate, decay of earlier weights, and share that every member receives.
RATE, MEMORY, SHARE, BOUND = 8.0, 0.9, 0.02, 0.01

MAX_STEPS, MAX_HALVINGS, TOLERANCE = 8, 10, 1e-4


def bounded_log(probas: Floats) -> Floats:
    """Return logarithms of probabilities that were clipped to at least 0.001."""
    return np.log(np.clip(probas, SMALLEST, 1.0 - SMALLEST))


def softmax(scores: Floats) -> Floats:
    """Return probabilities from log-probabilities up to a constant of each row.

    Examples
    --------
    >>> softmax(np.log([[2.0, 6.0]]))
    array([[0.25, 0.75]])
    """
    odds = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return odds / odds.sum(axis=-1, keepdims=True)


@dataclass(eq=False)
class LabeledPredictions:
    """Log-probabilities that the members predicted for a chunk, and its labels.

    Attributes
    ----------
    z : ndarray of shape (rows, members, classes)
        Log-probabilities.
    y : ndarray of shape (rows,)
        Class codes.
    w : ndarray of shape (rows,)
        Row weights.
    """

    z: Floats
    y: Ints
    w: Floats

    STATE: ClassVar[dict[str, Field]] = {
        "z": floats("rows", "members", "classes"),
        "y": integers("rows", least=0, below="classes"),
        "w": floats("rows", least=0.0),
    }

    @classmethod
    def of(cls, probas: Sequence[Floats], y: Ints, w: Floats) -> LabeledPredictions:
        """Return the predictions of a chunk; of a long one, evenly spaced rows."""
        most = max(MAX_VALUES // probas[0].shape[1], 1)
        rows = np.unique(np.linspace(0, len(y) - 1, most).astype(int)) if len(y) > most else ...
        scale = w.sum() / w[rows].sum()  # the rows stand for all rows of the chunk
        z = np.ascontiguousarray(np.stack([p[rows] for p in probas], 1))
        return cls(bounded_log(z), y[rows], w[rows] * scale)

    def widened(self, positions: Ints, n_classes: int) -> LabeledPredictions:
        """Return the predictions for an extended class list; new classes were thought unlikely."""
        z = np.full((*self.z.shape[:2], n_classes), np.log(SMALLEST))
        z[:, :, positions] = self.z
        return LabeledPredictions(z, positions[self.y], self.w)

    def select(self, members: list[int]) -> LabeledPredictions:
        """Return the predictions of these members."""
        return LabeledPredictions(self.z[:, members], self.y, self.w)

    def losses(self) -> Floats:
        """Return each member's mean log loss, with probabilities clipped to at least 0.01."""
        true = np.take_along_axis(self.z, self.y[:, None, None], axis=2)[:, :, 0]
        losses = -self.w[:, None] * np.maximum(true, np.log(BOUND))
        return losses.sum(axis=0) / self.w.sum()


class PenalizedLoss:
    """Log loss of combined predictions, with ridge penalties; it is minimized by Newton steps.

    Parameters
    ----------
    chunks : sequence of LabeledPredictions
        The predictions.
    discounts : iterable of float
        Weight of each chunk.
    """

    def __init__(self, chunks: Sequence[LabeledPredictions], discounts: Iterable[float]):
        self.z = np.concatenate([chunk.z for chunk in chunks])
        self.y = np.concatenate([chunk.y for chunk in chunks])
        self.w = np.concatenate([chunk.w * d for chunk, d in zip(chunks, discounts)])
        n_members, n_classes = self.z.shape[1:]
        self.center = np.r_[np.full(n_members, 1.0 / n_members), np.zeros(n_classes)]
        self.ridge = np.r_[np.full(n_members, RIDGE), np.full(n_classes, BIAS_RIDGE)]

    def value(self, theta: Floats) -> tuple[float, Floats]:
        """Return the penalized loss at `theta`, and the combined probabilities."""
        probas = np.empty((len(self.y), self.z.shape[2]))
        penalty = 0.5 * float((self.ridge * (theta - self.center) ** 2).sum())
        return penalty + log_loss(self.z, self.y, self.w, theta, probas), probas

    def step(self, theta: Floats, probas: Floats) -> Floats:
        """Return the Newton step at `theta`, which is to be subtracted."""
        gradient = self.ridge * (theta - self.center)
        hessian = np.diag(self.ridge)
        add_derivatives(self.z, self.y, self.w, probas, gradient, hessian)
        hessian = np.tril(hessian) + np.tril(hessian, -1).T
        step: Floats
        try:
            step = np.linalg.solve(hessian, gradient)
        except np.linalg.LinAlgError:  # rounding cancels the penalty if row weights are huge
            step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
        return step

    def minimized(self, start: Floats) -> Floats:
        """Return the minimum, searched from `start` by Newton steps that are halved if too long.

        Without halving, the search diverges when labels come late and regimes change meanwhile.
        """
        theta, (value, probas) = start, self.value(start)
        for _ in range(MAX_STEPS):
            step, before = self.step(theta, probas), value
            for halvings in range(MAX_HALVINGS):
                nearer = theta - step / 2**halvings
                there, probas_there = self.value(nearer)
                if there <= value:
                    theta, probas, value = nearer, probas_there, there
                    break
            if before - value <= TOLERANCE * (1.0 + abs(value)):
                break
        return theta


class Combination:
    """Weights and biases with which the members' log-probabilities are combined.

    They are the means of three methods: two logistic regressions on the last `window` chunks in
    which a chunk of age i has the weight ``decay ** i``, with a short and a long memory, and
    fixed share [1]_, whose weights follow the losses of the members and never vanish.

    Attributes
    ----------
    weights : ndarray of shape (members,)
        Weight of each member's log-probabilities.
    biases : ndarray of shape (classes,)
        Biases of the classes.

    References
    ----------
    .. [1] M. Herbster, M. K. Warmuth, "Tracking the Best Expert", Machine Learning 32(2), 1998,
       doi:10.1023/A:1007424614876.
    """

    STATE: ClassVar[dict[str, Field]] = {
        "n_members": integer(1),
        "n_classes": integer(0),
        "n_chunks": integer(0),
        "window": integer(1),
        "decays": list_of(a(float), kind=tuple),
        "chunks": list_of(a(LabeledPredictions)),
        "stacked": list_of(floats(None)),
        "log_shares": floats("n_members"),
    }

    def __init__(self, n_members: int, n_classes: int, window: int, decays: Sequence[float]):
        self.n_members, self.n_classes, self.n_chunks = n_members, n_classes, 0
        self.window, self.decays = window, tuple(map(float, decays))
        self.chunks: list[LabeledPredictions] = []
        self.stacked = [self._even() for _ in self.decays]
        self.log_shares = np.full(n_members, -np.log(n_members))

    def _even(self) -> Floats:
        """Return equal weights, and biases of 0: those of a regression that is not fitted yet."""
        return np.r_[np.full(self.n_members, 1.0 / self.n_members), np.zeros(self.n_classes)]

    @staticmethod
    def check_state(state: dict[str, Any]) -> None:
        """Raise InvalidStateError unless all parts have the same members and classes."""
        shape = state["n_members"], state["n_classes"]
        if any(chunk.z.shape[1:] != shape for chunk in state["chunks"]):
            raise InvalidStateError("stored predictions have other members or classes")
        lengths = {len(theta) for theta in state["stacked"]}
        if lengths - {sum(shape)} or len(state["stacked"]) != len(state["decays"]):
            raise InvalidStateError("weights do not match the members and classes")

    @property
    def shares(self) -> Floats:
        """The weights of fixed share."""
        return np.exp(self.log_shares)

    @property
    def weights(self) -> Floats:
        """Weight of each member's log-probabilities."""
        parts = [theta[: self.n_members] for theta in self.stacked]
        return np.mean([*parts, self.shares], axis=0)

    @property
    def biases(self) -> Floats:
        """Biases of the classes."""
        parts = [theta[self.n_members :] for theta in self.stacked]
        return np.mean([*parts, np.zeros(self.n_classes)], axis=0)

    def probas(self, probas: Sequence[Floats]) -> Floats:
        """Return the combined probabilities of the members."""
        # added member by member, so that a row's scores have the same bits in every batch
        parts = (w * bounded_log(p) for w, p in zip(self.weights.tolist(), probas))
        return softmax(sum(parts, start=self.biases))

    def updated(self, chunk: LabeledPredictions) -> Combination:
        """Return the combination updated with the labels of another chunk."""
        new = self._copied()
        new.n_chunks += 1
        new.chunks = [*self.chunks, chunk][-self.window :] if new.n_chunks > SKIPPED else []
        log_shares = MEMORY * self.log_shares - RATE * chunk.losses()
        shares = (1.0 - SHARE) * softmax(log_shares) + SHARE / self.n_members
        new.log_shares = np.log(shares)
        if len(new.chunks) >= FEWEST_CHUNKS:
            ages = np.arange(len(new.chunks))[::-1]
            new.stacked = [
                PenalizedLoss(new.chunks, decay**ages).minimized(theta)
                for decay, theta in zip(self.decays, self.stacked)
            ]
        return new

    def widened(self, positions: Ints, n_classes: int) -> Combination:
        """Return the combination for an extended class list."""
        new = self._copied()
        new.n_classes = n_classes
        new.chunks = [chunk.widened(positions, n_classes) for chunk in self.chunks]
        m = self.n_members
        new.stacked = [np.r_[t[:m], widened(t[m:], positions, n_classes)] for t in self.stacked]
        return new

    def selected(self, members: list[int]) -> Combination:
        """Return the combination of these members alone."""
        new = self._copied()
        new.n_members = len(members)
        new.chunks = [chunk.select(members) for chunk in self.chunks]
        columns = [*members, *range(self.n_members, self.n_members + self.n_classes)]
        fitted = len(self.chunks) >= FEWEST_CHUNKS
        new.stacked = [theta[columns] if fitted else new._even() for theta in self.stacked]
        new.log_shares = np.log(softmax(self.log_shares[members]))
        return new

    def _copied(self) -> Combination:
        new = object.__new__(Combination)
        new.__dict__ = {**self.__dict__}
        return new
