"""A table with categories, dates and missing values
=================================================

No preparation is needed: a :class:`~driftlearn.preprocessing.TableEncoder` encodes categories and
dates as numbers, keeps missing values, and is updated with the stream. Each month is predicted
before it is learned.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from driftlearn import LeveragingBaggingClassifier, TableEncoder, make_pipeline

rng = np.random.default_rng(0)


def month(number, n=400):
    """Return the orders of a month; from the seventh month on, payment and habits change."""
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
ax.text(6.6, 1.02, "drift")
ax.set(xlabel="month of 2025", ylabel="accuracy", ylim=(0.5, 1.08))
ax.set_title("Accuracy per month")
plt.show()
