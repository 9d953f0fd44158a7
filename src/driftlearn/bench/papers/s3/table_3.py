"""Table 3: how often IBoost adds members and updates their weights."""

from collections.abc import Sequence
from functools import partial

from driftlearn.bench.papers.claim import Claim, full_only, ours, stated
from driftlearn.bench.papers.drawing.over_a_parameter import sweeps
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.s3.claims import course, not_worse
from driftlearn.bench.papers.s3.streams_and_learners import (
    BATCH,
    EVERY_50,
    EVERY_50_NOTE,
    METRICS,
    STOCHASTIC,
    printed,
    sea,
)
from driftlearn.ensemble.boosting.iboost import IBoostClassifier


def table_3(
    updates: Sequence[int] = (1, 5, 10),
    periods: Sequence[int] = (10, 50, 100),
    n_rows: int = 50_000,
) -> Experiment:
    """Return Table 3, or the part of it with these b (at p = 1) and these p (at b = 1)."""
    cells = [(1, b) for b in updates] + [(p, 1) for p in periods]
    kinds = {STOCHASTIC: "stochastic", BATCH: "batch"}
    claims: list[Claim] = []
    for name in kinds:
        by_period = [f"{name} p={p} b=1" for p in (1, *periods)]
        by_updates = [f"{name} p=1 b={b}" for b in updates]
        if 1 in updates and periods:
            claims += stated(
                "Section 3.3",
                "bigger values of p degraded the performance (some just slightly, e.g. p = 10) "
                "coupled with big time savings",
                course(f"accuracy of {name} falls with p, by 0.2 a step", "SEA", by_period, -0.2),
            )
        if len(updates) > 1:
            slack = 0.3 if name == STOCHASTIC else 0.5
            claims += full_only(
                *stated(
                    "Section 3.3",
                    "bigger values of b improved the performance at cost of increasing the "
                    "training time",
                    course(f"accuracy of {name} rises with b", "SEA", by_updates, 0),
                    settle="more seeds: steps are a tenth of a point",
                ),
                *ours("duplicate", not_worse("SEA", by_updates[-1], by_updates[0], slack)),
            )
    return Experiment(
        paper="S3",
        item="table 3",
        title="stumps on SEA, M = n = 200, by updates a row b and the period of additions p",
        streams={"SEA": partial(sea, n_rows=n_rows)},
        learners={
            f"{name} p={p} b={b}": IBoostClassifier.as_published(period=p, n_updates=b, update=kind)
            for name, kind in kinds.items()
            for p, b in cells
        },
        options=EVERY_50,
        numbers=printed("3", "test_accuracy"),
        claims=tuple(claims),
        notes={
            "SEA": EVERY_50_NOTE + "; the printed header has b = 10, 50, 100 where p is meant",
            STOCHASTIC: "more updates a row change the accuracy by 0.2, up or down",
        },
        further={"recovery": printed("3", "recovery"), "seconds": printed("3", "time_s")},
        figures={
            "table 3": partial(
                sweeps,
                panels={
                    axis: {name: {v: ("SEA", f"{name} p={p} b={b}") for v, p, b in settings}
                           for name in kinds}
                    for axis, settings in (
                        ("updates a row b, with p = 1", [(b, 1, b) for b in updates]),
                        ("period of additions p, with b = 1", [(p, p, 1) for p in (1, *periods)]),
                    )
                },
                metrics=METRICS,
            )
        },
    )  # fmt: skip


TABLE_3 = table_3().with_quick("6,000 of 50,000 rows", of=table_3(n_rows=6_000))
