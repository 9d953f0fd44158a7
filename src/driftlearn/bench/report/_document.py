"""The frame of all pages: one HTML file without network access, light, dark and printable."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib.resources import files
from pathlib import Path

from driftlearn.bench.report._concepts import color_css
from driftlearn.bench.report._markup import pairs
from driftlearn.bench.report._svg import safe
from driftlearn.utils.atomic_files import atomic_write

#: The page may run its script and show its content, and load nothing from anywhere.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


def document(
    title: str,
    lead: str,
    sections: Mapping[str, str],
    *,
    about: str = "",
    date: object = "",
    more: str = "",
    refresh: float | None = None,
) -> str:
    """Return a page as HTML.

    Parameters
    ----------
    title : str
        The heading.
    lead : str
        The summary, in a few sentences.
    sections : mapping of str to str
        The sections as HTML by heading; empty ones are omitted.
    about : str
        The line between heading and summary.
    date : str or date
        The date of the page, at the end of that line.
    more : str
        HTML above the contents, such as a chart.
    refresh : float, optional
        Seconds after which a browser reloads the page.
    """
    shown = {_ident(heading): (safe(heading), html) for heading, html in sections.items() if html}
    below = safe(about) + (f" <time>{safe(date)}</time>" if date else "")
    return _asset("page.html").format(
        policy=POLICY,
        refresh="" if refresh is None else f'<meta http-equiv="refresh" content="{refresh:g}">\n',
        title=safe(title),
        style=color_css() + _asset("page.css"),
        about=f'<p class="soft">{below}</p>\n' if below else "",
        lead=safe(lead),
        more=more,
        links="".join(f'<a href="#{ident}">{heading}</a>' for ident, (heading, _) in shown.items()),
        sections="\n".join(
            f'<section aria-labelledby="{ident}"><h2 id="{ident}">{heading}</h2>\n{html}\n'
            "</section>"
            for ident, (heading, html) in shown.items()
        ),
        script=_asset("page.js"),
    )


def write_document(path: str | Path, html: str) -> Path:
    """Write a page atomically and return its path."""
    # Names may hold lone surrogates, as undecodable file names do; UTF-8 cannot encode them.
    atomic_write(path, html.encode("utf-8", "backslashreplace"))
    return Path(path)


def made_by(command: str | None, facts: Mapping[str, str] | None, caption: str) -> str:
    """Return the command and the machine that made the contents of a page."""
    shown = "" if command is None else f"<pre tabindex=0><code>{escape(command)}</code></pre>\n"
    return shown + (pairs(facts, caption) if facts else "")


def _ident(heading: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in heading.lower()).split())


def _asset(name: str) -> str:
    return files("driftlearn.bench.report").joinpath(name).read_text("utf-8")
