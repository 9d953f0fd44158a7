"""The experiments of S2 and S4 at length: recalls beside the printed ones, and every claim.

Run it from the top of the repository, with DRIFTLEARN_DATA naming the folder of real data sets:
``python benchmarks/claims_s2_s4.py [--seeds 10] [--only TABLES_5_6 TABLE_5]``. At the end comes
what the papers do not print and the claims hang on: the vigilance of fuzzy ARTMAP.
"""

from __future__ import annotations

import argparse
from functools import partial
from time import perf_counter

import numpy as np

from driftlearn import FuzzyARTMAPClassifier
from driftlearn.evaluate import holdout, repeat
from driftlearn.papers import s2, s4
from driftlearn.streams import GaussianClasses

EXPERIMENTS = {
    f"{module.__name__[-2:].upper()}.{name}": getattr(module, name)
    for module, names in (
        (s2, ("TABLES_2_3", "FIVE_AND_FIVE", "TABLES_5_6", "SECTION_4", "TABLES_8_9")),
        (s4, ("TABLES_2_3", "TABLE_5", "TABLE_6", "FUTURE_WORK")),
    )
    for name in names
}


def show(name, experiment, seeds):
    """Run an experiment; print its table, its claims, its notes and the time it took."""
    begun = perf_counter()
    outcome = experiment.run(seeds)
    seconds = perf_counter() - begun
    print(f"\n{name}: {experiment.title}; {len(seeds)} seeds, {seconds:.0f} s")
    print(outcome.recall_table())
    for verdict in outcome.verdicts():
        print(f"{verdict['holds']:>13}  {verdict['claim']}: {verdict['figure']}")
    for subject, note in experiment.notes.items():
        print(f"{'note':>13}  {subject}: {note}")


def show_vigilance(seeds):
    """Print what the vigilance does to fuzzy ARTMAP, on the digits of Table 5 and Gaussians."""
    print("\nfuzzy ARTMAP by vigilance: mean recall after each data set, and boxes at the end")
    streams = {
        "digits": (partial(s2.digits, "ocr-udnc"), (0, 1)),
        "Gaussian 1": (partial(GaussianClasses.udnc, 1), (-3, 3)),
    }
    for stream, (make, bounds) in streams.items():
        for vigilance in (0.0, 0.5, 0.75, 0.9):
            learner = FuzzyARTMAPClassifier(vigilance=vigilance, bounds=bounds)
            result = repeat(
                holdout, {"artmap": learner}, make, seeds, log_loss=False, keep_learners=True
            )
            means = 100 * result.scores("artmap", "balanced_accuracy").mean(axis=0)
            boxes = np.mean([run.fitted["artmap"].n_categories_ for run in result.results])
            levels = " ".join(f"{mean:5.1f}" for mean in means)
            print(f"{stream:<12}{vigilance:<6}{levels}{boxes:10.0f} boxes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="how many, from 0 on")
    parser.add_argument("--only", nargs="*", default=[], help="parts of the experiments' names")
    options = parser.parse_args()
    seeds = range(options.seeds)
    for name, experiment in EXPERIMENTS.items():
        if not options.only or any(part in name for part in options.only):
            show(name, experiment, seeds)
    if not options.only:
        show_vigilance(seeds)


if __name__ == "__main__":
    main()
