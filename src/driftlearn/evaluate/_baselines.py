"""Baselines of an evaluation, and learners that do not beat them."""

from typing import Any

import numpy as np

from driftlearn.dummy.baselines import MajorityClassifier, NoChangeClassifier
from driftlearn.evaluate._arithmetic import ratio

BASELINES: dict[str, type[Any]] = {"no-change": NoChangeClassifier, "majority": MajorityClassifier}


def with_baselines(learners: dict[str, Any]) -> dict[str, Any]:
    """Return the learners and the baselines that are not among them."""
    there = {type(learner) for learner in learners.values()}
    more = {
        name: kind()
        for name, kind in BASELINES.items()
        if kind not in there and name not in learners
    }
    return {**learners, **more}


def not_beating(result: Any, stream: str | None = None) -> list[str]:
    """Return sentences on learners that do not beat a baseline or the label of the row before.

    Parameters
    ----------
    result : Result or RepeatedResult
        The evaluation. The accuracy of repeating the label of the row before is known for every
        result whose test rows are rows of the stream, with or without baselines.
    stream : str, optional
        Name of the stream; the default is that of the result.

    Returns
    -------
    list of str
        A sentence, with accuracies, for each baseline that is not beaten by some learner.

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
    sentences = []
    for baseline in trivial:
        losers = {name: means[name] for name in others if means[name] <= means[baseline]}
        sentences += _sentence(stream or result.stream, losers, baseline, means[baseline])
    losers, before = {}, np.nan
    for name in others:
        accuracy, gain = (result.total(name, key) for key in ("accuracy", "kappa_temporal"))
        repeated = float(np.mean(ratio(accuracy - gain, 1 - gain)))
        if np.mean(accuracy) <= repeated:
            losers[name], before = float(np.mean(accuracy)), repeated
    if not any(np.isclose(np.mean(result.total(name)), before, atol=1e-3) for name in trivial):
        sentences += _sentence(
            stream or result.stream, losers, "the label of the row before", before
        )
    return sentences


def _sentence(stream: str, losers: dict[str, float], baseline: str, accuracy: float) -> list[str]:
    if not losers:
        return []
    *first, last = (f"{name} ({value:.3f})" for name, value in losers.items())
    subject = f"{', '.join(first)} and {last} do" if first else f"{last} does"
    return [f"On the stream {stream}, {subject} not beat {baseline} ({accuracy:.3f})."]
