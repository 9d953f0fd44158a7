"""Experiments: plans, result store, reports, and the experiments of the papers."""
