"""scikit-learn classifiers as base learners
=========================================

Any scikit-learn classifier can be the base learner of an ensemble. A chunk learner trains a new one
on each chunk; a row-by-row ensemble needs ``partial_fit``. With a moving linear boundary, linear
members are more accurate than trees.
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
ax.set(xlabel="row", ylabel="accuracy per chunk of 300")
ax.legend()
ax.set_title("Linear decision boundary that moves")
plt.show()
