"""
Members of scikit-learn
=======================

Any classifier of scikit-learn's can be the base learner of an ensemble. A chunk learner trains a
new one on each chunk; one that learns row by row needs ``partial_fit``. On a straight border that
moves, linear members do better than trees.
"""

import matplotlib.pyplot as plt
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from driftlearn import AWEClassifier, LearnPPNSEClassifier
from driftlearn.evaluate import prequential
from driftlearn.streams import Hyperplane

stream = Hyperplane(n_features=5, magnitude=0.001, n_rows=6_000, random_state=0)
learners = {
    "AWE of trees": AWEClassifier(random_state=0),
    "AWE of logistic regressions": AWEClassifier(LogisticRegression(), random_state=0),
    "Learn++.NSE of naive Bayes": LearnPPNSEClassifier(GaussianNB(), random_state=0),
}
result = prequential(learners, stream, chunk_size=300)
print(result.table(columns=["accuracy", "log_loss", "members"]))

# %%

figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
for name in result.names:
    ax.plot(result.rows(name), result.scores(name), label=name)
ax.set(xlabel="row", ylabel="accuracy, a chunk of 300")
ax.legend()
ax.set_title("A straight border that moves")
plt.show()
