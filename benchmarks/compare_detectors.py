"""The detectors of `driftlearn.drift` beside river's, on 200 random series of errors each.

    python benchmarks/compare_detectors.py [--streams 200]

A series has 1,000 errors of 0 or 1 (*mistakes*) or losses between 0 and 1 whose mean jumps 0 to 3
times. The first table has equivalent settings: every change and, for DDM, every row of the warning
zone must be at the same row. There

* our `min_window` is river's ``warm_start``, and its ``min_instances - 1``;
* `EDDM` has ``early_peak=True``: river looks for the peak after 30 rows, not 30 mistakes;
* `KSWIN` has ``exact=True``; river's gets our random draws, and keeps the newest errors after a
  change: its `update` puts them into the window, and its next `update` discards them.

The second table has the defaults of both: the share of jumps missed, the mean delay, and false and
repeated alarms per series, with a horizon of 200 rows. About half of the jumps are decreases, which
DDM, EDDM and our PageHinkley do not detect. Each KSWIN has its own draws; the last line tests
whether the rows of the first change, with both tests exact, have the same distribution.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.stats import ks_2samp

from driftlearn.drift import DDM, EDDM, KSWIN, PageHinkley
from driftlearn.evaluate import detection_scores
from driftlearn.evaluate.metrics import mean
from driftlearn.utils.table import Table

try:
    from river import drift as river
except ImportError:
    print("skipped: river is not installed (pip install river)")
    raise SystemExit from None

N, HORIZON = 1_000, 200


class Draws:
    """Random generator for river's KSWIN that returns our samples."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def sample(self, positions, size):
        places, n = list(positions), len(positions)
        for k, uniform in enumerate(self.rng.random(size)):
            j = k + int(uniform * (n - k))
            places[k], places[j] = places[j], places[k]
        return places[:size]


class SameDraws(river.KSWIN):
    """River's KSWIN with our samples, and with the window that it sets after a change."""

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


ALIKE = [
    (ddm, (3.0, 2.0, 30), "mistakes"),
    (ddm, (2.0, 1.5, 30), "mistakes"),
    (ddm, (3.5, 2.5, 100), "mistakes"),
    (ddm, (3.0, 2.0, 5), "losses"),
    (eddm, (0.9, 0.95, 30), "mistakes"),
    (eddm, (0.8, 0.9, 30), "mistakes"),
    (eddm, (0.7, 0.95, 50), "mistakes"),
    (page_hinkley, (50.0, 0.005, 29, 0.9999, "both"), "mistakes"),
    (page_hinkley, (50.0, 0.005, 29, 1.0, "rising"), "mistakes"),
    (page_hinkley, (10.0, 0.05, 29, 0.999, "falling"), "mistakes"),
    (page_hinkley, (15.0, 0.01, 99, 1.0, "both"), "losses"),
    (kswin, (0.005, 100, 30), "mistakes"),
    (kswin, (0.001, 200, 50), "losses"),
    (kswin, (0.05, 60, 20), "mistakes"),
]
DEFAULTS = {
    ("DDM", "ours"): lambda seed: DDM(),
    ("DDM", "river's"): lambda seed: river.binary.DDM(),
    ("EDDM", "ours"): lambda seed: EDDM(),
    ("EDDM", "river's"): lambda seed: river.binary.EDDM(),
    ("PageHinkley", "ours"): lambda seed: PageHinkley(),
    ("PageHinkley", "river's"): lambda seed: river.PageHinkley(),
    ("KSWIN", "ours"): lambda seed: KSWIN(random_state=seed),
    ("KSWIN", "ours, exact"): lambda seed: KSWIN(exact=True, random_state=seed),
    ("KSWIN", "river's"): lambda seed: river.KSWIN(seed=seed),
}


def stream(seed, kind="mistakes"):
    """Return errors and the rows at which their mean jumps."""
    rng = np.random.default_rng([seed, 12])
    drifts = np.sort(rng.choice(np.arange(100, N - 100), size=seed % 4, replace=False))
    level = rng.uniform(0.02, 0.7, size=len(drifts) + 1)
    means = level[np.searchsorted(drifts, np.arange(N), side="right")]
    if kind == "losses":
        return rng.beta(4 * means, 4 * (1 - means)), drifts
    return (rng.random(N) < means).astype(float), drifts


def alarms(detector, errors):
    """Return the rows of changes and of warnings of one of our detectors or of river's."""
    changes, warnings = [], []
    for row, error in enumerate(errors.tolist()):
        detector.update(error)
        if detector.drift_detected:
            changes.append(row)
        if getattr(detector, "warning_detected", False):
            warnings.append(row)
    return changes, warnings


def alike(n):
    rows = []
    for pair, setting, kind in ALIKE:
        make, make_river = pair(*setting)
        same, count, theirs = 0, 0, 0
        for seed in range(n):
            errors, _ = stream(seed, kind)
            found, by_river = alarms(make(), errors), alarms(make_river(), errors)
            same += found == by_river if pair is ddm else found[0] == by_river[0]
            count += len(found[0])
            theirs += len(by_river[0])
        name, text = type(make()).__name__, " ".join(map(str, setting))
        rows.append((name, text, kind, n, same, count, theirs))
    names = "detector", "setting", "errors", "streams", "same", "changes", "river's"
    return Table(dict(zip(names, map(list, zip(*rows)))))


def by_default(n):
    """Return the changes in each series, by library."""
    errors = [stream(seed)[0] for seed in range(n)]
    return {
        whose: [alarms(make(seed), errors[seed])[0] for seed in range(n)]
        for whose, make in DEFAULTS.items()
    }


def scored(changes):
    rows = []
    for whose, found in changes.items():
        scores = [
            detection_scores(stream(seed)[1], each, N, HORIZON) for seed, each in enumerate(found)
        ]
        delays = np.concatenate([score.delays for score in scores])
        false = np.mean([score.false_alarms for score in scores])
        again = np.mean([score.repeats for score in scores])
        missed = f"{100 * mean(np.isnan(delays)):.1f}"
        rows.append((*whose, missed, f"{mean(delays):.1f}", f"{false:.2f}", f"{again:.2f}"))
    names = "detector", "whose", "missed %", "delay", "false alarms", "repeats"
    return Table(dict(zip(names, map(list, zip(*rows)))))


def first_changes(changes):
    """Compare the rows of KSWIN's first change, by our samples and by river's."""
    firsts = [
        [found[0] if found else N for found in changes["KSWIN", whose]]
        for whose in ("ours, exact", "river's")
    ]
    p = ks_2samp(*firsts).pvalue
    ours, theirs = map(np.mean, firsts)
    return f"KSWIN's first change: mean row {ours:.0f}, river's {theirs:.0f}; p = {p:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--streams", type=int, default=200, help="number of series for each setting"
    )
    n = parser.parse_args().streams
    print(alike(n), end="\n\n", flush=True)
    changes = by_default(n)
    print(scored(changes), first_changes(changes), sep="\n\n")


if __name__ == "__main__":
    main()
