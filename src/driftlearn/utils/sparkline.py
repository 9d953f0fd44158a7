"""Sparklines (small inline charts) for notebooks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

WIDTH, HEIGHT = 160, 24  # size of a curve, in pixels
POINTS = 160  # points per curve; longer series are averaged


def sparklines(curves: Sequence[Any]) -> list[str]:
    """Return curves as SVG on a common scale; long curves are averaged, missing values are gaps.

    Examples
    --------
    >>> sparklines([[0.5, 0.75], []])[0].count("<path")
    1
    """
    means = [thinned(values, POINTS) for values in curves]
    known = np.concatenate([np.zeros(0), *(each[~np.isnan(each)] for each in means)])
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    return [_svg(each, low, high) for each in means]


def thinned(values: Any, most: int) -> np.ndarray:
    """Return a curve averaged to at most `most` values; nan where all averaged values are nan."""
    values = np.asarray(values, dtype=float)
    pieces = np.array_split(values, most) if len(values) > most else values[:, None]
    return np.array([np.mean(p[~np.isnan(p)]) if not np.isnan(p).all() else np.nan for p in pieces])


def _svg(values: np.ndarray, low: float, high: float) -> str:
    path, pen = "", "M"
    for k, value in enumerate(values):
        if np.isnan(value):
            pen = "M"
            continue
        x = 1 + (WIDTH - 2) * k / max(len(values) - 1, 1)
        y = HEIGHT - 2 - (HEIGHT - 4) * (value - low) / ((high - low) or 1.0)
        path += f"{pen}{x:.0f} {y:.1f}"
        pen = "L"
    if not path:
        return ""
    known = values[~np.isnan(values)]
    label = f"from {known[0]:.3f} to {known[-1]:.3f}, minimum {known.min():.3f}"
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'style="max-width:none" role="img" aria-label="{label}" fill="none" '
        f'stroke="currentColor"><path d="{path}"/></svg>'
    )
