"""The time, and durations as text."""

import time


def now() -> float:
    """Return the time in seconds since 1970. Tests replace this function."""
    return time.time()


def clock(seconds: float) -> str:
    """Format a duration.

    Examples
    --------
    >>> clock(7.3), clock(75), clock(7320)
    ('7 s', '1 min 15 s', '2 h 2 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
