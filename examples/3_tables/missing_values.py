"""Missing values
==============

Naive Bayes and trees accept missing values. Accuracy decreases with the share of missing values.
Replacing them by zero misleads naive Bayes, for which zero is a value like any other; trees are
less affected.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone

from driftlearn import AWEClassifier, GaussianNBClassifier
from driftlearn.streams import SEA, MissingValues

rates = (0.0, 0.1, 0.2, 0.3, 0.5)
learners = {"naive Bayes": GaussianNBClassifier(), "AWE": AWEClassifier()}
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for colour, (name, learner) in zip(("C0", "C1"), learners.items()):
    for filled in (False, True):
        right = []
        for rate in rates:
            stream = MissingValues(SEA((8,), n_rows=5_000, noise=0.0), rate=rate, random_state=0)
            model, hits = clone(learner), []
            for batch in stream.chunks(500):
                X = np.nan_to_num(batch.X) if filled else batch.X
                if batch.start:
                    hits.append((model.predict(X) == batch.y).mean())
                model.partial_fit(X, batch.y)
            right.append(np.mean(hits))
        label = f"{name}, {'filled with zeros' if filled else 'not filled'}"
        ax.plot(rates, right, "o--" if filled else "o-", color=colour, label=label)
        print(label, np.round(right, 3))
ax.set(xlabel="share of missing values", ylabel="accuracy")
ax.legend()
ax.set_title("Missing values passed as nan, and filled with zeros")
plt.show()
