"""One thread a process; compiled modules loaded before pytest loads one as a file for its doctest.

Threads of BLAS that wait for each other make a test fourteen times slower on a busy machine. The
variables count when numpy is first imported, and processes that tests start inherit them.
"""

import os
from importlib import import_module

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

from driftlearn._compiled import compiled  # noqa: E402

for name in compiled():
    import_module(name)
