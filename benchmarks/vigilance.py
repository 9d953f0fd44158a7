"""Effect of the vigilance of fuzzy ARTMAP in the experiments of S4, which do not state theirs.

Run it from the top of the repository, with the folder of real data sets in DRIFTLEARN_DATA:
``python benchmarks/vigilance.py [--seeds 10]``.
"""

from __future__ import annotations

import argparse
from functools import partial

import numpy as np

from driftlearn import FuzzyARTMAPClassifier
from driftlearn.bench.papers.s2 import Digits
from driftlearn.evaluate import holdout, repeat
from driftlearn.streams import GaussianClasses

STREAMS = {
    "digits": (partial(Digits, "ocr-udnc"), (0, 1)),
    "Gaussian 1": (partial(GaussianClasses.udnc, 1), (-3, 3)),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=10, help="number of seeds, from 0 on")
    seeds = range(parser.parse_args().seeds)
    print("mean recall after each data set, and boxes at the end")
    for stream, (make, bounds) in STREAMS.items():
        for vigilance in (0.0, 0.5, 0.75, 0.9):
            learner = FuzzyARTMAPClassifier(vigilance=vigilance, bounds=bounds)
            result = repeat(
                holdout, {"artmap": learner}, make, seeds, log_loss=False, keep_learners=True
            )
            means = 100 * result.scores("artmap", "balanced_accuracy").mean(axis=0)
            boxes = np.mean([run.fitted["artmap"].n_categories_ for run in result.results])
            levels = " ".join(f"{mean:5.1f}" for mean in means)
            print(f"{stream:<12}{vigilance:<6}{levels}{boxes:10.0f} boxes")


if __name__ == "__main__":
    main()
