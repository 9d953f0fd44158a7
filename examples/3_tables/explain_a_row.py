"""Explain a prediction
====================

``explain`` lists the predictions and weights of the members and, if they are trees, the splits on
the path of a row, with the names of your columns. ``inspect`` shows feature importances.
"""

import matplotlib.pyplot as plt
import numpy as np

from driftlearn import AWEClassifier, TableEncoder, inspect, make_pipeline

rng = np.random.default_rng(0)


def orders(n):
    table = {
        "price": rng.gamma(2, 30, n),
        "colour": rng.choice(["red", "blue", "green"], n).astype(object),
        "size": rng.random(n),
    }
    bought = (table["price"] < 60) != (table["colour"] == "blue")
    return table, np.where(bought, "bought", "left")


model = make_pipeline(TableEncoder(), AWEClassifier(random_state=0))
for _ in range(6):
    model.partial_fit(*orders(300))

why = model.explain({"price": [25.0], "colour": ["blue"], "size": [0.4]})
print(why)

# %%

found = inspect(model).table("importances")
figure, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
ax.barh(found["feature"][::-1], found["importance"][::-1])
ax.set(xlabel="share of the decrease in impurity")
ax.set_title("Feature importances")
plt.show()
