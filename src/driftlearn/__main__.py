"""Lets ``python -m driftlearn`` do what the `driftlearn` command does."""

import sys

# Python puts the working folder first; what lies there must not take the place of a library.
if sys.path and sys.path[0] in ("", __import__("os").getcwd()):
    sys.path.append(sys.path.pop(0))

from driftlearn.cli import main

main()
