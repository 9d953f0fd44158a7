"""
Labels that come late
=====================

Whether a customer left is known a month later. Until the label of a row is there, nobody can learn
it: after a drift a learner goes on with the old rule for as long as labels take.
"""

import matplotlib.pyplot as plt

from driftlearn import AdaptiveRandomForestClassifier
from driftlearn.evaluate import delayed
from driftlearn.streams import SEA

stream = SEA(thresholds=(8, 9.5, 7), n_rows=9_000, noise=0.0, random_state=0)
learner = AdaptiveRandomForestClassifier(n_estimators=5, random_state=0)
delays = (0, 500, 1_500)
results = [delayed({"arf": learner}, stream, delay, chunk_size=100) for delay in delays]

# %%

figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for delay, result in zip(delays, results):
    mean = result.summary("arf")["accuracy"]
    label = f"{delay:,} rows late: {mean:.1%} right"
    ax.plot(result.rows("arf"), result.scores("arf", window=3), label=label)
for drift in stream.drifts:
    ax.axvline(drift, color="grey", ls=":")
ax.set(xlabel="row", ylabel="accuracy, last 300 rows", ylim=(0.7, 1.01))
ax.legend(loc="lower right", title="labels come")
ax.set_title("The later labels come, the longer a drift hurts")
plt.show()
