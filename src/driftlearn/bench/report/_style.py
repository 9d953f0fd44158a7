"""Colors, dashes and label positions: the style shared by SVG pages and matplotlib figures."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np

from driftlearn.utils.typing import Floats

#: Line colors on a white page and, hue by hue, on a dark one. Each has a contrast of at least 3:1
#: with its page, and they differ from each other for readers with red-green color blindness, too.
#: The last one, gray, is that of the baselines.
PALETTE = (
    "#1f5fd0", "#e0500f", "#0b5a46", "#a8325e", "#7d5600", "#0f95c9", "#5a1a8c", "#78808c",
)  # fmt: skip
DARK_PALETTE = (
    "#6e9bff", "#ff8a4c", "#178f68", "#e86fb0", "#e9d35a", "#63dcff", "#8d5fe0", "#b4bcc6",
)  # fmt: skip
PAGE, DARK_PAGE = "#ffffff", "#15181d"
INK, FAINT = "#444444", "#999999"
DASHES = ("solid", "dashed", "dotted", "dashdot")
GRAY = len(PALETTE) - 1
#: Positions in the palette of names that often appear together. The colors of all other names
#: follow from a checksum of the name.
FAMILIAR = {
    "dtel": 0, "sea": 1, "learnppnse": 2, "awe": 3, "aue2": 4, "tix": 5, "refit": 6, "lastchunk": 6,
    "auto": 0, "arf": 1, "hoeffding": 2, "naivebayes": 3, "iboost": 5, "dwm": 4,
    "nochange": GRAY, "majority": GRAY,
    "predictions": 0, "own": 2, "global": 1, "borrowed": 4, "pool": 4, "nobody": GRAY, "none": GRAY,
    "before": GRAY, "lately": 0,
}  # fmt: skip


def color_and_dash(names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the positions in `PALETTE` and `DASHES` of each name.

    The color depends on the name alone, so that a learner has the same color on every page. Names
    of the same color get different dashes; when all dashes of a color are taken, the next color
    is used.

    Examples
    --------
    >>> color_and_dash(["SEA", "no-change", "majority"])
    {'SEA': (1, 0), 'no-change': (7, 0), 'majority': (7, 1)}
    """
    found: dict[str, tuple[int, int]] = {}
    plain = {
        name: "".join(c for c in name.lower().replace("+", "p") if c.isalnum()) for name in names
    }
    # Familiar names choose first: their colors must not depend on the other names of a page.
    for name in sorted(names, key=lambda name: plain[name] not in FAMILIAR):
        first = FAMILIAR.get(plain[name], crc32(plain[name].encode()) % GRAY)
        free = [
            ((first + shift) % len(PALETTE), dash)
            for shift in range(len(PALETTE))
            for dash in range(len(DASHES))
        ]
        taken = set(found.values())
        found[name] = next((place for place in free if place not in taken), free[0])
    return {name: found[name] for name in names}


def line_styles(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the color and dash of each name on a white page, as matplotlib expects them.

    Examples
    --------
    >>> line_styles(["dtel", "sea"])["sea"]
    ('#e0500f', 'solid')
    """
    return {name: (PALETTE[c], DASHES[dash]) for name, (c, dash) in color_and_dash(names).items()}


def moved_apart(positions: Sequence[float], gap: float) -> Floats:
    """Move positions by as little as possible until neighbors are at least `gap` apart.

    Examples
    --------
    >>> moved_apart([0.0, 0.1, 5.0], 1.0)
    array([-0.45,  0.55,  5.  ])
    """
    # Blocks of labels that touch each other, as (sum of position - offset, count): the best place
    # of a block is its mean, and two blocks that overlap are merged (pool adjacent violators).
    order = np.argsort(positions, kind="stable")
    blocks: list[list[float]] = []
    for k in order:
        blocks.append([float(positions[k]), 1])
        while len(blocks) > 1:
            (low, n), (high, m) = blocks[-2:]
            if low / n + gap * n <= high / m:
                break
            blocks[-2:] = [[low + high - m * n * gap, n + m]]
    placed = np.empty(len(order))
    placed[order] = [total / n + gap * i for total, n in blocks for i in range(int(n))]
    return placed


def shortened(name: str, longest: int = 20) -> str:
    """Return a name cut to at most `longest` characters.

    Examples
    --------
    >>> shortened("adaptive random forest", 12)
    'adaptive ra…'
    """
    return name if len(name) <= longest else name[: longest - 1] + "…"
