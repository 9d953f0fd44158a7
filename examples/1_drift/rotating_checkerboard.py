"""Decision boundary on a rotating checkerboard
============================================

Two classes lie on a checkerboard that rotates with every chunk and returns to its initial position.
The figures show the decision boundary of Learn++.NSE over time.
"""

import matplotlib.pyplot as plt
import numpy as np

from driftlearn import LearnPPNSEClassifier
from driftlearn.streams import Checkerboard

stream = Checkerboard(n_steps=80, random_state=0)
model = LearnPPNSEClassifier(random_state=0)
grid = np.stack(np.meshgrid(np.linspace(0, 1, 70), np.linspace(0, 1, 70)), axis=-1).reshape(-1, 2)

figure, panels = plt.subplots(1, 4, figsize=(10, 2.9), layout="constrained", sharey=True)
panels = iter(panels)
for step, batch in enumerate(stream.chunks(), 1):
    model.partial_fit(batch.X, batch.y)
    if step % 20 == 0:
        panel = next(panels)
        predicted = model.predict(grid).reshape(70, 70)
        panel.imshow(predicted, origin="lower", extent=(0, 1, 0, 1), cmap="coolwarm", alpha=0.5)
        panel.scatter(*batch.X.T, c=batch.y, cmap="coolwarm", s=9, edgecolors="black", lw=0.3)
        panel.set(title=f"chunk {step}", xlim=(0, 1), ylim=(0, 1), xticks=(), yticks=())
plt.show()
