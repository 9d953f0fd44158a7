"""Significance of differences
===========================

Five ensembles on a stream with six seeds. Friedman's test shows whether they differ at all; the
critical difference of the Nemenyi test shows which mean ranks differ. The unit is the seed, which
gives other rows of the same stream; chunks of one run are not independent.
"""

import matplotlib.pyplot as plt

from driftlearn import (
    AUE2Classifier,
    AWEClassifier,
    DTELClassifier,
    LearnPPNSEClassifier,
    SEAClassifier,
)
from driftlearn.evaluate import average_ranks, friedman, nemenyi, prequential, repeat
from driftlearn.streams import SEA


def make_stream(seed):
    return SEA(thresholds=(6, 12, 6), n_rows=3_000, noise=0.1, random_state=seed)


learners = {
    "DTEL": DTELClassifier(),
    "Learn++.NSE": LearnPPNSEClassifier(),
    "AWE": AWEClassifier(),
    "AUE2": AUE2Classifier(),
    "SEA": SEAClassifier(),
}
result = repeat(prequential, learners, make_stream, seeds=range(6), chunk_size=250)
table = {name: result.total(name) for name in result.names}
print(friedman(table))
ranks = average_ranks(table)
distance = nemenyi(k=len(ranks), n=6)
print(f"mean ranks that differ by less than {distance:.2f} may differ by chance")

# %%
# Points are mean ranks (1 is best), lines half the critical difference to either side: learners
# whose lines overlap do not differ significantly over six seeds.

figure, (left, ax) = plt.subplots(1, 2, figsize=(10, 3.2), layout="constrained")
left.boxplot(list(table.values()), tick_labels=list(table))
left.set(ylabel="accuracy, six seeds")
names = sorted(ranks, key=ranks.get, reverse=True)
ax.errorbar([ranks[n] for n in names], names, xerr=distance / 2, fmt="o", capsize=4)
ax.set(xlabel="mean rank")
ax.set_title("Mean ranks, and half the critical difference")
plt.show()
