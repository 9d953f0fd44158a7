"""
Change detectors on one series of errors
========================================

Detectors are fed errors, one by one, and say when these have changed. Here the error is 10 %, then
35 % at once, then it goes back to 10 % bit by bit. A good detector is early, and quiet elsewhere.
"""

import matplotlib.pyplot as plt
import numpy as np

from driftlearn.drift import ADWIN, DDM, EDDM, KSWIN, PageHinkley
from driftlearn.evaluate import detection_scores

rate = np.r_[np.full(2_000, 0.1), np.full(2_000, 0.35), np.linspace(0.35, 0.1, 2_000)]
errors = np.random.default_rng(0).random(6_000) < rate

detectors = [ADWIN(), DDM(), EDDM(), PageHinkley(), KSWIN(random_state=0)]
alarms = {
    type(detector).__name__: [
        row for row, error in enumerate(errors) if detector.update(error=float(error))
    ]
    for detector in detectors
}

# %%
# Of the abrupt change at row 2,000: how late each was, and how often it had cried before.

for name, rows in alarms.items():
    found = detection_scores([2_000], [row for row in rows if row < 4_000], 4_000)
    print(f"{name:12} delay {found.delay:5.0f} rows, {found.false_alarms} false alarms")

# %%

figure, (top, ax) = plt.subplots(2, 1, figsize=(8, 4.4), sharex=True, layout="constrained")
top.plot(np.convolve(errors, np.ones(200) / 200, mode="valid"), lw=1, label="of the last 200 rows")
top.plot(rate, "k--", label="the true rate")
top.set(ylabel="error")
top.legend(loc="upper right")
ax.eventplot(list(alarms.values()), linelengths=0.7, colors=[f"C{k}" for k in range(5)])
ax.set_yticks(range(5), list(alarms))
ax.set(xlabel="row", xlim=(0, 6_000))
ax.axvline(2_000, color="black", ls=":")
top.set_title("The error rate, and the alarms of five detectors")
plt.show()
