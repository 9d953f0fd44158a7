"""One-hidden-layer networks that stop at an error goal (calibration S2-S4, section 1).

Network A is ``train_mlp(..., **NETWORK_A)``, network B ``train_mlp(..., **NETWORK_B)``.

Rows of weight 0 are absent; s_i = w_i n / sum(w). Classes are those present, sorted; targets t_ik
are 0 and 1. With X of n rows and d columns, h hidden units and C classes::

    Z = f(X W + b)        f logistic or tanh, W of (d, h)
    A = Z V + c           O = g(A), g logistic or linear, V of (h, C)
    F = sum_ik s_i (O_ik - t_ik)^2 / (n C)

    dA_ik = 2 s_i (O_ik - t_ik) g'_ik / (n C)         g' = O (1 - O) or 1
    dV = Z'dA, dc = column sums of dA; dH = (dA V') f'   f' = Z (1 - Z) or 1 - Z^2
    dW = X'dH, db = column sums of dH

The point is one vector: W by rows, b, V by rows, c. The start, ``rng = default_rng(seed)``:

* "normal": W = rng.normal(0, 1/sqrt(d), (d, h)), then V = rng.normal(0, 1/sqrt(h), (h, C)); b = 0,
  c = 0.
* "nguyen_widrow": U = rng.uniform(-1, 1, (d, h)), each column scaled to the Euclidean length
  q = 0.7 h^(1/d); sign = rng.choice([-1, 1], h); e = q linspace(-1, 1, h) sign;
  V = rng.uniform(-.7, .7, (h, C)); c = rng.uniform(-.7, .7, C). U and e belong to inputs in
  [-1, 1]: with the rows' minimum lo and range r of each feature (r = 1 if constant)
  W_jk = 2 U_jk / r_j and b_k = e_k - sum_j (2 lo_j / r_j + 1) U_jk.

The goal is tested at every point where F is computed, from the start on, and the first point with
F <= goal is the result; else the latest accepted one after `max_iter` iterations.

"gdx", x the point, v = 0; one iteration is one trial::

    v' = mc v - (1 - mc) lr grad F(x);  x' = x + v'
    F(x') > 1.04 F(x):  lr = 0.7 lr, v = 0            (x stays)
    else:               x = x', v = v', and lr = 1.05 lr if F(x') < F(x)

"scg" (Moller 1993), r = p = -grad F(x), lam = lam0, bar = 0, success, k = 1, 2, ..., max_iter;
N = number of parameters::

    1  if success: sig = sigma / |p|; the probe x + sig p is tested for the goal;
       delta = p'(grad F(x + sig p) - grad F(x)) / sig
    2  delta += (lam - bar) |p|^2
    3  if delta <= 0: bar = 2 (lam - delta / |p|^2); delta = -delta + lam |p|^2; lam = bar
    4  mu = p'r; alpha = mu / delta; the trial x' = x + alpha p is tested for the goal
    5  Delta = 2 delta (F(x) - F(x')) / mu^2
    6  if Delta >= 0: x = x', r_new = -grad F(x'), bar = 0, success;
                      p = r_new if k mod N = 0, else r_new + p (|r_new|^2 - r_new'r) / mu;
                      r = r_new; lam = lam / 4 if Delta >= 3/4
       else:          bar = lam, no success
    7  if Delta < 1/4: lam += delta (1 - Delta) / |p|^2, with the p of this iteration

Additional checks, not in the paper. Before 1: if p'r is 0, p = r and success (a restart); then
stop if max |r| <= 1e-12. After 4: stop if x' equals x in every coordinate. `n_iter` counts finished
trials, also the last.

Labels are the first largest A. Probabilities are max(O, 0) divided by their sum, or 1 for the
label if that sum is 0.
"""

from __future__ import annotations

import numpy as np

NETWORK_A = {
    "solver": "gdx",
    "n_hidden": 25,
    "hidden": "logistic",
    "output": "logistic",
    "init": "normal",
    "goal": 0.05,
    "max_iter": 400,
}
NETWORK_B = {
    "solver": "scg",
    "n_hidden": 20,
    "hidden": "tanh",
    "output": "linear",
    "init": "nguyen_widrow",
    "goal": 0.05,
    "max_iter": 400,
}


def logistic(z):
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + small), small / (1 + small))


