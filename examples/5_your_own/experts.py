"""Use your own candidates
=======================

:class:`~driftlearn.AutoClassifier` accepts any learners with ``partial_fit`` as candidates. Here
they are a linear model of scikit-learn and a tree; the decision boundary is first a line and then a
checkerboard.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import SGDClassifier

from driftlearn import AutoClassifier, HoeffdingAdaptiveTreeClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(6_000, 2))
line = X[:, 0] + X[:, 1] > 0
board = (X[:, 0] > 0) != (X[:, 1] > 0)
y = np.where(np.arange(6_000) < 3_000, line, board)

candidates = {
    "linear": SGDClassifier(loss="log_loss", random_state=0),
    "tree": HoeffdingAdaptiveTreeClassifier(grace_period=50, delta=0.01),
}
model = AutoClassifier(candidates, chunk_size=100, drop_threshold=None, random_state=0)
shares, right = [], []
for start in range(0, 6_000, 100):
    rows = slice(start, start + 100)
    if start:
        right.append((model.predict(X[rows]) == y[rows]).mean())
    model.partial_fit(X[rows], y[rows])
    weights = dict(zip(model.members_["name"], model.members_["weight"]))
    shares.append([weights[name] for name in candidates])
print(model.leaders_)

# %%

figure, (top, ax) = plt.subplots(2, 1, figsize=(8, 4.2), sharex=True, layout="constrained")
top.plot(np.arange(2, 61) * 100, right, color="black")
top.set(ylabel="accuracy of 100 rows")
for values, name in zip(np.array(shares).T, candidates):
    ax.plot(np.arange(1, 61) * 100, values, label=name)
ax.set(xlabel="row", ylabel="voting weight")
ax.legend()
top.set_title("Accuracy of the ensemble and voting weights")
plt.show()
