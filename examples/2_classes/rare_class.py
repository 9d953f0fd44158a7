"""Rare classes
============

One row in fifty belongs to the class of interest. Accuracy hardly depends on whether it is found,
the geometric mean of the recalls does. With ``class_weight="balanced"`` all classes have equal
total weight, by their frequencies so far.
"""

import matplotlib.pyplot as plt
import numpy as np

from driftlearn import AdaptiveRandomForestClassifier, HoeffdingTreeClassifier, OAUEClassifier
from driftlearn.evaluate import prequential
from driftlearn.streams import Agrawal, ClassImbalance, Drifting

rules = Drifting([Agrawal(function=1), Agrawal(function=4)], drift_at=(5_000,), n_rows=10_000)
stream = ClassImbalance(rules, ratios=((1, 50),), random_state=0)

learners = {}
for name, kind in {
    "forest": AdaptiveRandomForestClassifier,
    "OAUE": OAUEClassifier,
    "one tree": HoeffdingTreeClassifier,
}.items():
    learners[name] = kind()
    learners[f"{name}, balanced"] = kind(class_weight="balanced")
result = prequential(learners, stream, chunk_size=250)
print(result.table(columns=["accuracy", "balanced_accuracy", "g_mean"]))

# %%

figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
place = np.arange(3)
for k, metric in enumerate(("accuracy", "g_mean")):
    for balanced in (0, 1):
        values = [result.summary(name)[metric] for name in result.names[balanced::2]]
        label = f"{metric}, {'balanced' if balanced else 'not balanced'}"
        ax.bar(
            place + 0.2 * (2 * k + balanced) - 0.3, values, 0.18, label=label,
            color=f"C{k}", alpha=1 if balanced else 0.45,
        )  # fmt: skip
ax.set_xticks(place, result.names[::2])
ax.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.17), frameon=False, fontsize=8)
figure.suptitle("Accuracy and G-mean, with and without balanced classes")
plt.show()
