"""Write a chunk learner
=====================

A chunk learner defines how a chunk changes its members and how they vote; the base class does the
rest. This one keeps the trees of the last five chunks and predicts with the tree that has the
smallest error on the newest chunk. :doc:`/writing-a-chunk-learner` describes the methods and tests.
"""

import matplotlib.pyplot as plt
import numpy as np

from driftlearn import AWEClassifier
from driftlearn.ensemble import ChunkClassifier, weighted_error
from driftlearn.evaluate import prequential
from driftlearn.streams import SEA


class BestOfFiveClassifier(ChunkClassifier):
    """The best of the last five trees, by its error on the newest chunk."""

    def __init__(
        self, estimator=None, n_estimators=5, *, chunk_size=None, random_state=None, n_jobs=None
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.chunk_size = chunk_size
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _learn(self, chunk):
        committee = self.committee_
        newest, unseen = self._cross_validated(chunk, n_folds=5)
        committee["error"] = weighted_error(committee.labels(chunk.X) != chunk.y, chunk.w)
        own = weighted_error(unseen.argmax(axis=1) != chunk.y, chunk.w)
        committee.add(newest, created_at=self.step_, error=own)
        committee.truncate(self.n_estimators)
        committee["weight"] = np.where(committee["error"] == committee["error"].min(), 1.0, 0.0)

    def _scores(self, X):
        return self.committee_.vote(self.committee_.labels(X))


stream = SEA(thresholds=(8, 4, 9), n_rows=9_000, noise=0.05, random_state=0)
learners = {"best of five": BestOfFiveClassifier(random_state=0), "AWE": AWEClassifier()}
result = prequential(learners, stream, chunk_size=150, keep_learners=True)
print(result.table(columns=["accuracy", "recovery", "members"]))
print(result.fitted["best of five"].members_)

# %%

figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
for name in result.names:
    ax.plot(result.rows(name), result.scores(name, window=3), label=name)
for drift in stream.drifts:
    ax.axvline(drift, color="grey", ls=":")
ax.set(xlabel="row", ylabel="accuracy, last 450 rows")
ax.legend(loc="lower right")
ax.set_title("A learner in thirty lines, compared with AWE")
plt.show()
