"""The detectors of `driftlearn.drift` against river's, on 200 random streams of errors for each.

    python benchmarks/compare_detectors.py [--streams 200]

A stream is 3,000 errors of 0 or 1 (*mistakes*) or losses between 0 and 1 whose mean jumps 0 to 3
times. The first table has settings in which both mean the same: every change, and for DDM every
row of the warning zone, must be at the same row. There

* our `min_window` is river's ``warm_start``, and its ``min_instances - 1``;
* `EDDM` has ``early_peak=True``: river looks for the peak after 30 rows, not 30 mistakes;
* `KSWIN` has ``exact=True``, and river's is given our draws, and keeps the newest errors after a
  change: its `update` puts them into the window, and its next `update` throws them away.

The second table has both by default, where they differ: changes a stream, the share of drifts
missed, the mean delay and false alarms a stream, with a horizon of 300 rows. For KSWIN, where each
has its own draws, the last line tests whether the rows of the first change in a stream are of one
distribution, with both tests exact.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.stats import ks_2samp

from driftlearn._table import Table
from driftlearn.drift import ADWIN, DDM, EDDM, KSWIN, PageHinkley
from driftlearn.evaluate import detection_scores
from driftlearn.evaluate.metrics import mean

try:
    from river import drift as river
except ImportError:
    raise SystemExit(
        "nothing to compare with: river is not installed (pip install river)"
    ) from None

N, HORIZON = 3_000, 300


class Draws:
    """What river's KSWIN asks for samples: ours."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def sample(self, positions, size):
        places, n = list(positions), len(positions)
        for k, uniform in enumerate(self.rng.random(size)):
            j = k + int(uniform * (n - k))
            places[k], places[j] = places[j], places[k]
        return places[:size]


class SameDraws(river.KSWIN):
    """River's KSWIN with our draws, and with the window that it sets after a change."""

    def __init__(self, seed, **how):
        self.draws, self.window = Draws(seed), ()
        super().__init__(**how)

    def _reset(self):
        kept = self.window
        super()._reset()
        self.window.extend(kept)
        self._rng = self.draws


def binary(name, warm, **how):
    return getattr(river.binary, name)(warm_start=warm, **how)


def ddm(drift, warning, warm):
    return (
        lambda: DDM(drift, warning, warm),
        lambda: binary("DDM", warm, drift_threshold=drift, warning_threshold=warning),
    )


def eddm(drift, warning, warm):
    return (
        lambda: EDDM(drift, warning, warm, early_peak=True),
        lambda: binary("EDDM", warm, beta=drift, alpha=warning),
    )


def page_hinkley(threshold, delta, warm, fading, direction):
    mode = {"rising": "up", "falling": "down", "both": "both"}[direction]
    return (
        lambda: PageHinkley(threshold, delta, warm, fading, direction),
        lambda: river.PageHinkley(warm + 1, delta, threshold, fading, mode),
    )


def kswin(level, window, sample):
    return (
        lambda: KSWIN(level, window, sample, exact=True, random_state=7),
        lambda: SameDraws(7, alpha=level, window_size=window, stat_size=sample),
    )


ALIKE = {
    "DDM": (ddm, [(3.0, 2.0, 30), (2.0, 1.5, 30), (3.5, 2.5, 100), (3.0, 2.0, 5)], ["mistakes"]),
    "EDDM": (eddm, [(0.9, 0.95, 30), (0.8, 0.9, 30), (0.7, 0.95, 50)], ["mistakes"]),
    "PageHinkley": (
        page_hinkley,
        [
            (50.0, 0.005, 29, 0.9999, "both"), (50.0, 0.005, 29, 1.0, "rising"),
            (10.0, 0.05, 29, 0.999, "falling"), (15.0, 0.01, 99, 1.0, "both"),
        ],
        ["mistakes", "losses"],
    ),
    "KSWIN": (kswin, [(0.005, 100, 30), (0.001, 200, 50), (0.05, 60, 20)], ["mistakes", "losses"]),
}  # fmt: skip
DEFAULTS = {
    "DDM": (lambda i: DDM(), lambda i: river.binary.DDM()),
    "EDDM": (lambda i: EDDM(), lambda i: river.binary.EDDM()),
    "PageHinkley": (lambda i: PageHinkley(), lambda i: river.PageHinkley()),
    "KSWIN": (lambda i: KSWIN(random_state=i), lambda i: river.KSWIN(seed=i)),
    "ADWIN": (lambda i: ADWIN(), lambda i: river.ADWIN()),
}


