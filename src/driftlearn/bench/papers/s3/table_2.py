"""Table 2 and Figure 2: IBoost over stumps on SEA, by M and n."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from driftlearn.bench.papers.claim import Claim, full_only, ours, stated
from driftlearn.bench.papers.drawing.accuracy_along_streams import courses
from driftlearn.bench.papers.drawing.over_a_parameter import sweeps
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.s3.claims import after_each, ahead, at_least, between, chain, course
from driftlearn.bench.papers.s3.streams_and_learners import (
    BATCH,
    EVERY_50,
    EVERY_50_NOTE,
    METRICS,
    STOCHASTIC,
    printed,
    sea,
)
from driftlearn.bench.papers.setting import Alternative
from driftlearn.ensemble.boosting.flb import FLBClassifier
from driftlearn.ensemble.boosting.iboost import IBoostClassifier
from driftlearn.ensemble.boosting.ocb import OCBClassifier
from driftlearn.ensemble.boosting.windowed_adaboost import WindowedAdaBoostClassifier

MEMBERS = (20, 50, 100, 200, 500)
WINDOWS = (100, 200, 500, 1000, 2000)


def stumps(M: int, n: int) -> dict[str, Any]:
    """Return the five learners of Table 2, of M stumps and a window of n rows."""
    return {
        STOCHASTIC: IBoostClassifier.as_published(n_estimators=M, window_size=n),
        BATCH: IBoostClassifier.as_published(n_estimators=M, window_size=n, update="batch"),
        "AdaBoost": WindowedAdaBoostClassifier(n_estimators=M, window_size=n),
        "OCB": OCBClassifier.as_published(n_estimators=M, init_size=n, order=1),
        "FLB": FLBClassifier(n_estimators=M, block_size=n, stump_proba="distance"),
    }


def table_2(
    members: Sequence[int] = MEMBERS,
    windows: Sequence[int] = WINDOWS,
    n_rows: int = 50_000,
    item: str = "table 2",
) -> Experiment:
    """Return Table 2, or the part of it with these M (at n = 200) and these n (at M = 200)."""
    by_members = [f"M={M} n=200" for M in members]
    by_window = [f"M=200 n={n}" for n in windows]
    cells = {(M, 200) for M in members} | {(200, n) for n in windows}
    learners = {
        f"{name} M={M} n={n}": learner
        for M, n in sorted(cells)
        for name, learner in stumps(M, n).items()
    }
    names = list(dict.fromkeys(by_members + by_window))
    claims = full_only(
        *stated(
            "Section 3.3",
            "IBoost Batch was more accurate than IBoost Stochastic",
            chain(
                "Batch at least Stochastic at least AdaBoost, for each M and n",
                "SEA",
                [(f"{BATCH} {c}", f"{STOCHASTIC} {c}", f"AdaBoost {c}") for c in names],
            ),
            cause="parameter unstated",
            settle="the learning rate of IBoost: with the unit step of Eq. 14 a large window is "
            "not exhausted",
        ),
        *ours(
            "duplicate",
            chain(
                "Stochastic has the best recovery, except M = 500",
                "SEA",
                [
                    (f"{STOCHASTIC} {c}", f"{other} {c}")
                    for c in names
                    if c != "M=500 n=200"
                    for other in (BATCH, "AdaBoost", "OCB", "FLB")
                    if (c, other) != ("M=200 n=2000", "OCB")
                ],
                "recovery",
            ),
        ),
        *stated(
            "Section 3.3",
            "Both IBoost versions achieved much higher classification accuracy than AdaBoost and "
            "it was faster to train",
            chain(
                "Stochastic learns faster than AdaBoost, for each M and n",
                "SEA",
                [(f"{STOCHASTIC} {c}", f"AdaBoost {c}") for c in names],
                "rows/s",
            ),
        ),
        *stated(
            "Section 3.3",
            "the training time of IBoost Batch was significantly higher",
            chain(
                "Stochastic learns faster than Batch, for each M and n",
                "SEA",
                [(f"{STOCHASTIC} {c}", f"{BATCH} {c}") for c in names],
                "rows/s",
            ),
        ),
    )
    if (200, 200) in cells:
        claims += _middle()
    if len(members) > 1:
        claims += stated(
            "Section 3.3",
            "the increase in budget M resulted in larger training times and accuracy gain for all "
            "algorithms",
            *(course(f"accuracy of {name} rises with M", "SEA",
                     [f"{name} {c}" for c in by_members], 0, trend=True)
              for name in stumps(1, 1)),
        )  # fmt: skip
    if len(windows) > 1:
        claims += _with_window(by_window)
    return Experiment(
        paper="S3",
        item=item,
        title="stumps on SEA without noise, by the number of members M and the window n",
        streams={"SEA": partial(sea, n_rows=n_rows)},
        learners=learners,
        options=EVERY_50,
        numbers=printed("2", "test_accuracy"),
        claims=tuple(claims),
        notes={
            "SEA": EVERY_50_NOTE + "; recovery is up to three points higher than printed for "
            "IBoost and AdaBoost: printed it agrees with a mean over 400 rows, not 600",
            STOCHASTIC: "it does not gain beyond n = 500, and AdaBoost overtakes it at n = 1,000: "
            "with one row's step at a time it does not exhaust a large window",
            "OCB": "order 1, the best; it is about a point below print at M = n = 200; its printed "
            "recovery of 93.5 at n = 2,000 breaks the row and is left out of the claim",
            "FLB": "with probabilities by the distance from the split and a detector of 1 %, as "
            "the text has it, it is far better than printed, and above IBoost; with ratios and no "
            "detector M = n = 200 agrees with print",
        },
        further={"recovery": printed("2", "recovery"), "seconds": printed("2", "time_s")},
        figures={item: partial(sweeps, panels=_panels(members, windows), metrics=METRICS)},
        alternatives={
            "FLB by class ratios, without a detector": Alternative(
                learners={
                    f"FLB M={M} n={n}": FLBClassifier(
                        n_estimators=M, block_size=n, change_level=None
                    )
                    for M, n in sorted(cells)
                }
            )
        },
    )


def _panels(members: Sequence[int], windows: Sequence[int]) -> dict[str, dict[str, Any]]:
    """Return the lines of the picture of Table 2: one a learner, over M and over n."""
    axes = {
        "members M, with n = 200": {M: f"M={M} n=200" for M in members},
        "window n, with M = 200": {n: f"M=200 n={n}" for n in windows},
    }
    return {
        axis: {name: {value: ("SEA", f"{name} {setting}") for value, setting in settings.items()}
               for name in stumps(1, 1)}
        for axis, settings in axes.items() if settings
    }  # fmt: skip


def _middle() -> tuple[Claim, ...]:
    """Return what is said of M = n = 200."""
    names = {name: f"{name} M=200 n=200" for name in stumps(1, 1)}
    rivals = [names[name] for name in ("AdaBoost", "OCB", "FLB")]
    return (
        *full_only(
            *ours(
                "band",
                at_least("SEA", names[STOCHASTIC], 97.0),
                at_least("SEA", names[STOCHASTIC], 93.0, "recovery"),
                at_least("SEA", names[BATCH], 97.6),
                ahead("SEA", names[BATCH], {names[STOCHASTIC]: 0.2}),
                between("SEA", names["AdaBoost"], 94.4, 95.5),
                ahead("SEA", names[STOCHASTIC], {names["AdaBoost"]: 1.5}),
            )
        ),
        *stated(
            "Section 3.3",
            "Both IBoost versions achieved much higher classification accuracy than AdaBoost",
            ahead("SEA", names[STOCHASTIC], rivals),
            ahead("SEA", names[BATCH], rivals),
        ),
    )


def _with_window(settings: list[str]) -> tuple[Claim, ...]:
    """Return what is said of the trend with n."""
    moved = (STOCHASTIC, BATCH, "AdaBoost")
    return full_only(
        *stated(
            "Section 3.3",
            "as the window size n grew, the performance of both IBoost and retrained AdaBoost "
            "improved",
            *(course(f"accuracy of {name} rises with n", "SEA", [f"{name} {s}" for s in settings],
                     0, trend=True) for name in moved),
            cause="parameter unstated",
            settle="the learning rate of IBoost, and how many updates a large window gets",
        ),
        *stated(
            "Section 3.3",
            "improved at cost of increased training time and slower concept change recovery",
            *(course(f"recovery of {name} falls with n, by 3 points", "SEA",
                     [f"{name} {s}" for s in settings], -3, "recovery", trend=True)
              for name in moved),
        ),
        *ours(
            "comparison",
            course("accuracy of FLB falls with n", "SEA", [f"FLB {s}" for s in settings], -1,
                   trend=True),
        ),
    )  # fmt: skip


def figure_2(n_rows: int = 50_000) -> Experiment:
    """Return Figure 2: what Table 2 has for M = n = 200, along the stream."""
    whole = table_2((200,), (), n_rows, item="figure 2")
    first, *others = (f"{name} M=200 n=200" for name in stumps(1, 1))
    names = {f"{name} M=200 n=200": name for name in stumps(1, 1)}
    return replace(
        whole,
        title="stumps on SEA without noise, M = n = 200: accuracy along the stream",
        claims=(
            *ours("duplicate", *whole.claims),
            *full_only(
                *stated(
                    "Section 3.3",
                    "Fastest recovery for all three concept changes was achieved by IBoost "
                    "Stochastic",
                    after_each("SEA", first, others),
                    cause="parameter unstated",
                    settle="the learning rate of IBoost, and the rows over which the paper's "
                    "recovery is a mean",
                )
            ),
        ),
        figures={"figure 2": partial(courses, names=names)},
        alternatives={
            **whole.alternatives,
            "IBoost by the equations as printed": others_of_iboost(convention="literal"),
            "IBoost and AdaBoost train stumps on rows drawn by the weights": others_of_iboost(
                {"AdaBoost M=200 n=200": WindowedAdaBoostClassifier(resample=True)}, resample=True
            ),
            "IBoost with the unit step of Equations 13 and 14": others_of_iboost(
                rule="printed", step=1.0, margin_clip=None
            ),
        },
    )


def others_of_iboost(further: Mapping[str, Any] | None = None, **options: Any) -> Alternative:
    """Return both forms of IBoost, M = n = 200, with other options."""
    return Alternative(
        learners={
            f"{STOCHASTIC} M=200 n=200": IBoostClassifier.as_published(**options),
            f"{BATCH} M=200 n=200": IBoostClassifier.as_published(update="batch", **options),
            **(further or {}),
        }
    )


TABLE_2 = table_2().with_quick(
    "6,000 of 50,000 rows; M up to 200, n up to 500",
    of=table_2(MEMBERS[:4], WINDOWS[:3], n_rows=6_000),
)
FIGURE_2 = figure_2().with_quick("6,000 of 50,000 rows", of=figure_2(6_000))
