"""SEA, the seven rivals of IBoost, and the printed numbers."""

from typing import Any

from driftlearn import GaussianNBClassifier
from driftlearn.bench.papers.paper import published
from driftlearn.ensemble.bagging.adwin_bagging import ADWINBaggingClassifier
from driftlearn.ensemble.boosting.flb import FLBClassifier
from driftlearn.ensemble.boosting.flc import FLCClassifier
from driftlearn.ensemble.boosting.nsonline_boost import NSOnlineBoostClassifier
from driftlearn.ensemble.boosting.ocb import OCBClassifier
from driftlearn.ensemble.boosting.online_boost import OnlineBoostClassifier
from driftlearn.ensemble.weighted.dwm import DWMClassifier
from driftlearn.streams._piecewise import SEA

NB = GaussianNBClassifier(constant="density")
STOCHASTIC, BATCH, LOGISTIC = "IBoost Stochastic", "IBoost Batch", " logistic"
EVERY_50: dict[str, Any] = {"every": 50, "fixed": True, "log_loss": False}


def sea(seed: int, n_rows: int = 50_000, noise: float = 0.0) -> SEA:
    """Return SEA in four concepts with 2,500 test rows each; test rows are without noise."""
    return SEA(n_rows=n_rows, noise=noise, labels=(1, -1), chunk_size=2_500, random_state=seed)


def rivals(M: int, period: int, base: Any = NB) -> dict[str, Any]:
    """Return the seven rivals of IBoost with M members; `period` is that of DWM."""
    return {
        "OnlineBoost": OnlineBoostClassifier.as_published(base, M),
        "NSOBoost": NSOnlineBoostClassifier.as_published(
            base, M, window_size=200, period=10, maturity=100
        ),
        "FLC": FLCClassifier.as_published(base, M, replace_worst_on_change=True),
        "AdWinBagg": ADWINBaggingClassifier.as_published(base, M),
        "OCB": OCBClassifier.as_published(base, M, init_size=2_000, order=5),
        "DWM": DWMClassifier.as_published(
            base, M, period=period, variant="windowed", window_size=200
        ),
        "FLB": FLBClassifier(base, M, block_size=200, n_per_block=1),
    }


def printed(table: str, figure: str) -> dict[str, dict[str, float]]:
    """Return the numbers of a column of Table 2 or 3 by the names of our learners."""
    content = published()["S3"]["tables"][table]
    return {
        "SEA": {
            f"{learner} {_setting(column)}": value
            for learner, row in content["rows"].items()
            for column, value in zip(content["columns"], row[figure])
        }
    }


def _setting(column: str) -> str:
    """Return the name of a column of the printed tables here.

    Examples
    --------
    >>> _setting("M200_n1000"), _setting("n200_M20"), _setting("b1_p50")
    ('M=200 n=1000', 'M=20 n=200', 'p=50 b=1')
    """
    first, second = sorted(column.split("_"), key=lambda part: "Mnpb".index(part[0]))
    return f"{first[0]}={first[1:]} {second[0]}={second[1:]}"
