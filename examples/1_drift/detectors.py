"""Compare drift detectors
=======================

Drift detectors read errors one by one and report when the error rate has changed. Here the rate is
10 %, rises to 35 % at once, and then decreases gradually. A good detector has a short delay and no
false alarms.
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
# The abrupt change at row 2,000: delay of each detector, and number of earlier false alarms.

for name, rows in alarms.items():
    found = detection_scores([2_000], [row for row in rows if row < 4_000], 4_000)
    print(f"{name:12} delay {found.delay:5.0f} rows, {found.false_alarms} false alarms")

# %%

figure, (top, ax) = plt.subplots(2, 1, figsize=(8, 4.4), sharex=True, layout="constrained")
top.plot(
    np.convolve(errors, np.ones(200) / 200, mode="valid"), lw=1, label="mean of the last 200 rows"
)
top.plot(rate, "k--", label="the true rate")
top.set(ylabel="error")
top.legend(loc="upper right")
ax.eventplot(list(alarms.values()), linelengths=0.7, colors=[f"C{k}" for k in range(5)])
ax.set_yticks(range(5), list(alarms))
ax.set(xlabel="row", xlim=(0, 6_000))
ax.axvline(2_000, color="black", ls=":")
top.set_title("Error rate and alarms of five detectors")
plt.show()
