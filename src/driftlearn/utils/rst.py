"""Parts of documentation pages in reStructuredText."""

from collections.abc import Iterable


def section(title: str) -> list[str]:
    """Return a heading."""
    title = escaped(title)
    return [title, "-" * len(title), ""]


def listed(rows: Iterable[Iterable[str]]) -> list[str]:
    """Return rows, of which the first contains the headings, as a reStructuredText table."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        lines += [f"   {' ' if k else '*'} - {value}".rstrip() for k, value in enumerate(row)]
    return [*lines, ""]


def escaped(value: str) -> str:
    """Return text with reStructuredText markup escaped."""
    return "".join("\\" + c if c in "*`|_\\" else c for c in value)
