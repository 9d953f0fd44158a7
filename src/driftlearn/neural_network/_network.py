"""One-hidden-layer network: error, gradient and two optimizers."""

from collections.abc import Callable
from typing import Any

import numpy as np

from driftlearn.utils.ranges import ranges

PRODUCTS_IN_ONE_THREAD = 2**18  # OpenBLAS uses a single thread for smaller products
ROWS_OF_A_BLOCK = 16, 64  # minimum (allows 16,000 weights per layer) and maximum

# Constants of gdx, as in Vogl et al. (1988).
WORSE = 1.04  # a step is undone if the error grows by more than this factor
FASTER, SLOWER = 1.05, 0.7  # factors applied to the rate after a successful and an undone step

# Constants of scg, as in Møller (1993), who reports that the exact small values do not matter.
DAMPING = 5e-7  # initial lambda
PROBE = 5e-5  # sigma: distance along the direction at which the curvature is measured
FLAT = 1e-12  # smaller gradients are zero up to rounding


class Network:
    """Error and gradient of a one-hidden-layer network as functions of its weights.

    A point is one vector: the weights of the hidden units input by input, their biases, the weights
    of the outputs, and their biases. A hidden unit's bias is the weight of a constant input of one.

    Rows are divided into blocks, the last one padded with rows of weight zero, and all arrays are
    allocated once, with shape (blocks, units, rows). Blocks are small enough for OpenBLAS to
    multiply them in the calling thread: its summation order depends on the number of threads, so
    that results of several threads would depend on the machine, and small products do not benefit
    from threads.
    """

    def __init__(
        self, X: np.ndarray, targets: np.ndarray, w: np.ndarray, n_hidden: int,
        activation: str, output: str,
    ):  # fmt: skip
        n_inputs, n_outputs = X.shape[1] + 1, targets.shape[1]
        self.shapes = (n_inputs, n_hidden), (n_hidden + 1, n_outputs)
        rows = PRODUCTS_IN_ONE_THREAD // max(rows * columns for rows, columns in self.shapes)
        rows = min(max(rows, ROWS_OF_A_BLOCK[0]), ROWS_OF_A_BLOCK[1], len(X))
        self.inputs = in_blocks(np.column_stack([X, np.ones(len(X))]), rows)
        self.targets = in_blocks(targets, rows)
        self.share = in_blocks(w[:, None] / (w.sum() * n_outputs), rows)
        self.hidden, self.back, self.slope = np.empty((3, len(self.inputs), n_hidden, rows))
        self.outputs, self.error, self.delta, self.output_slope = np.empty((4, *self.targets.shape))
        self.by_input = np.empty((len(self.inputs), n_inputs, n_hidden))
        self.by_hidden = np.empty((len(self.inputs), n_hidden, n_outputs))
        self.activation, self.output = activation, output

    def layers(self, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return a point as the matrices of the two layers, whose last rows are the biases."""
        first, second = self.shapes
        size = first[0] * first[1]
        return point[:size].reshape(first), point[size:].reshape(second)

    def loss(self, point: np.ndarray) -> float:
        """Return the weighted mean squared error at a point."""
        into_hidden, self.into_outputs = self.layers(point)
        np.matmul(into_hidden.T, self.inputs, out=self.hidden)
        TRANSFER[self.activation](self.hidden)
        np.matmul(self.into_outputs[:-1].T, self.hidden, out=self.outputs)
        self.outputs += self.into_outputs[-1][:, None]
        TRANSFER[self.output](self.outputs)
        np.subtract(self.outputs, self.targets, out=self.error)
        np.multiply(self.error, self.share, out=self.delta)
        return inner(self.error, self.delta)

    def gradient(self) -> np.ndarray:
        """Return the gradient at the point of the last call of `loss`."""
        np.multiply(self.error, 2.0 * self.share, out=self.delta)
        if self.output == "logistic":
            SLOPE[self.output](self.outputs, out=self.output_slope)
            self.delta *= self.output_slope
        np.matmul(self.hidden, self.delta.transpose(0, 2, 1), out=self.by_hidden)
        np.matmul(self.into_outputs[:-1], self.delta, out=self.back)
        SLOPE[self.activation](self.hidden, out=self.slope)
        self.back *= self.slope
        np.matmul(self.inputs, self.back.transpose(0, 2, 1), out=self.by_input)
        sums = self.by_input.sum(axis=0), self.by_hidden.sum(axis=0), self.delta.sum(axis=(0, 2))
        return np.concatenate([part.ravel() for part in sums])


def start(
    X: np.ndarray, n_hidden: int, n_outputs: int, init: str, rng: np.random.Generator
) -> np.ndarray:
    """Return the initial point of training."""
    d, h = X.shape[1], n_hidden
    if init == "normal":
        weights, biases = rng.normal(0.0, 1.0 / np.sqrt(d), (d, h)), np.zeros(h)
        out, out_biases = rng.normal(0.0, 1.0 / np.sqrt(h), (h, n_outputs)), np.zeros(n_outputs)
    else:
        # Nguyen and Widrow (1990): weight vectors of length 0.7 h^(1/d), with evenly spread biases.
        reach = 0.7 * h ** (1 / d)
        unit = rng.uniform(-1.0, 1.0, (d, h))
        unit = reach * unit / np.sqrt((unit**2).sum(axis=0))
        offset = reach * np.linspace(-1.0, 1.0, h) * rng.choice([-1, 1], h)
        out = rng.uniform(-0.7, 0.7, (h, n_outputs))
        out_biases = rng.uniform(-0.7, 0.7, n_outputs)
        low = X.min(axis=0)
        span = ranges(X)
        weights = (2.0 / span)[:, None] * unit
        biases = offset - np.einsum("j,jk->k", 2.0 * low / span + 1.0, unit)
    return np.concatenate([weights.ravel(), biases, out.ravel(), out_biases])


def gdx(
    network: Network, x: np.ndarray, goal: float, max_iter: int, rate: float, momentum: float
) -> tuple[np.ndarray, float, int]:
    """Minimize by gradient descent with momentum and an adaptive rate.

    Returns the final point, its loss and the number of steps tried.
    """
    loss, velocity = network.loss(x), np.zeros_like(x)
    gradient = network.gradient()
    n_iter = 0
    while loss > goal and n_iter < max_iter:
        step = momentum * velocity - (1.0 - momentum) * rate * gradient
        trial = network.loss(x + step)
        n_iter += 1
        if trial <= WORSE * loss:
            rate *= FASTER if trial < loss else 1.0
            x, velocity, loss = x + step, step, trial
            gradient = network.gradient()
        else:
            rate *= SLOWER
            velocity = np.zeros_like(x)
    return x, loss, n_iter


def scg(
    network: Network, x: np.ndarray, goal: float, max_iter: int
) -> tuple[np.ndarray, float, int]:
    """Minimize by scaled conjugate gradients.

    Returns the final point, its loss and the number of steps tried. The curvature along a direction
    is estimated by a finite difference of gradients and damped until it is positive. Training also
    stops where the gradient is zero or the step is too short to change the point.
    """
    loss = network.loss(x)
    if loss <= goal:
        return x, loss, 0
    r = p = -network.gradient()
    damping, damped, success = DAMPING, 0.0, True
    for k in range(1, max_iter + 1):
        if inner(p, r) == 0.0:
            p, success = r, True
        if np.abs(r).max() <= FLAT:
            return x, loss, k - 1
        size = inner(p, p)
        if success:
            short = PROBE / np.sqrt(size)
            probe = x + short * p
            probe_loss = network.loss(probe)
            if probe_loss <= goal:
                return probe, probe_loss, k - 1
            curvature = inner(p, network.gradient() + r) / short
        curvature += (damping - damped) * size
        if curvature <= 0.0:
            damped = 2.0 * (damping - curvature / size)
            curvature = damping * size - curvature
            damping = damped
        mu = inner(p, r)
        trial = x + mu / curvature * p
        if np.array_equal(trial, x):
            return x, loss, k - 1
        trial_loss = network.loss(trial)
        if trial_loss <= goal:
            return trial, trial_loss, k
        comparison = 2.0 * curvature * (loss - trial_loss) / mu**2
        success = comparison >= 0.0
        if success:
            x, loss, damped, before = trial, trial_loss, 0.0, r
            r = -network.gradient()
            # Restart with the negative gradient after as many steps as there are weights.
            p = r if k % len(x) == 0 else r + p * (inner(r, r) - inner(r, before)) / mu
            damping = damping / 4.0 if comparison >= 0.75 else damping
        else:
            damped = damping
        # Møller's bounds: damping falls above 0.75 and rises below 0.25.
        if comparison < 0.25:
            damping += curvature * (1.0 - comparison) / size
    return x, loss, max_iter


def inner(a: np.ndarray, b: np.ndarray) -> float:
    """Return the sum of products, in an order that does not depend on the number of threads."""
    return float(np.einsum("i,i->", a.ravel(), b.ravel()))


def in_blocks(values: np.ndarray, rows: int) -> np.ndarray:
    """Return rows of values as an array (blocks, columns, rows), padded with zeros.

    Examples
    --------
    >>> in_blocks(np.array([[1, 10], [2, 20], [3, 30]]), 2).tolist()
    [[[1, 2], [10, 20]], [[3, 0], [30, 0]]]
    """
    padded = np.pad(values, ((0, -len(values) % rows), (0, 0)))
    blocks = padded.reshape(-1, rows, values.shape[1]).transpose(0, 2, 1)
    return np.ascontiguousarray(blocks)


def logistic(z: np.ndarray) -> None:
    """Apply the logistic function in place."""
    np.negative(z, out=z)
    with np.errstate(over="ignore"):
        np.exp(z, out=z)
    z += 1.0
    np.reciprocal(z, out=z)


def logistic_slope(z: np.ndarray, out: np.ndarray) -> None:
    """Write the derivative of the logistic function where its values are `z`."""
    np.multiply(z, z, out=out)
    np.subtract(z, out, out=out)


def tanh_slope(z: np.ndarray, out: np.ndarray) -> None:
    """Write the derivative of tanh where its values are `z`."""
    np.multiply(z, z, out=out)
    np.subtract(1.0, out, out=out)


TRANSFER: dict[str, Callable[[np.ndarray], Any]] = {
    "logistic": logistic,
    "tanh": lambda z: np.tanh(z, out=z),
    "linear": lambda z: None,
}
SLOPE: dict[str, Callable[..., None]] = {"logistic": logistic_slope, "tanh": tanh_slope}


def merged(
    X: np.ndarray, y: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct rows, in a canonical order, each with the total weight of its copies.

    Examples
    --------
    >>> X, y, w = merged(np.array([[7.0], [8.0], [7.0]]), np.array([0, 1, 0]), np.ones(3))
    >>> sorted(zip(X[:, 0].tolist(), y.tolist(), w.tolist()))
    [(7.0, 0, 2.0), (8.0, 1, 1.0)]
    """
    rows = np.column_stack([X, y]) + 0.0
    keys = rows.view(np.dtype((np.void, rows.strides[0]))).ravel()
    _, first, copies = np.unique(keys, return_index=True, return_inverse=True)
    return X[first], y[first], np.bincount(copies, weights=w)


def by_rows(X: np.ndarray, weights: np.ndarray, biases: np.ndarray) -> np.ndarray:
    """Return ``X @ weights + biases``, bit-identical however rows are sliced."""
    return np.einsum("ij,jk->ik", X, weights) + biases
