"""Building blocks of ensembles, and the ensembles in its subpackages.

`ChunkClassifier` is the base class of ensembles trained chunk by chunk, `OnlineClassifier` that of
ensembles trained row by row; ``docs/writing-a-chunk-learner.rst`` and
``docs/writing-an-online-learner.rst`` show how to write a subclass. A `Committee` holds the members
and their weights, errors and other numbers; a `History` records weights over time.

The functions are pure functions on arrays, whose first axis is the members and whose second axis is
the examples: ``wrong[k, i]`` tells whether member `k` errs on example `i`. Classes are given as
codes: positions in the ensemble's ``classes_``.

Votes
    `weighted_vote` (hard or soft; if all weights are zero, the newest member's vote is used),
    `signed_vote` (weights of either sign), `default_to_newest`, and the sums `tally`, `tally_each`
    and `blend`, which add members in order: the score of a row is bit-identical in every batch.
Votes on classes that not all members have seen
    `dynamic_vote`, `class_confidence`, `settle_conflicts` (Learn++.MT, Learn++.NC);
    `class_weights`, `own_class_vote`, `ensemble_decision` (Learn++.UD, Learn++.UDNC).
Weights of members
    `weighted_error`, `error_floor`, `odds`, `age_sigmoid`, `sliding_mean` (Learn++ and
    Learn++.NSE); `random_error`, `squared_error`, `inverse_error` (AWE, AUE2, DTEL);
    `street_quality` (SEA); `local_accuracy`, `heom` (DIC); `knora_eliminate`, `knora_union`,
    `class_accuracy` (DYNSE).
Selection of members
    `largest_weights` (AWE); `q_statistics`, `disagreement`, `double_fault`, `most_redundant`,
    `entropy_without`, `smallest_errors` (DTEL).
Two-sample test
    `neighbor_test` (RCD).

Examples
--------
Two members vote, the second with twice the weight:

>>> import numpy as np
>>> from driftlearn.ensemble import weighted_vote
>>> weighted_vote(np.array([[0, 1], [1, 1]], dtype=np.int32), np.array([1.0, 2.0]), 2)
array([[1., 2.],
       [0., 3.]])
"""

from driftlearn.utils.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_online_committee": "OnlineCommittee",
        "chunk_classifier": "ChunkClassifier",
        "class_votes": (
            "class_confidence class_weights dynamic_vote ensemble_decision own_class_vote "
            "settle_conflicts"
        ),
        "committee": "Committee",
        "diversity": "disagreement double_fault entropy_without most_redundant q_statistics",
        "history": "History",
        "member_weights": (
            "age_sigmoid error_floor inverse_error odds random_error sliding_mean squared_error "
            "street_quality weighted_error"
        ),
        "neighborhood": "class_accuracy heom knora_eliminate knora_union local_accuracy",
        "online_classifier": "OnlineClassifier",
        "selection": "largest_weights smallest_errors",
        "two_samples": "neighbor_test",
        "votes": "blend default_to_newest signed_vote tally tally_each weighted_vote",
    },
)
