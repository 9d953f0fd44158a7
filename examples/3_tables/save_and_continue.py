"""Save a model and continue training
==================================

A loaded model continues training with bit-identical results, and its file stays small.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

import driftlearn
from driftlearn import ACEClassifier
from driftlearn.streams import SEA

stream = SEA(thresholds=(8, 9.5, 8), n_rows=12_000, noise=0.0, random_state=0)
never, daily = ACEClassifier(), ACEClassifier()
sizes, right = [], []
with TemporaryDirectory() as folder:
    path = Path(folder) / "model.npz"
    for batch in stream.chunks(500):
        predicted = never.test_then_train(batch.X, batch.y)
        again = daily.test_then_train(batch.X, batch.y)
        assert np.array_equal(predicted, again)
        daily.save(path)
        daily = driftlearn.load(path)
        sizes.append(path.stat().st_size / 1024)
        right.append((predicted == batch.y).mean())
print(f"{len(sizes)} times saved and loaded; the last file has {sizes[-1]:.0f} kB")

# %%

figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
ax.plot(range(1, 25), right, "o-", label="accuracy")
ax.set(xlabel="day", ylabel="accuracy", ylim=(0.8, 1.0))
other = ax.twinx()
other.bar(range(1, 25), sizes, alpha=0.25, color="grey")
other.set_ylabel("file size in kB (bars)")
ax.set_title("Accuracy and file size per day")
plt.show()
