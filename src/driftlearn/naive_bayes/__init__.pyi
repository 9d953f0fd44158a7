# Written by `make stubs`.
from driftlearn.naive_bayes import gaussian_nb as gaussian_nb
from driftlearn.naive_bayes.gaussian_nb import GaussianNBClassifier as GaussianNBClassifier

__all__ = ['GaussianNBClassifier']