def stream(seed, kind="mistakes"):
    """Return errors and the rows where their mean jumps."""
    rng = np.random.default_rng([seed, 12])
    drifts = np.sort(rng.choice(np.arange(200, N - 200), size=seed % 4, replace=False))
    level = rng.uniform(0.02, 0.7, size=len(drifts) + 1)
    means = level[np.searchsorted(drifts, np.arange(N), side="right")]
    if kind == "losses":
        return rng.beta(4 * means, 4 * (1 - means)), drifts
    return (rng.random(N) < means).astype(float), drifts


def by_river(detector, errors):
    """Return the rows of changes and of warnings."""
    changes, warnings = [], []
    for row, error in enumerate(errors.tolist()):
        detector.update(error)
        if detector.drift_detected:
            changes.append(row)
        if getattr(detector, "warning_detected", False):
            warnings.append(row)
    return changes, warnings


def ours(detector, errors):
    changes, warnings = [], []
    for row, error in enumerate(errors.tolist()):
        if detector.update(error):
            changes.append(row)
        if getattr(detector, "warning_detected", False):
            warnings.append(row)
    return changes, warnings


def alike(n):
    rows = []
    for name, (pair, settings, kinds) in ALIKE.items():
        for setting in settings:
            make, make_river = pair(*setting)
            for kind in kinds:
                same, changes, warnings = 0, [0, 0], 0
                for seed in range(n):
                    errors, _ = stream(seed, kind)
                    found, theirs = ours(make(), errors), by_river(make_river(), errors)
                    same += found[0] == theirs[0] and (name != "DDM" or found[1] == theirs[1])
                    changes[0] += len(found[0])
                    changes[1] += len(theirs[0])
                    warnings += len(found[1])
                text = " ".join(map(str, setting))
                rows.append((name, text, kind, n, same, *changes, warnings or ""))
    names = "detector", "setting", "errors", "streams", "same", "changes", "river's", "warnings"
    return Table(dict(zip(names, map(list, zip(*rows)))))


def defaults(n):
    rows = []
    for name, (make, make_river) in DEFAULTS.items():
        for whose, run, start in ("ours", ours, make), ("river's", by_river, make_river):
            scores = []
            for seed in range(n):
                errors, drifts = stream(seed)
                changes = run(start(seed), errors)[0]
                scores.append(detection_scores(drifts, changes, N, HORIZON))
            delays = np.concatenate([score.delays for score in scores])
            missed = np.isnan(delays).mean()
            false, again = (
                np.mean([getattr(score, what) for score in scores])
                for what in ("false_alarms", "repeats")
            )
            shown = (f"{100 * missed:.1f}", f"{mean(delays):.1f}", f"{false:.2f}", f"{again:.2f}")
            rows.append((name, whose, *shown))
    names = "detector", "whose", "missed %", "delay", "false alarms", "repeats"
    return Table(dict(zip(names, map(list, zip(*rows)))))


def first_changes(n):
    """Compare where KSWIN first sees a change, by our draws and by river's."""
    firsts = [], []
    for seed in range(n):
        errors, _ = stream(seed)
        found = ours(KSWIN(exact=True, random_state=seed), errors)[0]
        theirs = by_river(river.KSWIN(seed=seed), errors)[0]
        for rows, changes in zip(firsts, (found, theirs)):
            rows.append(changes[0] if changes else N)
    p = ks_2samp(*firsts).pvalue
    means = [np.mean(rows) for rows in firsts]
    return f"KSWIN's first change: mean row {means[0]:.0f}, river's {means[1]:.0f}; p = {p:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--streams", type=int, default=200, help="how many for each setting")
    n = parser.parse_args().streams
    print(alike(n), defaults(n), first_changes(n), sep="\n\n")


if __name__ == "__main__":
    main()
