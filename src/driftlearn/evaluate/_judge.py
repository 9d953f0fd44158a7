"""From labels, predictions and probabilities to what is recorded of them.

This is all that metrics know of protocols: whoever tests a learner hands over a `Tested`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from driftlearn.evaluate._probability_metrics import BINS, Said
from driftlearn.utils.typing import Floats, Ints, Labels


class Tested(NamedTuple):
    """Rows that a learner was tested on.

    Attributes
    ----------
    y, predicted : ndarray of shape (n,)
        True labels, and what the learner said.
    proba : ndarray of shape (n, K), or None
        Its probabilities, where it has any and they were asked for.
    classes : ndarray of shape (K,), or None
        The labels of their columns.
    """

    y: Labels
    predicted: Labels
    proba: Floats | None = None
    classes: Labels | None = None


class Judged(NamedTuple):
    """What is recorded of the tests of one round; see `Step`."""

    confusion: Ints
    log_loss: float = np.nan
    brier: float = np.nan
    auc: float = np.nan
    calibration: Floats = np.zeros((3, BINS))


def together(tests: Sequence[Tested]) -> Tested:
    """Return the tests of a round as one; probabilities are dropped unless all have them."""
    if len(tests) == 1:
        return tests[0]
    y, predicted = (np.concatenate([test[k] for test in tests]) for k in (0, 1))
    said = [(t.proba, t.classes) for t in tests if t.proba is not None and t.classes is not None]
    if len(said) < len(tests):
        return Tested(y, predicted)
    first = said[0][1]
    if all(classes is first for _, classes in said):
        return Tested(y, predicted, np.concatenate([proba for proba, _ in said]), first)
    labels = np.unique(np.concatenate([classes for _, classes in said]))
    proba, done = np.zeros((len(y), len(labels))), 0
    for part, classes in said:
        proba[done : done + len(part), np.searchsorted(labels, classes)] = part
        done += len(part)
    return Tested(y, predicted, proba, labels)


def judge(test: Tested, classes: Labels) -> Judged:
    """Return what is recorded of a test; `classes`, sorted, has all its labels."""
    k = len(classes)
    code = np.searchsorted(classes, test.y) * k + np.searchsorted(classes, test.predicted)
    counts = np.bincount(code, minlength=k * k).reshape(k, k)
    if test.proba is None or test.classes is None:
        return Judged(counts)
    said = Said(test.y, test.proba, test.classes)
    return Judged(counts, said.log_loss(), said.brier_score(), said.auc(), said.calibration())
