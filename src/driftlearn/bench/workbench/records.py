"""Many records as few arrays, for checkpoints."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn.evaluate import _gather
from driftlearn.evaluate._gather import NUMBERS
from driftlearn.evaluate._run import Step

COUNTS = ("chunk", *_gather.COUNTS)


def pack(steps: Sequence[Step]) -> dict[str, Any]:
    """Return the records of one learner as arrays; class lists that stay the same once.

    Examples
    --------
    >>> step = Step("a", 0, 0, 9, np.array([1, 2]), np.eye(2, dtype=int), 0.5, 9, 0.1, 0.1, 3, 0)
    >>> unpack("a", pack([step]))[0].confusion.tolist()
    [[1, 0], [0, 1]]
    """
    classes: list[np.ndarray] = []
    since = []
    for k, step in enumerate(steps):
        if not classes or not np.array_equal(step.classes, classes[-1]):
            classes.append(step.classes)
            since.append(k)
    return {
        "classes": classes,
        "since": since,
        "calibration": np.array([s.calibration for s in steps]),
        "confusion": np.concatenate([np.zeros(0, int), *(s.confusion.ravel() for s in steps)]),
        **{name: np.array([getattr(s, name) for s in steps], dtype=int) for name in COUNTS},
        **{name: np.array([getattr(s, name) for s in steps], dtype=float) for name in NUMBERS},
    }


def unpack(learner: str, packed: dict[str, Any]) -> list[Step]:
    """Return the records that were packed."""
    steps = []
    used, current = 0, -1
    for k in range(len(packed["chunk"])):
        if current + 1 < len(packed["since"]) and packed["since"][current + 1] == k:
            current += 1
        classes = packed["classes"][current]
        size = len(classes) ** 2
        numbers: dict[str, Any] = {name: int(packed[name][k]) for name in COUNTS}
        numbers |= {name: float(packed[name][k]) for name in NUMBERS}
        steps.append(
            Step(
                learner=learner,
                classes=classes,
                calibration=packed["calibration"][k],
                confusion=packed["confusion"][used : used + size].reshape((len(classes),) * 2),
                **numbers,
            )
        )
        used += size
    return steps
