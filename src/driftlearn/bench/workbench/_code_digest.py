"""Which code computed a result."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

#: The rooms whose code decides what a learner says on a stream and how that is scored.
ROOMS = (
    "auto", "base", "baselines", "chunk", "drift", "engines", "evaluate", "kernels", "learners",
    "online", "parts", "preprocess", "sources", "streams",
)  # fmt: skip


@cache
def code_digest(package: Path = Path(__file__).parent) -> str:
    """Return a digest of the library's code: other code is other work, whatever its version."""
    digest = hashlib.sha256()
    for path in sorted(path for room in ROOMS for path in (package / room).rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0")
        digest.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()[:16]
