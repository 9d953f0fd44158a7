"""
Old rules return
================

Rule A gives way to rule B, then A comes back, then B. A tree that knows only the newest chunk has
to learn each rule anew. AWE keeps the trees of earlier chunks and gives those a voice that fit the
newest one. SEA keeps trees as well, but lets all of them vote alike, whatever rule they are for.
"""

import matplotlib.pyplot as plt

from driftlearn import AWEClassifier, CARTClassifier, RefitClassifier, SEAClassifier
from driftlearn.evaluate import prequential
from driftlearn.streams import SEA

stream = SEA(thresholds=(4, 13, 4, 13), n_rows=20_000, noise=0.05, random_state=0)
learners = {
    "AWE": AWEClassifier(n_stored=80),
    "SEA": SEAClassifier(),
    "tree of the last chunk": RefitClassifier(CARTClassifier(min_samples_leaf=5), n_chunks=1),
}
result = prequential(learners, stream, chunk_size=100)

# %%
# ``recovery_new`` is the accuracy in the first rows after a drift to a rule that was never there,
# ``recovery_returned`` that after a drift to one that was. Only memory makes a difference between
# the two.

print(result.table(columns=["accuracy", "recovery_new", "recovery_returned"]))

# %%
# The shaded stretches are those of rule B.

figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for name in result.names:
    ax.plot(result.rows(name), result.scores(name, window=5), label=name)
for start in (5_000, 15_000):
    ax.axvspan(start, start + 5_000, color="grey", alpha=0.15, lw=0)
ax.set(xlabel="row", ylabel="accuracy, last 500 rows", xlim=(0, 20_000))
ax.legend(loc="lower right")
plt.show()
