"""Experiments: plans, result store, reports and reproductions of papers."""
