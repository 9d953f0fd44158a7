"""Figures 5 and 6: a million rows, tested before they are learned from."""

from functools import partial
from typing import Any

from driftlearn.bench.papers.claim import full_only, ours, stated
from driftlearn.bench.papers.drawing.accuracy_along_streams import courses
from driftlearn.bench.papers.experiment import Experiment
from driftlearn.bench.papers.s3.claims import after, ahead, alike, at_least, chain, from_row
from driftlearn.bench.papers.s3.streams_and_learners import LOGISTIC, NB, rivals
from driftlearn.ensemble.boosting.iboost import IBoostClassifier
from driftlearn.ensemble.boosting.windowed_adaboost import WindowedAdaBoostClassifier
from driftlearn.ensemble.weighted.dwm import DWMClassifier
from driftlearn.evaluate._protocols import prequential
from driftlearn.streams._moving import RBF
from driftlearn.streams._switching import LED

NAIVE, STUMPS = "IBoost naive Bayes", "IBoost stumps"
OFTEN = NAIVE + " p=1 b=5"
SHORT, WINDOW = "DWM p=50", "naive Bayes on the window"


def twenty(base: Any, **options: Any) -> IBoostClassifier:
    """Return IBoost as in Figures 5 and 6: M = 20, n = 200, p = 10, b = 1."""
    return IBoostClassifier.as_published(base, 20, period=10, n_updates=1, **options)


FIGURE_LEARNERS: dict[str, Any] = {
    NAIVE: twenty(NB, weight_clip=2.0),
    NAIVE + LOGISTIC: twenty(NB, weight_clip=2.0, loss="logistic"),
    OFTEN: IBoostClassifier.as_published(NB, 20, weight_clip=2.0),
    STUMPS: twenty(None),
    STUMPS + LOGISTIC: twenty(None, loss="logistic"),
    **{name: rival for name, rival in rivals(M=20, period=500).items() if name != "FLB"},
    SHORT: DWMClassifier.as_published(NB, 20, period=50, variant="windowed", window_size=200),
    WINDOW: WindowedAdaBoostClassifier(NB, 1),
}
PRINTED = ("OnlineBoost", "FLC", "AdWinBagg", "OCB", "DWM")
TEST_THEN_TRAIN: dict[str, Any] = {
    "paper": "S3",
    "learners": FIGURE_LEARNERS,
    "protocol": prequential,
    "options": {"chunk_size": 20, "every": 1_000, "log_loss": False},
}
NOT_OF_THE_PAPER = {
    NAIVE + LOGISTIC: "the logistic loss is not the paper's method",
    STUMPS + LOGISTIC: "the logistic loss is not the paper's method",
    OFTEN: "the paper has p = 10, b = 1 here, and this in Table 4",
    SHORT: "the paper has p = 500",
    WINDOW: "a control: one naive Bayes, trained anew on the window wherever it errs",
}


