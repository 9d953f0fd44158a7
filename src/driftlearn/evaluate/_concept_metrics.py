"""Metrics of streams with known concepts: recovery, forgetting, transfer."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from driftlearn.evaluate._arithmetic import mean, ratio
from driftlearn.utils.arguments import Floats

#: Default number of rows after a drift, as in the tables of the IBoost paper.
RECOVERY_ROWS = 600


def recovery(
    values: Any,
    start: Any,
    stop: Any,
    drifts: Sequence[int],
    window: int = RECOVERY_ROWS,
    only: Collection[int] | None = None,
) -> float:
    """Return the mean of a score over the first rows after each known drift.

    Parameters
    ----------
    values, start, stop : array-like of shape (n_tests,)
        A score and the rows of the stream it covers, ``start`` to ``stop - 1``. A test that
        overlaps the window counts with the rows inside.
    drifts : sequence of int
        First row of each concept. Row 0 is not a drift.
    window : int
        Number of rows after a drift, at most up to the next drift.
    only : collection of int, optional
        Drifts to include; the default is all.

    Returns
    -------
    float
        The mean over the drifts of the mean over their windows; nan without a drift.

    Examples
    --------
    >>> recovery([0.9, 0.5, 0.7, 0.9], [0, 100, 200, 300], [100, 200, 300, 400], [100], window=200)
    0.6
    """
    values = np.asarray(values, dtype=float)
    start, stop = np.asarray(start), np.asarray(stop)
    known = ~np.isnan(values)
    changes = sorted({int(drift) for drift in drifts if drift > 0})
    means = []
    for drift, following in zip(changes, [*changes[1:], np.inf]):
        if only is not None and drift not in only:
            continue
        end = min(drift + window, following)
        share = np.clip(np.minimum(stop, end) - np.maximum(start, drift), 0, None)
        means.append(ratio((share * np.where(known, values, 0.0)).sum(), (share * known).sum()))
    return float(mean(means)) if means else float("nan")


def kinds_of_drifts(
    concepts: Sequence[Any], stop: Any, drifts: Sequence[int]
) -> dict[str, list[int]]:
    """Return the drifts to new concepts and the drifts to recurring ones.

    A drift leads to the concept in force at the end of the last chunk before the next drift, when a
    gradual drift is complete.

    Parameters
    ----------
    concepts, stop : sequence of length n_chunks
        Concept in force at the end of each chunk, and the row after it.
    drifts : sequence of int
        First row of each concept.

    Examples
    --------
    >>> kinds_of_drifts([8, 9, 8], [100, 200, 300], [100, 200])
    {'new': [100], 'returned': [200]}
    """
    found: dict[str, list[int]] = {"new": [], "returned": []}
    stop = np.asarray(stop)
    begins = [0, *sorted({int(drift) for drift in drifts if drift > 0})]
    seen = []
    for begin, end in zip(begins, [*begins[1:], np.inf]):
        inside = np.flatnonzero((stop > begin) & (stop <= end))
        if not len(concepts) or not len(inside):
            continue
        concept = concepts[inside[-1]]
        if begin:
            found["returned" if concept in seen else "new"].append(begin)
        seen.append(concept)
    return found


def transfer(matrix: Any, in_force: Sequence[Any], chance: float = 0.0) -> dict[str, float]:
    """Return anytime accuracy, forgetting and transfer from an accuracy matrix.

    Parameters
    ----------
    matrix : array-like of shape (n_periods, n_concepts)
        ``R[i, j]``: the accuracy on concept j of a learner trained up to the end of period i.
        A period lies between two drifts; concepts are in order of appearance.
    in_force : sequence of length n_periods
        Concept of each period. A recurring concept has several periods.
    chance : float
        Accuracy of random guessing, the reference of forward transfer.

    Returns
    -------
    dict of str to float
        `anytime_accuracy`: mean over the periods of the mean over the concepts seen so far.
        `forgetting`: mean, over all concepts but the last in force, of the best accuracy between
        the concept's first period and the last period, minus that at the end.
        `backward_transfer`: the same mean of the accuracy at the end minus that after the
        concept's first period. `forward_transfer`: mean, over all concepts but the first, of the
        accuracy in the period before the concept first appeared, minus `chance`.

    Examples
    --------
    >>> transfer([[0.9, 0.5], [0.7, 0.8]], ["a", "b"], chance=0.5)["forgetting"]
    0.2
    """
    R: Floats = np.asarray(matrix, dtype=float)
    concepts = list(dict.fromkeys(in_force))
    if R.shape != (len(in_force), len(concepts)):
        raise ValueError(
            f"matrix must have shape {(len(in_force), len(concepts))}, for {len(in_force)} periods "
            f"and {len(concepts)} concepts. Got {R.shape} instead."
        )
    first = [list(in_force).index(concept) for concept in concepts]
    met = np.array([[i >= begun for begun in first] for i in range(len(R))])
    old = [(j, first[j]) for j, concept in enumerate(concepts) if concept != in_force[-1]]
    ahead = [R[first[j] - 1, j] - chance for j in range(len(concepts)) if first[j]]
    means = {
        "anytime_accuracy": mean(np.where(met, R, np.nan)),
        "forgetting": [R[begun:-1, j].max() - R[-1, j] for j, begun in old],
        "backward_transfer": [R[-1, j] - R[begun, j] for j, begun in old],
        "forward_transfer": ahead,
    }
    return {name: round(float(mean(values)), 12) for name, values in means.items()}
