"""Helpers that know nothing of learners."""
