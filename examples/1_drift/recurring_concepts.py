"""Recurring concepts
==================

Concept A is replaced by concept B, then both recur. A tree trained on the newest chunk only has to
learn each concept again. AWE keeps the trees of earlier chunks and weights them by their error on
the newest one. SEA also keeps trees, but with equal votes, whatever their concept.
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
# Accuracy after *one* chunk of a concept: on the second and third chunk after each drift, first to
# a new concept and then to two recurring ones. With 10 % label noise, at most 0.9 can be reached.

print(f"{'':24} B is new  A recurs  B recurs")
for name in result.names:
    scores = result.scores(name)
    after = [scores[drift // 250 + 1 :][:2].mean() for drift in stream.drifts]
    print(f"{name:24} {after[0]:8.2f} {after[1]:10.2f} {after[2]:10.2f}")

# %%
# Concept B is shaded.

figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for name in result.names:
    ax.plot(result.rows(name), result.scores(name, window=2), label=name)
for start in (5_000, 15_000):
    ax.axvspan(start, start + 5_000, color="grey", alpha=0.15, lw=0)
ax.set(xlabel="row", ylabel="accuracy, last 500 rows", xlim=(0, 20_000))
ax.legend(loc="lower right")
ax.set_title("Accuracy with recurring concepts; concept B is shaded")
plt.show()
