"""Which concept was in force when, and the colour that it has in every picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from driftlearn.bench.report._style import DARK_PALETTE, PALETTE
from driftlearn.evaluate._repeat import AnyResult

MOST_COLOURS = len(PALETTE) - 1  # concepts that have a colour of their own; more are a ramp


class Span(NamedTuple):
    """A stretch of rows under one concept: its first row, the row after it, which concept."""

    begin: int
    end: int
    concept: int


class Concepts(NamedTuple):
    """The concepts of a stream, in the order in which they first came, and when they held."""

    names: list[str]
    spans: list[Span]

    def at(self, row: float) -> int | None:
        """Return which concept was in force at a row; None where the stream does not tell."""
        ends = [span.end for span in self.spans]
        place = min(int(np.searchsorted(ends, row, side="right")), len(ends) - 1)
        return self.spans[place].concept if self.spans else None

    def css(self, concept: int | None) -> str:
        """Return the colour of a concept as the value of a style."""
        if concept is None:
            return "var(--c0)"
        if len(self.names) <= MOST_COLOURS:
            return f"var(--c{concept})"
        share = round(100 * concept / (len(self.names) - 1))
        return f"color-mix(in oklab, var(--c4) {share}%, var(--c0))"

    def colour(self, concept: int | None) -> str:
        """Return the colour of a concept for matplotlib."""
        from matplotlib.colors import to_hex, to_rgb

        if concept is None or len(self.names) <= MOST_COLOURS:
            return PALETTE[concept or 0]
        share = concept / (len(self.names) - 1)
        ends = np.array([to_rgb(PALETTE[0]), to_rgb(PALETTE[4])])
        return to_hex((1 - share) * ends[0] + share * ends[1])


def concepts(result: AnyResult) -> Concepts:
    """Return the concepts of a result; those between known drifts where it names none."""
    rows = max((result.rows(name) for name in result.names), key=len)
    drifts = sorted(drift for drift in result.drifts if 0 < drift < rows[-1])
    if len(result.concepts) == len(rows):
        return _named([_text(concept) for concept in result.concepts], rows.tolist(), drifts)
    if not drifts:
        return Concepts([], [])
    ends = [*drifts, int(rows[-1])]
    return _named([str(k + 1) for k in range(len(ends))], ends, [])


def _named(labels: Sequence[str], ends: Sequence[int], drifts: Sequence[int]) -> Concepts:
    """Join neighbours of one concept; a change within a chunk is where the drift was."""
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


def colour_css() -> str:
    """Return the colours of lines, light and dark, as the style sheet names them."""
    light, dark = (
        " ".join(f"--c{k}: {colour};" for k, colour in enumerate(palette))
        for palette in (PALETTE, DARK_PALETTE)
    )
    classes = " ".join(f".c{k} {{ --c: var(--c{k}); }}" for k in range(len(PALETTE)))
    return (
        f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} "
        f"}} }}\n{classes}\n"
    )
