"""Checks for any classifier that learns from a stream, of this library or another one.

scikit-learn's ``check_estimator`` hardly calls `partial_fit`: a learner that overwrites the
caller's labels, rejects a new class or discards everything on each call passes it. These checks
test `partial_fit`, and what this library guarantees: bit-identical results however rows are sliced,
for any number of threads, after saving and loading, and for equal seeds.

The checks of row-by-row learning apply to classes with the attribute ``_in_place = True``, for
which one call with n rows equals n calls with one row. Learners with a parameter ``chunk_size`` are
checked for the same with that size.

Examples
--------
>>> from driftlearn import LearnPPNSEClassifier
>>> from driftlearn.checks import check_stream_classifier
>>> len(check_stream_classifier(LearnPPNSEClassifier())) > 15
True
"""

from driftlearn.checks import _checks, _reproducibility  # noqa: F401 - they register their checks
from driftlearn.checks._suite import CHECKS, check_stream_classifier, checks_for, parametrize

__all__ = ["CHECKS", "check_stream_classifier", "checks_for", "parametrize"]
