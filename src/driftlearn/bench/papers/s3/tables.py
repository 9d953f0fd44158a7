"""Tables 2 to 4 and Figures 2 to 4: IBoost and other learners on SEA and the laser series."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import driftlearn as dl
from driftlearn.bench.papers.drawing import courses, dots, sweeps
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.paper import published, published_rows
from driftlearn.bench.papers.s3.claims import BATCH, STOCHASTIC
from driftlearn.bench.papers.s3.iboost_variants import IBoostVariant
from driftlearn.streams import SEA, Laser

MEMBERS = (20, 50, 100, 200, 500)
WINDOWS = (100, 200, 500, 1000, 2000)
UPDATES = {STOCHASTIC: "stochastic", BATCH: "batch"}
NB = dl.GaussianNBClassifier(constant="density")
EVERY_50: dict[str, Any] = {"every": 50, "fixed": True, "log_loss": False}
table = partial(Experiment.of_paper, "S3", options=EVERY_50)
sweep = partial(sweeps, metrics=("accuracy", "recovery"))


def sea(seed: int, n_rows: int = 50_000, noise: float = 0.0) -> SEA:
    """Return SEA with four concepts and 2,500 noise-free test rows per concept."""
    return SEA(n_rows=n_rows, noise=noise, labels=(1, -1), chunk_size=2_500, random_state=seed)


def rivals(M: int, period: int, base: Any = NB) -> dict[str, Any]:
    """Return the seven learners compared with IBoost, with M members; `period` is for DWM."""
    return {
        "OnlineBoost": dl.OnlineBoostClassifier.as_published(base, M),
        "NSOBoost": dl.NSOnlineBoostClassifier.as_published(
            base, M, window_size=200, period=10, maturity=100
        ),
        "FLC": dl.FLCClassifier.as_published(base, M, replace_worst_on_change=True),
        "AdWinBagg": dl.ADWINBaggingClassifier.as_published(base, M),
        "OCB": dl.OCBClassifier.as_published(base, M, init_size=2_000, order=5),
        "DWM": dl.DWMClassifier.as_published(
            base, M, period=period, variant="windowed", window_size=200
        ),
        "FLB": dl.FLBClassifier(base, M, block_size=200, n_per_block=1),
    }


def printed(table: str, figure: str) -> dict[str, dict[str, float]]:
    """Return the numbers in a column of Table 2 or 3 by learner name."""
    content = published()["S3"]["tables"][table]
    return {
        "SEA": {
            f"{learner} {_setting(column)}": value
            for learner, row in content["rows"].items()
            for column, value in zip(content["columns"], row[figure])
        }
    }


def _setting(column: str) -> str:
    """Return our name for a column of the published tables.

    Examples
    --------
    >>> _setting("M200_n1000"), _setting("n200_M20"), _setting("b1_p50")
    ('M=200 n=1000', 'M=20 n=200', 'p=50 b=1')
    """
    first, second = sorted(column.split("_"), key=lambda part: "Mnpb".index(part[0]))
    return f"{first[0]}={first[1:]} {second[0]}={second[1:]}"


def stumps(M: int, n: int) -> dict[str, Any]:
    """Return the five learners of Table 2, with M stumps and a window of n rows."""
    return {
        **{
            name: dl.IBoostClassifier.as_published(n_estimators=M, window_size=n, update=update)
            for name, update in UPDATES.items()
        },
        "AdaBoost": dl.WindowedAdaBoostClassifier(n_estimators=M, window_size=n),
        "OCB": dl.OCBClassifier.as_published(n_estimators=M, init_size=n, order=1),
        "FLB": dl.FLBClassifier(n_estimators=M, block_size=n, stump_proba="distance"),
    }


FIVE = tuple(stumps(1, 1))


def lines(
    names: Iterable[str], settings: Mapping[float, str]
) -> dict[str, dict[float, tuple[str, str]]]:
    """Return the lines of a panel: one per learner, over the values of a parameter."""
    return {
        name: {value: ("SEA", f"{name} {setting}") for value, setting in settings.items()}
        for name in names
    }


def as_printed(number: str) -> dict[str, Any]:
    """Return the published numbers of Table 2 or 3."""
    return {
        "numbers": printed(number, "test_accuracy"),
        "further": {"recovery": printed(number, "recovery"), "seconds": printed(number, "time_s")},
    }


def table_2(
    members: Sequence[int] = MEMBERS,
    windows: Sequence[int] = WINDOWS,
    n_rows: int = 50_000,
    item: str = "table 2",
    alternatives: Mapping[str, Mapping[str, Any]] | None = None,
    **fields: Any,
) -> Experiment:
    """Return Table 2, or its part with these M (at n = 200) and these n (at M = 200).

    Alternatives are given as learners by description.
    """
    cells = sorted({(M, 200) for M in members} | {(200, n) for n in windows})
    axes: dict[str, dict[float, str]] = {
        "members M, with n = 200": {M: f"M={M} n=200" for M in members},
        "window n, with M = 200": {n: f"M=200 n={n}" for n in windows},
    }
    panels = {axis: lines(FIVE, settings) for axis, settings in axes.items() if settings}
    others = {
        "FLB by class ratios, without a detector": {
            f"FLB M={M} n={n}": dl.FLBClassifier(n_estimators=M, block_size=n, change_level=None)
            for M, n in cells
        },
        **(alternatives or {}),
    }
    return table(
        item,
        streams={"SEA": partial(sea, n_rows=n_rows)},
        learners={
            f"{name} M={M} n={n}": learner
            for M, n in cells
            for name, learner in stumps(M, n).items()
        },
        alternatives=others,
        **{"figures": {item: partial(sweep, panels=panels)}, **as_printed("2"), **fields},
    )


def variants(**options: Any) -> dict[str, Any]:
    """Return a variant of both forms of IBoost with M = n = 200."""
    return {
        f"{name} M=200 n=200": IBoostVariant.as_published(update=update, **options)
        for name, update in UPDATES.items()
    }


def figure_2(n_rows: int = 50_000) -> Experiment:
    """Return Figure 2: the learners of Table 2 with M = n = 200, along the stream."""
    return table_2(
        (200,),
        (),
        n_rows,
        item="figure 2",
        figures={"figure 2": partial(courses, names={f"{n} M=200 n=200": n for n in FIVE})},
        alternatives={
            "IBoost by the equations as printed": variants(convention="literal"),
            "IBoost and AdaBoost train stumps on rows drawn by the weights": {
                **variants(resample=True),
                "AdaBoost M=200 n=200": dl.WindowedAdaBoostClassifier(resample=True),
            },
            "IBoost with the unit step of Equations 13 and 14": variants(
                rule="printed", step=1.0, margin_clip=500
            ),
        },
    )


TABLE_2 = table_2().with_quick(
    "6,000 of 50,000 rows; M up to 200, n up to 500",
    of=table_2(MEMBERS[:4], WINDOWS[:3], n_rows=6_000),
)
FIGURE_2 = figure_2().with_quick("6,000 of 50,000 rows", of=figure_2(6_000))


def table_3(
    updates: Sequence[int] = (1, 5, 10),
    periods: Sequence[int] = (10, 50, 100),
    n_rows: int = 50_000,
) -> Experiment:
    """Return Table 3, or its part with these b (at p = 1) and these p (at b = 1)."""
    cells = [(1, b) for b in updates] + [(p, 1) for p in periods]
    panels = {
        "updates a row b, with p = 1": lines(UPDATES, {b: f"p=1 b={b}" for b in updates}),
        "period of additions p, with b = 1": lines(
            UPDATES, {p: f"p={p} b=1" for p in (1, *periods)}
        ),
    }
    return table(
        "table 3",
        streams={"SEA": partial(sea, n_rows=n_rows)},
        learners={
            f"{name} p={p} b={b}": dl.IBoostClassifier.as_published(
                period=p, n_updates=b, update=kind
            )
            for name, kind in UPDATES.items()
            for p, b in cells
        },
        figures={"table 3": partial(sweep, panels=panels)},
        **as_printed("3"),
    )


TABLE_3 = table_3().with_quick("6,000 of 50,000 rows", of=table_3(n_rows=6_000))


BOTH = {"SEA": sea, "Santa Fe": lambda seed: Laser(random_state=seed)}
SHORT_SEA = partial(sea, n_rows=6_000)
NUMBERS = published_rows("S3", "4")
ADWIN_FIRED = dl.ADWINBaggingClassifier.as_published(NB, 50, replace="fired")
OTHERS: dict[str, dict[str, Any]] = {
    "FLC without replacement": {"FLC": dl.FLCClassifier.as_published(NB, 50)},
    "IBoost without a cut": {STOCHASTIC: dl.IBoostClassifier.as_published(NB, 50)},
    "AdWinBagg replaces all that fired": {"AdWinBagg": ADWIN_FIRED},
}
LEARNERS = {
    STOCHASTIC: dl.IBoostClassifier.as_published(NB, 50, weight_clip=2.0),
    **rivals(M=50, period=50),
}


def eight(item: str, drawn: Any, *streams: str) -> Experiment:
    """Return an experiment with IBoost and seven other learners on some of the streams."""
    return table(
        item,
        streams={stream: BOTH[stream] for stream in streams},
        learners=LEARNERS,
        numbers={stream: NUMBERS[stream] for stream in streams},
        further={"recovery": {}},
        figures={item: drawn},
        alternatives=OTHERS,
    )


TABLE_4 = eight("table 4", partial(dots, by="stream"), *BOTH).with_quick(
    "6,000 of 50,000 rows of SEA", streams={**BOTH, "SEA": SHORT_SEA}
)
FIGURE_3 = eight("figure 3", courses, "SEA")
FIGURE_4 = eight("figure 4", courses, "Santa Fe")
FIGURE_3 = FIGURE_3.with_quick("6,000 of 50,000 rows", streams={"SEA": SHORT_SEA})
