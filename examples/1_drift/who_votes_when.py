"""
Who votes when
==============

Every chunk makes a member. A line is the life of a member, from the chunk of its birth on; it is
coloured by the rule under which the member was trained and as dark as its vote is heavy. When a
rule comes back, so do the voices of those who know it.
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
# A history keeps the weights that there were: of which member, at which step, and how much.

share = history.weight / np.nanmax(history.weight)
member, when = history.ids[history.member], history.steps[history.step]
born = [stream.concept_at(CHUNK * (int(m) - 1)) for m in member]
colours = np.array([(0.1, 0.4, 0.7), (0.85, 0.3, 0.05)])[born]
lines = [[(t - 1, m), (t, m)] for t, m in zip(when, member)]

figure, (top, ax) = plt.subplots(
    2, 1, figsize=(8, 5.5), sharex=True, layout="constrained", height_ratios=(1, 2)
)
top.plot(result.rows("AWE") / CHUNK, result.scores("AWE"), color="black", lw=1)
top.set(ylabel="accuracy")
ax.add_collection(LineCollection(lines, colors=np.c_[colours, share], linewidths=2.5))
ax.set(xlim=(0, 80), ylim=(0, 81), xlabel="chunk", ylabel="member, by its birth")
for panel in (top, ax):
    for drift in stream.drifts:
        panel.axvline(drift / CHUNK, color="grey", ls=":", lw=1)
keys = [Line2D([], [], color=c, lw=3) for c in ((0.1, 0.4, 0.7), (0.85, 0.3, 0.05))]
ax.legend(keys, ["born under rule A", "born under rule B"], loc="upper left")
top.set_title("Accuracy, and below it who votes")
plt.show()