class Net:
    """The function F of a point, its gradient, and the network's predictions at a point."""

    def __init__(self, X, y, w, n_hidden, hidden, output):
        X, y, w = np.asarray(X, dtype=float), np.asarray(y), np.asarray(w, dtype=float)
        self.X, y, w = X[w > 0], y[w > 0], w[w > 0]
        self.s = (w * len(w) / np.sum(w)).reshape(-1, 1)
        self.classes = sorted(set(y.tolist()))
        self.targets = np.array([[float(label == c) for c in self.classes] for label in y.tolist()])
        self.hidden, self.output = hidden, output
        self.shape = self.X.shape[1], n_hidden, len(self.classes)

    def parts(self, point):
        d, h, C = self.shape
        W, b, V, c = np.split(point, np.cumsum([d * h, h, h * C]))
        return W.reshape(d, h), b, V.reshape(h, C), c

    def forward(self, point, X):
        W, b, V, c = self.parts(point)
        Z = X @ W + b
        Z = logistic(Z) if self.hidden == "logistic" else np.tanh(Z)
        A = Z @ V + c
        return Z, A, logistic(A) if self.output == "logistic" else A

    def loss(self, point):
        out = self.forward(point, self.X)[2]
        return float(np.sum(self.s * (out - self.targets) ** 2) / out.size)

    def gradient(self, point):
        V = self.parts(point)[2]
        Z, _, out = self.forward(point, self.X)
        dA = 2 * self.s * (out - self.targets) / out.size
        if self.output == "logistic":
            dA = dA * out * (1 - out)
        dH = (dA @ V.T) * (Z * (1 - Z) if self.hidden == "logistic" else 1 - Z**2)
        parts = self.X.T @ dH, dH.sum(axis=0), Z.T @ dA, dA.sum(axis=0)
        return np.concatenate([part.ravel() for part in parts])

    def start(self, init, rng):
        d, h, C = self.shape
        if init == "normal":
            W, b = rng.normal(0, 1 / np.sqrt(d), (d, h)), np.zeros(h)
            V, c = rng.normal(0, 1 / np.sqrt(h), (h, C)), np.zeros(C)
        else:
            U = rng.uniform(-1, 1, (d, h))
            q = 0.7 * h ** (1 / d)
            U = q * U / np.sqrt(np.sum(U**2, axis=0))
            e = q * np.linspace(-1, 1, h) * rng.choice([-1, 1], h)
            V, c = rng.uniform(-0.7, 0.7, (h, C)), rng.uniform(-0.7, 0.7, C)
            low = self.X.min(axis=0)
            span = self.X.max(axis=0) - low
            span[span == 0] = 1.0
            W, b = (2 / span)[:, None] * U, e - (2 * low / span + 1) @ U
        return np.concatenate([W.ravel(), b, V.ravel(), c])


def gdx(net, x, goal, max_iter, rate=0.5, momentum=0.9):
    """Return the point and the number of iterations."""
    F, v = net.loss(x), np.zeros(len(x))
    for k in range(max_iter):
        if goal >= F:
            return x, k
        step = momentum * v - (1 - momentum) * rate * net.gradient(x)
        trial = net.loss(x + step)
        if trial > 1.04 * F:
            rate, v = 0.7 * rate, np.zeros(len(x))
        else:
            rate = 1.05 * rate if trial < F else rate
            x, v, F = x + step, step, trial
    return x, max_iter


def scg(net, x, goal, max_iter, sigma=5e-5, lam=5e-7):
    """Return the point and the number of iterations."""
    F, r = net.loss(x), -net.gradient(x)
    if goal >= F:
        return x, 0
    p, bar, success = r, 0.0, True
    for k in range(1, max_iter + 1):
        if p @ r == 0:
            p, success = r, True
        if np.max(np.abs(r)) <= 1e-12:
            return x, k - 1
        size = p @ p
        if success:
            sig = sigma / np.sqrt(size)
            if net.loss(x + sig * p) <= goal:
                return x + sig * p, k - 1
            delta = p @ (net.gradient(x + sig * p) + r) / sig
        delta += (lam - bar) * size
        if delta <= 0:
            bar = 2 * (lam - delta / size)
            delta = -delta + lam * size
            lam = bar
        mu = p @ r
        trial = x + mu / delta * p
        if np.array_equal(trial, x):
            return x, k - 1
        F_trial = net.loss(trial)
        if F_trial <= goal:
            return trial, k
        Delta = 2 * delta * (F - F_trial) / mu**2
        success = Delta >= 0
        if success:
            x, F, bar, r_old = trial, F_trial, 0.0, r
            r = -net.gradient(x)
            restart = k % len(x) == 0
            p = r if restart else r + p * (r @ r - r @ r_old) / mu
            lam = lam / 4 if Delta >= 0.75 else lam
        else:
            bar = lam
        if Delta < 0.25:
            lam += delta * (1 - Delta) / size
    return x, max_iter


class GoalMLP:
    def __init__(self, net, point, n_iter):
        self.net, self.point, self.n_iter = net, point, n_iter
        self.classes, self.loss = net.classes, net.loss(point)

    def predict(self, X):
        A = self.net.forward(self.point, np.asarray(X, dtype=float))[1]
        return np.array([self.classes[i] for i in np.argmax(A, axis=1)])

    def proba(self, X, classes):
        _, A, out = self.net.forward(self.point, np.asarray(X, dtype=float))
        table = np.zeros((len(A), len(classes)))
        for i in range(len(A)):
            own = np.maximum(out[i], 0)
            if own.sum() == 0:
                own[np.argmax(A[i])] = 1.0
            for value, label in zip(own / own.sum(), self.classes):
                if label in classes:
                    table[i, classes.index(label)] = value
        return table


def train_mlp(
    X,
    y,
    w,
    seed,
    solver,
    n_hidden,
    hidden,
    output,
    init,
    goal,
    max_iter,
    class_weight=None,
    **options,
):
    net = Net(X, y, w, n_hidden, hidden, output)
    start = net.start(init, np.random.default_rng(seed))
    point, n_iter = (gdx if solver == "gdx" else scg)(net, start, goal, max_iter, **options)
    return GoalMLP(net, point, n_iter)


def mlp_base(network, **changes):
    """Return a train() for the ensemble reference implementations."""
    return lambda X, y, w, seed: train_mlp(X, y, w, seed, **{**network, **changes})
