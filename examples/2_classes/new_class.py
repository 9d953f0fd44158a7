"""New classes
===========

The first data set contains the digits 0 to 5, later data sets contain more. In Learn++, members
that were trained before a digit appeared outvote the others; Learn++.MT reduces their weights.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from driftlearn import LearnPPClassifier, LearnPPMTClassifier

X, y = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(y))
X, y = X[order], y[order]
X_test, y_test, X, y = X[:600], y[:600], X[600:], y[600:]
known = [range(6), range(8), range(10), range(10)]

recall = {}
for kind in (LearnPPClassifier, LearnPPMTClassifier):
    model, recalls = kind(n_per_chunk=5, random_state=0), []
    for part, labels in enumerate(known):
        rows = np.flatnonzero(np.isin(y, labels))[part::4]
        model.partial_fit(X[rows], y[rows])
        predicted = model.predict(X_test)
        recalls.append([(predicted[y_test == k] == k).mean() for k in range(10)])
    recall[kind.__name__.removesuffix("Classifier")] = np.array(recalls)
    print(f"{kind.__name__}: final accuracy {model.score(X_test, y_test):.3f}")

# %%
# Recall of each digit after each data set; crosses are digits that have not occurred yet.

figure, panels = plt.subplots(1, 2, figsize=(9, 3), layout="constrained", sharey=True)
for panel, (name, recalls) in zip(panels, recall.items()):
    drawn = panel.imshow(recalls, vmin=0, vmax=1, cmap="viridis")
    for part, labels in enumerate(known):
        absent = [k for k in range(10) if k not in labels]
        panel.plot(absent, [part] * len(absent), "x", color="white")
    panel.set(title=name, xlabel="digit", xticks=range(10), yticks=range(4))
panels[0].set_ylabel("after data set")
figure.colorbar(drawn, label="recall", shrink=0.8)
plt.show()
