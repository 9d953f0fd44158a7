"""One thread a process; compiled modules loaded before pytest loads one as a file for its doctest.

Threads of BLAS that wait for each other make a test fourteen times slower on a busy machine. The
variables count when numpy is first imported, and processes that tests start inherit them.
"""

import os
from importlib import import_module
from importlib.util import find_spec

#: What cannot be imported, not even for its doctests, where an engine is not installed.
NEEDED = {
    "src/driftlearn/ops/keyed/bytewax.py": "bytewax",
    "src/driftlearn/ops/keyed/bytewax_run.py": "bytewax",
    "src/driftlearn/ops/keyed/spark.py": "pyspark",
    "src/driftlearn/ops/keyed/spark_run.py": "pyspark",
    "tests/ops/keyed/killing_bytewax.py": "bytewax",
    "tests/ops/keyed/killing_spark.py": "pyspark",
}
collect_ignore = [path for path, library in NEEDED.items() if find_spec(library) is None]
collect_ignore.append("tests/io/make_files_of_0_1_0.py")  # imports modules of 0.1.0

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

from driftlearn.utils.compiled import compiled  # noqa: E402

for name in compiled():
    import_module(name)
