"""Mean ranks over streams, as a critical-difference diagram."""

from __future__ import annotations

from typing import Any

from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.report._critical_difference import critical_difference


def ranks(outcome: Outcome) -> Any:
    """Draw our mean ranks as a critical-difference diagram; nothing if there is one learner.

    Returns
    -------
    matplotlib.figure.Figure or None
    """
    if len(next(iter(outcome.results.values())).names) < 2:
        return None
    return critical_difference(outcome.mean_ranks(), len(outcome.results))
