"""The baselines beside the learners, and who does not beat them."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.dummy.majority import MajorityClassifier
from driftlearn.dummy.no_change import NoChangeClassifier
from driftlearn.evaluate._arithmetic import ratio

BASELINES: dict[str, type[Any]] = {"no-change": NoChangeClassifier, "majority": MajorityClassifier}


def with_baselines(learners: dict[str, Any]) -> dict[str, Any]:
    """Return learners and the baselines that are not among them yet."""
    there = {type(learner) for learner in learners.values()}
    more = {
        name: kind()
        for name, kind in BASELINES.items()
        if kind not in there and name not in learners
    }
    return {**learners, **more}


def not_beating(result: Any, stream: str | None = None) -> list[str]:
    """Say which learners do not beat a baseline of the result, or the label of the row before.

    Parameters
    ----------
    result : Result or RepeatedResult
        What was evaluated. Repeating the label of the row before, row by row, is known of every
        result whose tests were rows of the stream, with baselines or without.
    stream : str, optional
        What the stream is called; by default as in the result.

    Returns
    -------
    list of str
        A sentence for each baseline that somebody does not beat, with the accuracies.

    Examples
    --------
    >>> from driftlearn import GaussianNBClassifier
    >>> from driftlearn.evaluate import prequential
    >>> from driftlearn.streams import from_arrays
    >>> days = from_arrays(np.arange(60.0)[:, None] % 7, np.arange(60) // 20)
    >>> result = prequential({"bayes": GaussianNBClassifier()}, days, chunk_size=1)
    >>> not_beating(result, "days")[0]
    'On the stream days, bayes (0.322) does not beat the label of the row before (0.966).'
    """
    kinds = {kind.__name__ for kind in BASELINES.values()}
    trivial = [name for name in result.names if result.params[name].get("class") in kinds]
    others = [name for name in result.names if name not in trivial]
    means = {name: result.summary(name)["accuracy"] for name in result.names}
    said = []
    for baseline in trivial:
        losers = {name: means[name] for name in others if means[name] <= means[baseline]}
        said += _sentence(stream or result.stream, losers, baseline, means[baseline])
    losers, before = {}, np.nan
    for name in others:
        accuracy, gain = (result.total(name, key) for key in ("accuracy", "kappa_temporal"))
        repeated = float(np.mean(ratio(accuracy - gain, 1 - gain)))
        if np.mean(accuracy) <= repeated:
            losers[name], before = float(np.mean(accuracy)), repeated
    if not any(np.isclose(np.mean(result.total(name)), before, atol=1e-3) for name in trivial):
        said += _sentence(stream or result.stream, losers, "the label of the row before", before)
    return said


def _sentence(stream: str, losers: dict[str, float], baseline: str, accuracy: float) -> list[str]:
    if not losers:
        return []
    *first, last = (f"{name} ({value:.3f})" for name, value in losers.items())
    who = f"{', '.join(first)} and {last} do" if first else f"{last} does"
    return [f"On the stream {stream}, {who} not beat {baseline} ({accuracy:.3f})."]
