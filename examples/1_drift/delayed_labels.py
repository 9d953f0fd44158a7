"""Delayed labels
==============

Whether a customer left is known a month later. Without labels no learner can be updated: after a
drift, predictions follow the old concept until the first labels of the new concept arrive.
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
    label = f"{delay:,} rows: accuracy {mean:.1%}"
    ax.plot(result.rows("arf"), result.scores("arf", window=3), label=label)
for drift in stream.drifts:
    ax.axvline(drift, color="grey", ls=":")
ax.set(xlabel="row", ylabel="accuracy, last 300 rows", ylim=(0.7, 1.01))
ax.legend(loc="lower right", title="delay")
ax.set_title("Accuracy drops for longer after drift if labels are delayed")
plt.show()
