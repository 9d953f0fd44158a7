"""
Gaps
====

Naive Bayes and trees take missing values as they are. How much it costs when more and more values
are missing, and how much more it would cost to fill them with zeros.
"""

import matplotlib.pyplot as plt
import numpy as np

from driftlearn import AWEClassifier, LeveragingBaggingClassifier
from driftlearn.streams import Agrawal, MissingValues

rates = (0.0, 0.1, 0.2, 0.3, 0.5)
learners = {"leveraging bagging": LeveragingBaggingClassifier, "AWE": AWEClassifier}
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for colour, (name, kind) in zip(("C0", "C1"), learners.items()):
    for filled in (False, True):
        right = []
        for rate in rates:
            stream = MissingValues(Agrawal(n_rows=5_000), rate=rate, random_state=0)
            model, hits = kind(random_state=0), []
            for batch in stream.chunks(500):
                X = np.nan_to_num(batch.X) if filled else batch.X
                if batch.start:
                    hits.append((model.predict(X) == batch.y).mean())
                model.partial_fit(X, batch.y)
            right.append(np.mean(hits))
        label = f"{name}, {'filled with zeros' if filled else 'as they are'}"
        ax.plot(rates, right, "o--" if filled else "o-", color=colour, label=label)
        print(label, np.round(right, 3))
ax.set(xlabel="share of values that are missing", ylabel="accuracy")
ax.legend()
plt.show()
