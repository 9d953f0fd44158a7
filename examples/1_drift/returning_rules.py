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

stream = SEA(thresholds=(6, 12, 6, 12), n_rows=20_000, noise=0.1, random_state=0)
learners = {
    "AWE": AWEClassifier(n_estimators=30, n_stored=120),
    "SEA": SEAClassifier(),
    "tree of the last chunk": RefitClassifier(CARTClassifier(min_samples_leaf=5), n_chunks=1),
}
result = prequential(learners, stream, chunk_size=250)

# %%
# What is known after *one* chunk of a rule: the accuracy on the second and third chunk after each
# drift, first to a rule that is new and then to two that return. A tenth of the labels is wrong, so
# that 0.9 is all that can be had.

print(f"{'':24} B is new  A is back  B is back")
for name in result.names:
    scores = result.scores(name)
    after = [scores[drift // 250 + 1 :][:2].mean() for drift in stream.drifts]
    print(f"{name:24} {after[0]:8.2f} {after[1]:10.2f} {after[2]:10.2f}")

# %%
# The shaded stretches are those of rule B.

figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for name in result.names:
    ax.plot(result.rows(name), result.scores(name, window=2), label=name)
for start in (5_000, 15_000):
    ax.axvspan(start, start + 5_000, color="grey", alpha=0.15, lw=0)
ax.set(xlabel="row", ylabel="accuracy, last 500 rows", xlim=(0, 20_000))
ax.legend(loc="lower right")
ax.set_title("Accuracy when rules return; rule B is in force in the shaded stretches")
plt.show()
