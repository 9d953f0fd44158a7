"""
A table with words, dates and gaps
==================================

Nothing has to be prepared: a :class:`~driftlearn.preprocessing.TableEncoder` makes numbers of words
and dates, leaves gaps as gaps, and keeps learning how. Each month is predicted, then learned.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from driftlearn import LeveragingBaggingClassifier, TableEncoder, make_pipeline

rng = np.random.default_rng(0)


def month(number, n=400):
    """Orders of a month; from the seventh on people pay by phone and change their habits."""
    start = pd.Timestamp("2025-01-01") + pd.DateOffset(months=number)
    ways = ["card", "transfer"] if number < 6 else ["card", "transfer", "phone"]
    table = pd.DataFrame(
        {
            "when": start + pd.to_timedelta(rng.integers(0, 28 * 24, n), unit="h"),
            "paid by": rng.choice(ways, n),
            "price": rng.gamma(2, 30, n).round(2),
        }
    )
    limit = 60 if number < 6 else 25
    returned = (table["price"] > limit) & (table["paid by"] != "transfer")
    table.loc[rng.random(n) < 0.1, "price"] = np.nan
    return table, np.where(returned, "returned", "kept")


model = make_pipeline(
    TableEncoder(on_schema_change="note"), LeveragingBaggingClassifier(random_state=0)
)
right = []
for number in range(12):
    table, label = month(number)
    if number:
        right.append((model.predict(table) == label).mean())
    model.partial_fit(table, label)

print(model.named_steps["tableencoder"].kinds_)

# %%

figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
ax.bar(range(2, 13), right)
ax.axvline(6.5, color="black", ls=":")
ax.text(6.6, 1.02, "phones, and another habit")
ax.set(xlabel="month of 2025", ylabel="share right", ylim=(0.5, 1.08))
ax.set_title("Share right, month by month")
plt.show()
