"""What is said of rows of many keys, while nothing is learned."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from driftlearn.ops.keyed.key_state import KeyState
from driftlearn.ops.keyed.keyed_learner import Answers, KeyedLearner
from driftlearn.ops.keyed.rows import Rows


def answered(
    learner: KeyedLearner, rows: Rows, state_of: Callable[[str], KeyState | None]
) -> Answers:
    """Return what is said of rows that were read.

    A poisoned row is answered by None. For a key that is new, or whose state cannot be used, the
    population answers.

    Parameters
    ----------
    learner : KeyedLearner
        How keys learn, and the population.
    rows : Rows
        The rows, of whatever keys.
    state_of : callable
        Gives what is known of a key; None if nothing is.
    """
    n = len(rows)
    found = Answers([None] * n, [None] * n)
    index = np.array([i for i in range(n) if i not in rows.bad], dtype=np.intp)
    if not len(index):
        return found
    some = rows.take(index)
    said = learner.population.answers(some.table, len(some))
    by_key: dict[str, list[int]] = {}
    for i, key in enumerate(some.keys):
        by_key.setdefault(str(key), []).append(i)
    for key, at in by_key.items():
        mine = np.array(at)
        rows_of_key, heard = some.take(mine), said.rows(mine)
        try:
            answers = learner.predict(state_of(key), rows_of_key, heard)
        except Exception:  # the population answers for a key whose state cannot be used
            answers = learner.predict(None, rows_of_key, heard)
        for i, label, who in zip(index[mine].tolist(), *answers):
            found.labels[i], found.who[i] = label, who
    return found
