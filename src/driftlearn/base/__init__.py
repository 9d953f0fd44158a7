"""What learners are made of: the base classes, and the things that they hand around.

`ChunkClassifier` is the base of the ensembles that learn a chunk at a time, `OnlineClassifier` of
those that learn a row at a time, and `StreamClassifier` of both and of the base learners. A new
learner derives from one of them and writes two or three methods;
``docs/writing-a-chunk-learner.rst``, ``docs/writing-an-online-learner.rst`` and
``docs/writing-a-base-learner.rst`` show how.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftlearn.base.chunk import Chunk
    from driftlearn.base.chunk_classifier import ChunkClassifier
    from driftlearn.base.committee import Committee
    from driftlearn.base.history import History
    from driftlearn.base.models import transferred, updated
    from driftlearn.base.online_classifier import OnlineClassifier
    from driftlearn.base.stream_classifier import StreamClassifier
    from driftlearn.engines.online_committee import OnlineCommittee

_WHERE = {
    "Chunk": "base.chunk",
    "ChunkClassifier": "base.chunk_classifier",
    "Committee": "base.committee",
    "History": "base.history",
    "OnlineClassifier": "base.online_classifier",
    "OnlineCommittee": "engines.online_committee",
    "StreamClassifier": "base.stream_classifier",
    "transferred": "base.models",
    "updated": "base.models",
}

__all__ = [
    "Chunk",
    "ChunkClassifier",
    "Committee",
    "History",
    "OnlineClassifier",
    "OnlineCommittee",
    "StreamClassifier",
    "transferred",
    "updated",
]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(f"driftlearn.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__]
