"""
Can its probabilities be trusted?
=================================

A learner that says 90 % should be right nine times of ten. ``ece`` is by how much it is not, on
average; the Brier score has both that and accuracy in one number, and the lower it is the better.
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
# On rows that nobody has learned, a tenth of whose labels is wrong as well. On the dashed line a
# learner is as often right as it says.

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
ax.set(xlabel="how sure it was", ylabel="how often it was right")
ax.legend()
ax.set_title("How sure, and how often right")
plt.show()
