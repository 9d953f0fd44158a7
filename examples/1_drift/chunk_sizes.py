"""Chunk size
==========

A chunk learner is trained when a chunk is complete: small chunks contain little information, large
chunks delay the reaction to drift. Row-by-row learners have no chunk size; how fast they forget
depends on their own parameters.
"""

import matplotlib.pyplot as plt

from driftlearn import HoeffdingAdaptiveTreeClassifier, LearnPPNSEClassifier
from driftlearn.evaluate import prequential
from driftlearn.streams import SEA

stream = SEA(thresholds=(8, 9.5, 7), n_rows=12_000, noise=0.05, random_state=0)
learners = {
    f"Learn++.NSE, chunks of {n}": LearnPPNSEClassifier(chunk_size=n, random_state=0)
    for n in (50, 250, 1_000)
}
learners["adaptive tree, row by row"] = HoeffdingAdaptiveTreeClassifier()
result = prequential(learners, stream, chunk_size=50)
print(result.table(columns=["accuracy", "recovery"]))

# %%

figure, ax = plt.subplots(figsize=(8, 3.8), layout="constrained")
for name in result.names:
    ax.plot(result.rows(name), result.scores(name, window=20), label=name)
for drift in stream.drifts:
    ax.axvline(drift, color="grey", ls=":")
ax.set(xlabel="row", ylabel="accuracy, last 1,000 rows", ylim=(0.7, 1))
ax.legend(loc="lower right", ncols=2)
ax.set_title("Small chunks react to drift sooner, large chunks are more accurate between drifts")
plt.show()
