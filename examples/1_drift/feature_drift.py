"""Detect which columns drift
==========================

A :class:`~driftlearn.inspection.FeatureRecord` counts the values of each column over time, in
bounded memory, and finds the periods that differ from the rest. No labels are needed.
"""

import matplotlib.pyplot as plt
import numpy as np

from driftlearn.inspection import FeatureRecord

rng = np.random.default_rng(0)
record, means = FeatureRecord(), []
for week in range(12):
    table = {
        "price": rng.normal(10 if week < 7 else 12, 2, 1_000),
        "weight": rng.normal(3, 1, 1_000),
        "colour": rng.choice(["red", "blue", "green"], 1_000, p=[0.5, 0.3, 0.2]).astype(object),
    }
    if week >= 10:
        table["colour"][rng.random(1_000) < 0.4] = "grey"
    record.update(table)
    means.append(
        (table["price"].mean(), table["weight"].mean(), (table["colour"] == "grey").mean())
    )

drift = record.drift()
print(drift)

# %%
# ``since`` is the row of the last change of a column, marked by the vertical lines.

figure, panels = plt.subplots(3, 1, figsize=(8, 5), sharex=True, layout="constrained")
names = ("price", "weight", "colour")
for panel, name, values in zip(panels, names, zip(*means)):
    panel.plot(np.arange(12) * 1_000 + 500, values, "o-", color="C0")
    panel.set_ylabel({"colour": "share of grey"}.get(name, f"mean {name}"))
    for row in drift.to_dicts():
        if row["feature"] == name and row["since"] is not None:
            panel.axvline(row["since"], color="C3")
panels[-1].set(xlabel="row", xlim=(0, 12_000))
panels[0].set_title("Two of three columns change")
plt.show()
