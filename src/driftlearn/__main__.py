"""Run the command line with ``python -m driftlearn``."""

import sys

# Python puts the working folder first on sys.path, where a file could shadow a library.
if sys.path and sys.path[0] in ("", __import__("os").getcwd()):
    sys.path.append(sys.path.pop(0))

from driftlearn.cli import main

main()
