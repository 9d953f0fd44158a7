"""Digest of the code that computes results."""

import hashlib
from functools import cache
from pathlib import Path

#: Packages whose code affects the predictions of a learner on a stream, or how they are scored.
PACKAGES = (
    "base", "drift", "dummy", "ensemble", "evaluate", "forest", "linear_model", "model_selection",
    "naive_bayes", "neural_network", "ops/sources", "preprocessing", "rules", "streams", "tables",
    "tree", "utils",
)  # fmt: skip


@cache
def code_digest(package: Path = Path(__file__).parents[2]) -> str:
    """Return a digest of the library code; results from different code are recomputed."""
    digest = hashlib.sha256()
    for path in sorted(
        path
        for name in PACKAGES
        for suffix in ("py", "pxd")
        for path in (package / name).rglob(f"*.{suffix}")
    ):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0")
        digest.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()[:16]
