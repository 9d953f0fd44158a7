"""
Why does it say that of this row?
=================================

``explain`` lists who voted for what, with which weight, and, where members are trees, the way of
the row through them in the names of your columns. ``inspect`` says what the model looks at on the
whole.
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
ax.set(xlabel="share of the decrease of impurity")
ax.set_title("What the model looks at")
plt.show()
