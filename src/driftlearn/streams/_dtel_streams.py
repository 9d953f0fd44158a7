"""Synthetic streams of the DTEL paper by the names of its Table II."""

from __future__ import annotations

from driftlearn.streams._generated import GeneratedStream
from driftlearn.streams._piecewise import CIR, STA
from driftlearn.streams._sea import SEA
from driftlearn.streams._turning import ROT, SIN
from driftlearn.utils.arguments import choose

_KINDS: dict[str, type[SEA] | type[ROT] | type[CIR] | type[SIN] | type[STA]] = {
    "SEA": SEA,
    "ROT": ROT,
    "CIR": CIR,
    "SIN": SIN,
    "STA": STA,
}
S1_STREAMS = tuple(f"{kind}{form}" for kind in _KINDS for form in ("200A", "200G", "500G"))


def s1_stream(name: str, random_state: int | None = None) -> GeneratedStream:
    """Return a synthetic stream of the DTEL paper by its name.

    Every stream has 120 chunks. At each step, the paper draws a second chunk from the same concept
    as the test set. ``stream.test_set(batch.start)`` returns this chunk, with label noise as in the
    paper (CIR, SIN and STA; the test rows of SEA and ROT are clean).

    Parameters
    ----------
    name : str
        Kind of stream, chunk size and drift (A or G), for example ``"SEA200A"`` or ``"ROT500G"``.
    random_state : int, default=None
        Seed; None draws a random seed once.

    Returns
    -------
    SEA, ROT, CIR, SIN or STA

    References
    ----------
    .. [1] Y. Sun, K. Tang, Z. Zhu and X. Yao, "Concept drift adaptation by exploiting historical
       knowledge", IEEE TNNLS 29(10), 2018.

    Examples
    --------
    >>> from driftlearn.streams import s1_stream
    >>> stream = s1_stream("CIR500G", random_state=0)
    >>> sum(1 for batch in stream), stream.n_rows, len(stream.drifts)
    (120, 60000, 4)
    """
    choose("name", name, dict.fromkeys(S1_STREAMS))
    stream = _KINDS[name[:3]].dtel(name[-1], int(name[3:6]), random_state)
    stream.name = name
    return stream
