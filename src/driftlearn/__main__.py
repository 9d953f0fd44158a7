"""Lets ``python -m driftlearn`` do what the `driftlearn` command does."""

from driftlearn.cli import main

main()
