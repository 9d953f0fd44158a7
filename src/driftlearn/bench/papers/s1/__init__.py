"""Sun, Tang, Zhu and Yao (2018): DTEL compared with SEA, Learn++.NSE, AUE2 and TIX."""

from driftlearn.bench.papers.s1.streams_and_learners import TransferTwice

__all__ = ["TransferTwice"]
