"""Checks for stream classifiers of this library and of other libraries.

scikit-learn's ``check_estimator`` hardly tests `partial_fit`: a learner that overwrites the
caller's labels, rejects a new class or restarts on each call passes it. These checks test
`partial_fit` and the guarantees of this library: bit-identical results for any split of rows into
calls, for any number of threads, after saving and loading, and for equal seeds.

The checks of row-by-row training apply to classes with the attribute ``_in_place = True``, for
which one call with n rows equals n calls with one row. Learners with a parameter ``chunk_size`` are
checked for the same property with a chunk size.

Examples
--------
>>> from driftlearn import LearnPPNSEClassifier
>>> from driftlearn.checks import check_stream_classifier
>>> len(check_stream_classifier(LearnPPNSEClassifier())) > 15
True
"""

from driftlearn.checks import _checks  # noqa: F401 - it registers the checks
from driftlearn.checks._suite import CHECKS, check_stream_classifier, checks_for, parametrize

__all__ = ["CHECKS", "check_stream_classifier", "checks_for", "parametrize"]
