"""A test-suite for any classifier that learns from a stream, ours or somebody else's.

scikit-learn's ``check_estimator`` hardly looks at `partial_fit`: a learner that overwrites the
caller's labels, refuses a new class or forgets everything on each call passes it. These checks
look at nothing else.

Examples
--------
>>> from driftlearn import LearnPPNSEClassifier
>>> from driftlearn.checks import check_stream_classifier
>>> len(check_stream_classifier(LearnPPNSEClassifier())) > 15
True
"""

from driftlearn.checks._checks import CHECKS
from driftlearn.checks._suite import check_stream_classifier, checks_for, parametrize

__all__ = ["CHECKS", "check_stream_classifier", "checks_for", "parametrize"]
