"""Short streams for comparing learners with their reference implementations."""

import numpy as np


def chunks(n_chunks=9, rows=40, weighted=False, seed=0):
    """Return a short stream: a moving boundary, noise, a late class, a chunk without one class."""
    rng = np.random.default_rng(seed)
    for t in range(n_chunks):
        X = rng.uniform(size=(rows, 3)).round(3)
        y = (X[:, 0] + X[:, 1] > 0.7 + 0.1 * (t % 4)).astype(int)
        if t >= 4 and t != 6:
            y[X[:, 2] > 0.8] = 2
        flip = rng.uniform(size=rows) < 0.1
        y = np.where(flip, 1 - np.minimum(y, 1), y)
        if t == 7:
            y[:] = 1
        w = rng.integers(0, 4, size=rows) / 2.0 if weighted else np.ones(rows)
        yield X, np.array(["c", "a", "b"])[y], w
