"""
What is still known of earlier rules
====================================

:func:`driftlearn.evaluate.concepts` trains from drift to drift and tests on rows of *every* rule
after each. A row of the picture is a period, a column a rule: below the diagonal is what was kept,
above it what was known before it was ever taught. In the fifth period the first rule is back.
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
    panel.set(title=name, xlabel="tested on rule")
panels[0].set_ylabel("after period")
figure.colorbar(drawn, label="accuracy")
plt.show()