def panels(stream: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the panels of a figure: what the paper draws, and what we add."""
    drawn = (NAIVE, *PRINTED)
    ours = tuple(name for name in FIGURE_LEARNERS if name not in PRINTED)
    return {
        f"{stream}: the paper's learners": (stream, drawn),
        f"{stream}: other forms of IBoost, and controls": (stream, ours),
    }


LED_DRIFT = {
    "cause": "parameter unstated",
    "settle": "when the four attributes drift, and which members ADWIN bagging replaces",
}


def figure_5(n_rows: int = 1_000_000) -> Experiment:
    """Return Figure 5: LED, four columns swapped in the middle."""
    return Experiment(
        item="figure 5",
        title=f"LED, {n_rows:,} rows, test then train; M = 20, n = 200",
        streams={"LED": partial(_led, n_rows)},
        claims=full_only(
            *stated(
                "Section 3.3",
                "IBoost Stochastic was the most accurate algorithm (except in the first 80K "
                "examples)",
                from_row("LED", NAIVE, PRINTED, n_rows * 8 // 100),
                cause="parameter unstated",
                settle="which base learner and which step keep the exponential loss from the rows "
                "whose segments are wrong",
            ),
            *ours(
                "variant",
                from_row("LED", STUMPS, PRINTED, n_rows * 8 // 100),
                at_least("LED", STUMPS + LOGISTIC, 79.0),
                ahead("LED", STUMPS + LOGISTIC, {"OnlineBoost": 1, "DWM": 1, "AdWinBagg": 1}),
                at_least("LED", NAIVE + LOGISTIC, 77.5),
                after("LED", STUMPS + LOGISTIC, 3),
            ),
            *stated(
                "Section 3.3",
                "AdWin Online Bagging outperformed OnlineBoost, FLC and DWM",
                ahead("LED", "AdWinBagg", ("OnlineBoost", "FLC", "DWM")),
                **LED_DRIFT,
            ),
            *stated(
                "Section 3.3",
                "and was very similar to OCB",
                alike("LED", "AdWinBagg", "OCB", 2),
                **LED_DRIFT,
            ),
        ),
        notes={
            "LED": "tested 20 rows at a time; the paper does not say when the columns are "
            "swapped: in the middle",
            NAIVE: "one segment in ten is wrong, and the exponential loss gives such rows the "
            "weight: it is not first",
            "DWM": "half a point behind the best form of IBoost, and ahead of its other forms",
            **NOT_OF_THE_PAPER,
        },
        figures={"figure 5": partial(courses, panels=panels("LED"))},
        **TEST_THEN_TRAIN,
    )


def _led(n_rows: int, seed: int) -> LED:
    return LED(n_rows, (n_rows // 2,), random_state=seed)


def figure_6(n_rows: int = 1_000_000) -> Experiment:
    """Return Figure 6: RBF, ten centres of two classes that move all the time."""
    return Experiment(
        item="figure 6",
        title=f"RBF, {n_rows:,} rows, test then train; M = 20, n = 200",
        streams={"RBF": partial(_rbf, n_rows)},
        claims=(
            *stated(
                "Section 3.3",
                "IBoost Stochastic was the most accurate model, by a large margin",
                ahead("RBF", NAIVE, PRINTED),
                ahead("RBF", NAIVE, {"AdWinBagg": 2, "DWM": 3}),
            ),
            *full_only(
                *stated(
                    "Section 3.3",
                    "AdWin Online Bagging was reasonably accurate, and it was the second "
                    "performing overall",
                    ahead("RBF", "AdWinBagg", [name for name in PRINTED if name != "AdWinBagg"]),
                ),
                *ours(
                    "comparison",
                    ahead("RBF", NAIVE, ("NSOBoost", SHORT, WINDOW)),
                    ahead("RBF", OFTEN, ("NSOBoost", SHORT, WINDOW)),
                ),
                *stated(
                    "Section 3.3",
                    "It was the second fastest, after DWM",
                    chain("DWM learns fastest, then IBoost", "RBF",
                          [("DWM", NAIVE, name) for name in PRINTED if name != "DWM"], "rows/s"),
                    cause="compiled here",
                    settle="the authors' programs: ours of OCB is compiled and adds no members",
                ),
            ),
        ),
        notes={
            "RBF": "tested 20 rows at a time, in which a centre moves by 0.02",
            NAIVE: "DWM with p = 50 and a naive Bayes on the window, which the paper does not "
            "compare with, are as good",
            "NSOBoost": "of this the paper says nothing here; with p = 10 it is ahead of IBoost",
            **NOT_OF_THE_PAPER,
        },
        figures={"figure 6": partial(courses, panels=panels("RBF"))},
        **TEST_THEN_TRAIN,
    )  # fmt: skip


def _rbf(n_rows: int, seed: int) -> RBF:
    return RBF(n_rows, random_state=seed)


QUICK = {"chunk_size": 20, "every": 200, "log_loss": False}
FIGURE_5 = figure_5().with_quick("10,000 of 1,000,000 rows", of=figure_5(10_000), options=QUICK)
FIGURE_6 = figure_6().with_quick("10,000 of 1,000,000 rows", of=figure_6(10_000), options=QUICK)
