"""Calibration of probabilities
============================

Of the rows predicted with a probability of 90 %, 90 % should be right. The expected calibration
error ``ece`` is the mean deviation; the Brier score combines calibration and accuracy, and smaller
values are better.
"""

import matplotlib.pyplot as plt
import numpy as np

from driftlearn import GaussianNBClassifier, IBoostClassifier, LeveragingBaggingClassifier
from driftlearn.evaluate import prequential
from driftlearn.streams import Agrawal, LabelNoise

stream = LabelNoise(
    Agrawal(function=4, n_rows=5_000), noise=0.1, noise_in_test=True, random_state=0
)
learners = {
    "naive Bayes": GaussianNBClassifier(),
    "leveraging bagging": LeveragingBaggingClassifier(n_estimators=5, random_state=0),
    "IBoost": IBoostClassifier(n_estimators=20),
}
result = prequential(learners, stream, chunk_size=500, keep_learners=True)
print(result.table(columns=["accuracy", "brier", "ece", "log_loss"]))

# %%
# On held-out rows, also with 10 % label noise. On the dashed line, accuracy equals confidence.

X, y = stream.test_set(4_999, 2_000, random_state=1)
figure, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
ax.plot([0.5, 1], [0.5, 1], "k--", lw=1)
for name, model in result.fitted.items():
    p = model.predict_proba(X)
    sure, right = p.max(axis=1), model.classes_[p.argmax(axis=1)] == y
    bins = np.minimum((sure * 10).astype(int), 9)
    there = [k for k in range(5, 10) if (bins == k).sum() > 20]
    ax.plot(
        [sure[bins == k].mean() for k in there],
        [right[bins == k].mean() for k in there],
        "o-",
        label=name,
    )
ax.set(xlabel="confidence", ylabel="accuracy")
ax.legend()
ax.set_title("Calibration")
plt.show()
