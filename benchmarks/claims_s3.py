"""The experiments of S3 at length: accuracy and recovery beside the printed, and every claim.

Run it from the top of the repository, with DRIFTLEARN_DATA naming the folder of real data sets:
``python benchmarks/claims_s3.py [--seeds 10] [--rows 1000000] [--only TABLE_4 FIGURE_6]``.
"""

from __future__ import annotations

import argparse
from time import perf_counter

from driftlearn.papers import s3
from driftlearn.papers._boosting import recovery_table


def experiments(n_rows):
    """Return the experiments by name, Figures 5 and 6 with so many rows."""
    names = ("FIGURE_2", "TABLE_2", "TABLE_3", "TABLE_4", "NOISE", "ROT", "COVERTYPE")
    found = {name: getattr(s3, name) for name in names}
    return {**found, "FIGURE_5": s3.figure_5(n_rows), "FIGURE_6": s3.figure_6(n_rows)}


def show(name, experiment, seeds):
    """Run an experiment; print accuracy, recovery, claims, notes and the time it took."""
    begun = perf_counter()
    outcome = experiment.run(seeds)
    seconds = perf_counter() - begun
    print(f"\n{name}: {experiment.title}; {len(seeds)} seeds, {seconds:.0f} s")
    print(outcome.table())
    if "every" in experiment.options:
        print(recovery_table(outcome, s3.RECOVERY))
    for verdict in outcome.verdicts():
        print(f"{verdict['holds']:>13}  {verdict['claim']}: {verdict['figure']}")
    for subject, note in experiment.notes.items():
        print(f"{'note':>13}  {subject}: {note}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", nargs="+", choices=list(experiments(1_000)))
    chosen = parser.parse_args()
    for name, experiment in experiments(chosen.rows).items():
        if chosen.only is None or name in chosen.only:
            show(name, experiment, range(chosen.seeds))


if __name__ == "__main__":
    main()
