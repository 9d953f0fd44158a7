"""Parts of documentation pages in reStructuredText."""

from collections.abc import Iterable
from pathlib import Path

from driftlearn.utils.atomic_files import atomic_write


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


def write_rst(path: Path, title: str, lines: Iterable[str]) -> Path:
    """Write a page and return its path."""
    title = escaped(title)
    content = "\n".join([title, "=" * len(title), "", *lines])
    atomic_write(path, f"{content.rstrip()}\n".encode())
    return path


def write_summary(
    path: Path, title: str, summary: Iterable[str], details: Iterable[str], numbers: str = ""
) -> Path:
    """Write a page that fits a screen, and beside it a page of details.

    Parameters
    ----------
    path : Path
        File of the summary. The details are in a file whose name ends in ``-details``.
    title : str
        Title of the summary.
    summary, details : iterable of str
        Lines of the pages.
    numbers : str
        Content of a text file with all numbers, which the summary offers for download.

    Returns
    -------
    Path
        File of the details.
    """
    below = path.with_name(f"{path.stem}-details.rst")
    links = [f":doc:`All tables <{below.stem}>`"]
    if numbers:
        atomic_write(path.with_suffix(".txt"), numbers.encode())
        links.append(f":download:`all numbers as text <{path.stem}.txt>`")
    toctree = [".. toctree::", "   :hidden:", "", f"   {below.stem}"]
    write_rst(path, title, [*summary, " · ".join(links), "", *toctree])
    return write_rst(below, f"{title}: all tables", [f"Summary: :doc:`{path.stem}`.", "", *details])
