"""The algorithms' small parts: pure functions on arrays, without state.

Members are rows and examples are columns wherever both occur: ``wrong[k, i]`` says whether
member `k` errs on example `i`. Classes are codes, places in the ensemble's ``classes_``.

Votes
    `weighted_vote` (hard or soft; where nobody has any weight the newest speaks alone),
    `signed_vote` (weights of either sign), `newest_if_mute`, and the sums `tally`, `tally_each`
    and `blend`, which add up in the order of the members, so that a row's score has the same bits
    in every batch.
Votes about classes that not all members have met
    `dynamic_vote`, `class_confidence`, `settle_conflicts` (Learn++.MT, Learn++.NC);
    `class_weights`, `own_class_vote`, `ensemble_decision` (Learn++.UD, Learn++.UDNC).
What a member is worth
    `weighted_error`, `error_floor`, `odds`, `age_sigmoid`, `sliding_mean` (Learn++ and
    Learn++.NSE); `random_error`, `squared_error`, `inverse_error` (AWE, AUE2, DTEL);
    `street_quality` (SEA); `local_accuracy`, `heom`, `ranges` (DIC); `faultless`, `right_nearby`,
    `class_accuracy` (DYNSE).
What a row counts
    `penalise` (Learn++.NSE), `stress` (Learn++), `draw`, `draw_by_inversion`, `folds`.
Which members stay
    `heaviest` (AWE); `q_statistics`, `disagreement`, `double_fault`, `most_redundant`,
    `entropy_without`, `fittest` (DTEL).
Whether rows come from one source
    `neighbour_test` (RCD).

Examples
--------
Two members vote, the second by twice the weight:

>>> import numpy as np
>>> from driftlearn.parts import weighted_vote
>>> weighted_vote(np.array([[0, 1], [1, 1]], dtype=np.int32), np.array([1.0, 2.0]), 2)
array([[1., 2.],
       [0., 3.]])
"""

from driftlearn.parts.class_votes import (
    class_confidence,
    class_weights,
    dynamic_vote,
    ensemble_decision,
    own_class_vote,
    settle_conflicts,
)
from driftlearn.parts.local_accuracy import (
    class_accuracy,
    faultless,
    heom,
    local_accuracy,
    ranges,
    right_nearby,
)
from driftlearn.parts.member_weights import (
    age_sigmoid,
    error_floor,
    inverse_error,
    odds,
    random_error,
    sliding_mean,
    squared_error,
    street_quality,
    weighted_error,
)
from driftlearn.parts.row_weights import draw, draw_by_inversion, folds, penalise, stress
from driftlearn.parts.selection import (
    disagreement,
    double_fault,
    entropy_without,
    fittest,
    heaviest,
    most_redundant,
    q_statistics,
)
from driftlearn.parts.two_samples import neighbour_test
from driftlearn.parts.votes import (
    blend,
    newest_if_mute,
    signed_vote,
    tally,
    tally_each,
    weighted_vote,
)

__all__ = [
    "age_sigmoid",
    "blend",
    "class_accuracy",
    "class_confidence",
    "class_weights",
    "disagreement",
    "double_fault",
    "draw",
    "draw_by_inversion",
    "dynamic_vote",
    "ensemble_decision",
    "entropy_without",
    "error_floor",
    "faultless",
    "fittest",
    "folds",
    "heaviest",
    "heom",
    "inverse_error",
    "local_accuracy",
    "most_redundant",
    "neighbour_test",
    "newest_if_mute",
    "odds",
    "own_class_vote",
    "penalise",
    "q_statistics",
    "random_error",
    "ranges",
    "right_nearby",
    "settle_conflicts",
    "signed_vote",
    "sliding_mean",
    "squared_error",
    "stress",
    "street_quality",
    "tally",
    "tally_each",
    "weighted_error",
    "weighted_vote",
]
