"""The loop of Winnow: invalid arguments."""

import numpy as np
import pytest

from driftlearn.linear_model._winnow_rows import winnow_rows


def go(rows=1, attributes=2, classes=2, y=(1,), minus=None, scores=None):
    on = np.ones((rows, attributes), dtype=np.uint8)
    plus = np.ones((3, 2))
    minus = np.zeros((3, 2)) if minus is None else minus
    scores = np.zeros((1, 2)) if scores is None else scores
    came = np.ones(classes, dtype=np.uint8)
    codes = np.array(y, dtype=np.int32)
    winnow_rows(on, codes, plus, minus, came, 1.5, 2.0, 0.1, 9.0, False, False, scores, True)
    return plus


def test_only_those_that_are_wrong_move():
    assert go().tolist() == [[0.5, 0.5], [1, 1], [0.5, 0.5]]  # 2 exceeds 1.5 for all of them


@pytest.mark.parametrize(
    "other",
    [
        {"rows": 2}, {"attributes": 3}, {"classes": 3}, {"y": ()}, {"y": (2,)}, {"y": (-1,)},
        {"minus": np.zeros((2, 2))}, {"minus": np.zeros((3, 1))}, {"scores": np.zeros((1, 3))},
    ],
    ids=str,
)  # fmt: skip
def test_what_does_not_fit_is_refused(other):
    with pytest.raises(ValueError, match=r"attributes of the rows|range \[0, 2\)\. Got -?\d"):
        go(**other)
