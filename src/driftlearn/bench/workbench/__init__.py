"""The workbench: grids of learners, streams and seeds, described, run, stored and resumed."""
