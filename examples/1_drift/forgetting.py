"""Forgetting of earlier concepts
==============================

:func:`driftlearn.evaluate.concepts` trains on the rows between two drifts and then tests on *every*
concept. In the figure, a row is a period and a column is a concept: values below the diagonal show
what was retained, values above it the accuracy before any training on the concept. The first
concept recurs in the fifth period.
"""

import matplotlib.pyplot as plt

from driftlearn import AUE2Classifier, DTELClassifier, LearnPPNSEClassifier
from driftlearn.evaluate import concepts
from driftlearn.streams import Agrawal, Drifting

rules = [Agrawal(function=k) for k in (1, 3, 4, 7)]
stream = Drifting(rules, drift_at=(2_000, 4_000, 6_000, 8_000), n_rows=10_000, random_state=0)
learners = {
    "Learn++.NSE": LearnPPNSEClassifier(random_state=0),
    "DTEL": DTELClassifier(random_state=0),
    "AUE2": AUE2Classifier(random_state=0),
}
result = concepts(learners, stream, chunk_size=200, test_size=300)
print(result.table(columns=["anytime_accuracy", "forgetting", "backward_transfer"]))

# %%

figure, panels = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained", sharey=True)
for panel, name in zip(panels, result.names):
    drawn = panel.imshow(result.concept_matrix(name), vmin=0.4, vmax=1, cmap="viridis")
    panel.set(title=name, xlabel="tested on concept")
panels[0].set_ylabel("after period")
figure.colorbar(drawn, label="accuracy")
plt.show()
