"""Grids of learners, streams and seeds: definition, execution, storage and resumption."""
