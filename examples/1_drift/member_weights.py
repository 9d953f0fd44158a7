"""Member weights over time
========================

Every chunk adds a member. A line shows the lifetime of a member, from the chunk it was trained on;
its color is the concept of that chunk, and it is darker the larger the voting weight. When a
concept recurs, the members trained on it regain weight.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from driftlearn import AWEClassifier
from driftlearn.evaluate import prequential
from driftlearn.streams import Drifting, Sine

CHUNK = 250
stream = Drifting(
    [Sine(function=1), Sine(function=3)],
    drift_at=(5_000, 10_000, 15_000),
    n_rows=20_000,
    random_state=0,
)
result = prequential({"AWE": AWEClassifier(n_stored=80)}, stream, chunk_size=CHUNK)
history = result.histories["AWE"]
print(history)

# %%
# The history contains the weight of each member at each step.

share = history.weight / np.nanmax(history.weight)
member, when = history.ids[history.member], history.steps[history.step]
concepts = [stream.concept_at(CHUNK * (int(m) - 1)) for m in member]
colours = np.array([(0.1, 0.4, 0.7), (0.85, 0.3, 0.05)])[concepts]
lines = [[(t - 1, m), (t, m)] for t, m in zip(when, member)]

figure, (top, ax) = plt.subplots(
    2, 1, figsize=(8, 5.5), sharex=True, layout="constrained", height_ratios=(1, 2)
)
top.plot(result.rows("AWE") / CHUNK, result.scores("AWE"), color="black", lw=1)
top.set(ylabel="accuracy")
ax.add_collection(LineCollection(lines, colors=np.c_[colours, share], linewidths=2.5))
ax.set(xlim=(0, 80), ylim=(0, 81), xlabel="chunk", ylabel="member, by creation")
for panel in (top, ax):
    for drift in stream.drifts:
        panel.axvline(drift / CHUNK, color="grey", ls=":", lw=1)
keys = [Line2D([], [], color=c, lw=3) for c in ((0.1, 0.4, 0.7), (0.85, 0.3, 0.05))]
ax.legend(keys, ["trained on concept A", "trained on concept B"], loc="upper left")
top.set_title("Accuracy and member weights")
plt.show()
