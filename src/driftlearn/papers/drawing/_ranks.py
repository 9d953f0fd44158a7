"""Mean ranks over streams."""

from __future__ import annotations

from typing import Any

from driftlearn.evaluate import average_ranks
from driftlearn.papers._outcome import Outcome
from driftlearn.report import critical_difference


def ranks(outcome: Outcome) -> Any:
    """Draw our mean ranks as a critical-difference diagram; nothing if there is one learner.

    Returns
    -------
    matplotlib.figure.Figure or None
    """
    names = next(iter(outcome.results.values())).names
    if len(names) < 2:
        return None
    found = average_ranks({name: outcome.accuracies(name) for name in names})
    return critical_difference(found, len(outcome.results))
