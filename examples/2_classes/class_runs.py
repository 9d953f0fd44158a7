"""
Classes that come in runs
=========================

:class:`~driftlearn.streams.ClassRuns` sorts every so many rows by class, as where one machine is
measured after the other. Who repeats the last label is then nearly always right, and whoever learns
quickly looks good; what is really known shows on rows in random order.
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
# *Kappa-temporal* is what a learner knows beyond the label of the row before: 0 is no more than
# that, 1 is everything. Accuracy alone would call "no change" the best where classes come in runs.

for name in learners:
    told = [(r.summary(name)["accuracy"], r.summary(name)["kappa_temporal"]) for r in (runs, plain)]
    print(
        f"{name:15} in runs {told[0][0]:.1%} right, kappa-temporal {told[0][1]:8.2f}; "
        f"in random order {told[1][0]:.1%}, {told[1][1]:.2f}"
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
top.set_title("The classes of 3,000 rows, and who is right about them")
plt.show()
