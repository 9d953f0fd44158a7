"""Best candidate of AutoClassifier over time
==========================================

:class:`~driftlearn.AutoClassifier` trains candidate learners on the same stream and weights them by
recent accuracy. The figure shows which candidate was the best at each time.
"""

import matplotlib.pyplot as plt
from matplotlib.patches import Patch

from driftlearn import AutoClassifier
from driftlearn.streams import Agrawal, Drifting

stream = Drifting(
    [Agrawal(function=1), Agrawal(function=4), Agrawal(function=6)],
    drift_at=(2_000, 4_000),
    n_rows=6_000,
    random_state=0,
)
model, right = AutoClassifier(random_state=0), []
for batch in stream.chunks(200):
    right.append((model.test_then_train(batch.X, batch.y) == batch.y).mean())
print(model.leaders_)
print(model.members_)

# %%
# Each color is a candidate, shown while it was the best one.

rows, leaders = [*model.leaders_["row"], 6_000], list(model.leaders_["leader"])
candidates = list(dict.fromkeys(leaders))
figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
for start, stop, name in zip(rows, rows[1:], leaders):
    ax.axvspan(start, stop, color=f"C{candidates.index(name)}", alpha=0.35, lw=0)
keys = [Patch(color=f"C{k}", alpha=0.35) for k in range(len(candidates))]
ax.plot(range(200, 6_001, 200), right, color="black")
for drift in stream.drifts:
    ax.axvline(drift, color="black", ls=":")
ax.set(xlabel="row", ylabel="accuracy of 200 rows", xlim=(0, 6_000))
ax.legend(keys, candidates, loc="lower right", title="best candidate")
ax.set_title("Accuracy of AutoClassifier and its best candidate")
plt.show()
