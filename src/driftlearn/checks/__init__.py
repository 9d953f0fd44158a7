"""A test-suite for any classifier that learns from a stream, ours or somebody else's.

scikit-learn's ``check_estimator`` hardly looks at `partial_fit`: a learner that overwrites the
caller's labels, refuses a new class or forgets everything on each call passes it. These checks
look at nothing else, and at the promises that this library makes: equal bits however rows are
sliced, whatever the number of threads, after saving and loading, and for equal seeds.

A learner that learns row by row, for which one call of n rows and n calls of one row are the same,
says so by the class attribute ``_in_place = True`` and is then held to it; one with a parameter
``chunk_size`` is held to the same for that size.

Examples
--------
>>> from driftlearn import LearnPPNSEClassifier
>>> from driftlearn.checks import check_stream_classifier
>>> len(check_stream_classifier(LearnPPNSEClassifier())) > 15
True
"""

from driftlearn.checks import _checks, _promises  # noqa: F401 - they register their checks
from driftlearn.checks._register import CHECKS
from driftlearn.checks._suite import check_stream_classifier, checks_for, parametrize

__all__ = ["CHECKS", "check_stream_classifier", "checks_for", "parametrize"]
