"""Speed of one call per row
=========================

In prequential evaluation each row is predicted and then learned. Two Python calls per row take
longer than the training itself; ``test_then_train`` processes the same rows in one compiled loop,
with bit-identical predictions. Times are those of the machine that built this page.
"""

from time import process_time

import matplotlib.pyplot as plt
import numpy as np

from driftlearn import DWMClassifier, GaussianNBClassifier, HoeffdingTreeClassifier
from driftlearn.streams import SEA

X, y = SEA(n_rows=1_500, random_state=0).take(1_500)
learners = {
    "naive Bayes": GaussianNBClassifier,
    "Hoeffding tree": HoeffdingTreeClassifier,
    "DWM": DWMClassifier,
}
single, together = [], []
for kind in learners.values():
    start, model = process_time(), kind().partial_fit(X[:1], y[:1])
    predicted = [model.predict(X[:1])[0]]
    for row in range(1, len(X)):
        predicted.append(model.predict(X[row : row + 1])[0])
        model.partial_fit(X[row : row + 1], y[row : row + 1])
    single.append(1e6 * (process_time() - start) / len(X))
    start, model = process_time(), kind().partial_fit(X[:1], y[:1])
    again = model.test_then_train(X[1:], y[1:])
    together.append(1e6 * (process_time() - start) / len(X))
    assert np.array_equal(predicted[1:], again)

# %%

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
place = np.arange(len(learners))
ax.barh(place + 0.2, single, 0.38, label="predict and partial_fit, row by row")
ax.barh(place - 0.2, together, 0.38, label="test_then_train")
ax.set_yticks(place, list(learners))
ax.set(xlabel="microseconds per row", xscale="log")
ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, frameon=False)
figure.suptitle("Time per row: one call per row, and one call for all rows")
plt.show()
