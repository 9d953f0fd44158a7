"""Muhlbaier, Topalis and Polikar (2004): Learn++.MT and Learn++ on data sets with new classes."""

from driftlearn.bench.papers.s2.streams_and_learners import Digits, Validated, Vapours, Wine

__all__ = ["Digits", "Validated", "Vapours", "Wine"]
