"""Concepts in force along a stream, and their colors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from driftlearn.bench.report._style import DARK_PALETTE, PALETTE
from driftlearn.evaluate._repeat import AnyResult

MOST_COLORS = len(PALETTE) - 1  # with more concepts, colors are interpolated between two ends
RAMP = 0, 4  # positions in the palette of these ends


class Span(NamedTuple):
    """A range of rows under one concept: its first row, the row after its last, the concept."""

    begin: int
    end: int
    concept: int


class Concepts(NamedTuple):
    """The concepts of a stream in the order of first appearance, and the spans they cover."""

    names: list[str]
    spans: list[Span]

    def at(self, row: float) -> int | None:
        """Return the concept in force at a row, or None if the stream does not name concepts."""
        ends = [span.end for span in self.spans]
        place = min(int(np.searchsorted(ends, row, side="right")), len(ends) - 1)
        return self.spans[place].concept if self.spans else None

    def css(self, concept: int | None) -> str:
        """Return the color of a concept as a CSS value."""
        if concept is None or len(self.names) <= MOST_COLORS:
            return f"var(--c{concept or 0})"
        share = round(100 * concept / (len(self.names) - 1))
        return f"color-mix(in oklab, var(--c{RAMP[1]}) {share}%, var(--c{RAMP[0]}))"

    def color(self, concept: int | None) -> str:
        """Return the color of a concept as a hexadecimal RGB value, for matplotlib."""
        if concept is None or len(self.names) <= MOST_COLORS:
            return PALETTE[concept or 0]
        share = concept / (len(self.names) - 1)
        low, high = (np.array([*bytes.fromhex(PALETTE[k][1:])]) for k in RAMP)
        return "#" + bytes(np.rint((1 - share) * low + share * high).astype(np.uint8)).hex()


def concepts(result: AnyResult) -> Concepts:
    """Return the concepts of a result; where it names none, the spans between known drifts."""
    rows = max((result.rows(name) for name in result.names), key=len)
    drifts = sorted(drift for drift in result.drifts if 0 < drift < rows[-1])
    if len(result.concepts) == len(rows):
        return _spans([_text(concept) for concept in result.concepts], rows.tolist(), drifts)
    if not drifts:
        return Concepts([], [])
    ends = [*drifts, int(rows[-1])]
    return _spans([str(k + 1) for k in range(len(ends))], ends, [])


def _spans(labels: Sequence[str], ends: Sequence[int], drifts: Sequence[int]) -> Concepts:
    """Join neighboring chunks of the same concept.

    If a drift is known to lie within the first chunk of a concept, the concept begins there.
    """
    names = list(dict.fromkeys(labels))
    spans: list[Span] = []
    begin = 0
    for label, end in zip(labels, ends):
        k = names.index(label)
        if spans and spans[-1].concept == k:
            spans[-1] = Span(spans[-1].begin, end, k)
        else:
            at = next((drift for drift in drifts if begin < drift < end), begin)
            if spans:
                spans[-1] = Span(spans[-1].begin, at, spans[-1].concept)
            spans.append(Span(at if spans else 0, end, k))
        begin = end
    return Concepts(names, spans)


def _text(concept: Any) -> str:
    return f"{concept:g}" if isinstance(concept, float) else str(concept)


def color_css() -> str:
    """Return the style sheet of the line colors, for light and dark pages."""
    light, dark = (
        " ".join(f"--c{k}: {color};" for k, color in enumerate(palette))
        for palette in (PALETTE, DARK_PALETTE)
    )
    classes = " ".join(f".c{k} {{ --c: var(--c{k}); }}" for k in range(len(PALETTE)))
    return (
        f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} "
        f"}} }}\n{classes}\n"
    )
