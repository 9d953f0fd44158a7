"""Classes that occur in runs
==========================

:class:`~driftlearn.streams.ClassRuns` sorts a stream by class within spans of rows, as when one
machine is measured after the other. Repeating the last label is then nearly always right, and
learners that adapt quickly look accurate; rows in random order show what has been learned.
"""

import matplotlib.pyplot as plt

from driftlearn import GaussianNBClassifier, HoeffdingTreeClassifier, NoChangeClassifier
from driftlearn.evaluate import prequential
from driftlearn.streams import RBF, ClassRuns

mixed = RBF(n_classes=4, n_rows=8_000, random_state=0)
sorted_by_class = ClassRuns(mixed, span=1_000, random_state=0)
learners = {
    "no change": NoChangeClassifier(),
    "naive Bayes": GaussianNBClassifier(),
    "Hoeffding tree": HoeffdingTreeClassifier(grace_period=50, delta=0.01),
}
runs = prequential(learners, sorted_by_class, chunk_size=1, every=100)
plain = prequential(learners, mixed, chunk_size=1, every=100)

# %%
# *Kappa-temporal* is the improvement over repeating the previous label: 0 is none, 1 is perfect.
# By accuracy alone, "no change" would be the best learner on classes in runs.

for name in learners:
    summaries = [
        (r.summary(name)["accuracy"], r.summary(name)["kappa_temporal"]) for r in (runs, plain)
    ]
    print(
        f"{name:15} in runs accuracy {summaries[0][0]:.1%}, kappa-temporal {summaries[0][1]:8.2f}; "
        f"in random order {summaries[1][0]:.1%}, {summaries[1][1]:.2f}"
    )

# %%

y = sorted_by_class.take(3_000)[1]
figure, (top, ax) = plt.subplots(
    2, 1, figsize=(8, 4.6), layout="constrained", height_ratios=(1, 2), sharex=True
)
top.plot(y, ".", ms=2, color="black")
top.set(ylabel="class", yticks=range(4))
for name in learners:
    ax.plot(runs.rows(name)[:30], runs.scores(name)[:30], label=name)
ax.set(xlabel="row", ylabel="accuracy, last 100 rows", xlim=(0, 3_000))
ax.legend(loc="lower right")
top.set_title("Classes of 3,000 rows, and accuracy")
plt.show()
